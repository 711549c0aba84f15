import { continueTrace } from "../../provider/plugin/engine-trace";
import { secret } from "../pulumi/support/declared";
import { Collector, type Received } from "./support/collector";
import { closeAll, failed, Plugin, urnOf } from "./support/plugin";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const engineSpan = "b7ad6b7169203331";
const recorded = `00-${traceId}-${engineSpan}-01`;
const canary = "value-that-nobody-may-see";

let collector: Collector;
const deliveries: Promise<void>[] = [];
beforeEach(async () => void (collector = await Collector.start()));
afterEach(async () => {
  await closeAll();
  collector.close();
  deliveries.length = 0;
});

function start(traceparent = recorded, endpoint = collector.endpoint): Promise<Plugin> {
  const during = (delivery: () => Promise<void>): Promise<void> => {
    const delivered = delivery();
    deliveries.push(delivered);
    return delivered;
  };
  return Plugin.start({ trace: continueTrace({ endpoint, version: "1.2.3", during }), traceparent });
}

/** All spans that have ended so far. */
async function spans(): Promise<Received[]> {
  await Promise.all(deliveries);
  return collector.spans();
}

const called = (all: readonly Received[], method: string): Received[] =>
  all.filter(({ name }) => name === `pulumirpc.ResourceProvider/${method}`);
const beneath = (all: readonly Received[], parent: Received): Received[] =>
  all.filter(({ parentSpanId }) => parentSpanId === parent.spanId);

const userOf = (userId: string) => ({ userId, email: `${userId}@example.com`, role: "admin" });

/** Strikes requests that come. */
const fault = (plugin: Plugin, operation: string, kind: object): Promise<unknown> =>
  plugin.emulator.fetch(
    new Request("http://127.0.0.1/_emulator/faults", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ match: { operation }, fault: kind }),
    }),
  );

test("a call is a span beneath the engine's, and each request one beneath its call", async () => {
  const plugin = await start();
  const names = ["ada", "grace"];
  await Promise.all(names.map((name) => plugin.made("User", name, userOf(name))));
  const all = await spans();
  expect(new Set(all.map(({ traceId }) => traceId))).toEqual(new Set([traceId]));
  expect(new Set(all.map(({ service }) => service))).toEqual(new Set(["pulumi-resource-modelplatform"]));
  expect(new Set(all.map(({ spanId }) => spanId)).size).toBe(all.length);
  const calls = all.filter(({ kind }) => kind === 2);
  expect(calls.map(({ name }) => name.split("/")[1]).sort()).toEqual([
    "Check",
    "Check",
    "Configure",
    "Create",
    "Create",
  ]);
  expect(calls.every(({ parentSpanId }) => parentSpanId === engineSpan)).toBe(true);
  for (const name of names) {
    const create = called(all, "Create").find(({ attributes }) => attributes["pulumi.urn"] === urnOf("User", name))!;
    expect(create.status).toEqual({});
    const post = beneath(all, create).find(({ attributes }) => attributes["http.request.method"] === "POST")!;
    expect(post).toMatchObject({ name: "POST /v1/accounts/{account}/users", kind: 3, status: {} });
    expect(post.attributes).toMatchObject({
      "http.response.status_code": "200",
      "url.full": expect.stringContaining(`/v1/accounts/acme/users?userId=${name}`),
      "modelplatform.operation": "createUser",
      "modelplatform.attempt": "1",
      "modelplatform.request_id": expect.any(String),
      "modelplatform.blocked_ms": expect.stringMatching(/^\d+$/),
    });
    expect(BigInt(post.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(create.startTimeUnixNano));
    expect(BigInt(post.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(create.endTimeUnixNano));
  }
});

test("each attempt is a span, and what failed says so", async () => {
  const plugin = await start();
  await fault(plugin, "listUsers", { kind: "reset" });
  await fault(plugin, "createUser", { kind: "status", status: 400, body: { code: 3, message: "not this one" } });
  await plugin.list("User");
  const error = await failed(plugin.made("User", "ada", userOf("ada")));
  const all = await spans();
  const attempts = beneath(all, called(all, "List")[0]!);
  expect(attempts.map(({ attributes, status }) => [attributes["modelplatform.attempt"], status.code])).toEqual([
    ["1", 2],
    ["2", undefined],
  ]);
  expect(attempts[0]!.attributes["error.type"]).toEqual(expect.any(String));
  const [create] = called(all, "Create");
  expect(create!.status).toEqual({ code: 2, message: error.message });
  expect(create!.attributes["rpc.grpc.status_code"]).toBe(String(error.code));
  expect(beneath(all, create!).find(({ name }) => name.startsWith("POST"))).toMatchObject({
    attributes: { "http.response.status_code": "400", "error.type": "400" },
    status: { message: "answered 400" },
  });
});

test("a list is a span as well, whether it comes to its end or fails", async () => {
  const plugin = await start();
  await plugin.list("User");
  await failed(plugin.list("User", { accountId: "other" }));
  const lists = called(await spans(), "List");
  expect(lists.map(({ status }) => status.code)).toEqual([undefined, 2]);
  expect(lists[0]!.attributes["pulumi.token"]).toBe("modelplatform:index:User");
});

test("no secret is in what is sent, not even where the service or an error repeats it", async () => {
  const plugin = await start();
  const made = (name: string) => plugin.made("Secret", name, { keyName: name.toUpperCase(), value: secret(canary) });
  await made("first");
  const body = { code: 3, message: `\`${canary}\` is not for acme-key` };
  await fault(plugin, "createSecret", { kind: "status", status: 400, body });
  await failed(made("second"));
  expect(called(await spans(), "Create").map(({ status }) => status.code)).toEqual([undefined, 2]);
  const sent = Buffer.concat(collector.bytes);
  for (const text of [canary, "acme-key"])
    for (const encoding of ["utf8", "base64", "hex"] as const)
      expect(sent.includes(Buffer.from(text).toString(encoding))).toBe(false);
});

test.each([
  ["outside of a trace", ""],
  ["in a trace that nobody records", `00-${traceId}-${engineSpan}-00`],
  ["with a place that cannot be read", "00-somewhere-01"],
])("a call %s leaves no span", async (_, traceparent) => {
  const plugin = await start(traceparent);
  await plugin.list("User");
  expect(await spans()).toEqual([]);
});

test("where nobody takes spans, calls are answered all the same", async () => {
  const plugin = await start(recorded, "127.0.0.1:1");
  expect((await plugin.made("User", "ada", userOf("ada"))).id).toBe("accounts/acme/users/ada");
  expect(await spans()).toEqual([]);
});
