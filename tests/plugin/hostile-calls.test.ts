import { connect } from "node:net";
import { status } from "@grpc/grpc-js";
import { closeAll, failed, Plugin } from "./support/plugin";

let plugin: Plugin;
beforeEach(async () => void (plugin = await Plugin.start()));
afterEach(closeAll);

const ada = { email: "ada@example.com", role: "user" };
const many = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, index]));
const tooMany = /more than 10,000 values.*a list or a map that the program fills/;

test("a call of 100,000 properties is refused, and the others are answered", async () => {
  const large = [many(100_000), { list: Object.values(many(100_000)) }];
  const refusals = large.map((news) => failed(plugin.check("User", "ada", news)));
  const others = Array.from({ length: 20 }, (_, index) =>
    plugin.check("User", `u${index}`, { ...ada, email: `u${index}@example.com` }),
  );
  for (const { failures } of await Promise.all(others)) expect(failures).toEqual([]);
  for (const { message } of await Promise.all(refusals)) expect(message).toMatch(tooMany);
});

test("as many properties as a call may have are each named as unknown", async () => {
  const { failures } = await plugin.check("User", "ada", many(9_990));
  expect(failures.length).toBeGreaterThanOrEqual(9_990);
});

const ofObjects = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"];

test.each(ofObjects)("`%s` is neither a function nor a resource type", async (name) => {
  expect((await failed(plugin.invoke(name, {}))).message).toMatch(`\`modelplatform:index:${name}\` is not a function`);
  expect((await failed(plugin.check(name, "ada", ada))).message).toMatch("is not a resource type");
  expect((await failed(plugin.list(name))).message).toMatch("is not a resource type");
});

test.each(ofObjects.filter((name) => name !== "__proto__"))(
  "a property `%s` is unknown like any other",
  async (name) => {
    const { failures } = await plugin.check("User", "ada", { ...ada, ...JSON.parse(`{"${name}": {"role": "admin"}}`) });
    expect(failures).toEqual([
      expect.objectContaining({ property: name, reason: expect.stringMatching(/not a property/) }),
    ]);
  },
);

test("a property `__proto__` says nothing about others", async () => {
  const { inputs } = await plugin.check(
    "User",
    "ada",
    JSON.parse('{"email": "a@b.co", "__proto__": {"role": "admin"}}'),
  );
  expect(inputs["role"]).toBeUndefined();
});

test("300 reads at once are all answered", async () => {
  const { id, inputs } = await plugin.made("User", "ada", ada);
  const reads = Array.from({ length: 300 }, () => plugin.read("User", "ada", id, { inputs }));
  expect(new Set((await Promise.all(reads)).map((answer) => answer.id))).toEqual(new Set([id]));
});

test.each([
  ["no HTTP/2", Buffer.from("GET / HTTP/1.1\r\n\r\n")],
  ["zeros", Buffer.alloc(1_000_000)],
  [
    "a frame that says it has 16 MB",
    Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), Buffer.alloc(9, 255)]),
  ],
])("a client that sends %s is closed, and others are served", async (_, bytes) => {
  const socket = connect(plugin.port, "127.0.0.1");
  const closed = new Promise((resolve) => socket.on("error", () => undefined).on("close", resolve));
  socket.on("data", () => undefined).write(bytes);
  await closed;
  expect((await plugin.check("User", "ada", ada)).failures).toEqual([]);
});

test("a message that cannot be decoded, or is too long, is refused", async () => {
  const [garbage, long] = await plugin.sendRaw("/pulumirpc.ResourceProvider/Check", [
    Buffer.from([0x0a, 0xff, 0xff, 0xff, 0x7f]),
    Buffer.alloc(33 * 1024 * 1024),
  ]);
  expect(garbage).toBe(status.INTERNAL);
  expect(long).toBe(status.RESOURCE_EXHAUSTED);
  expect((await plugin.check("User", "ada", ada)).failures).toEqual([]);
});

test("a call that its client gives up is over, and so is one whose client goes away", async () => {
  const { id, inputs } = await plugin.made("User", "ada", ada);
  await plugin.cancelled(id);
  const another = await plugin.another();
  const reads = Array.from({ length: 50 }, () => another.read("User", "ada", id, { inputs }).catch(() => undefined));
  await another.close();
  await Promise.all(reads);
  expect((await plugin.read("User", "ada", id, { inputs })).id).toBe(id);
});
