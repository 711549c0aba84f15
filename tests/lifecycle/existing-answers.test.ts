import type { Values } from "../../provider/lifecycle/types";
import { refusal, rejection } from "../rejection";
import { DeclaredResource } from "./contract/declaration";
import { dynamicHost, pluginHost } from "./contract/hosts";
import { createHarness, type Harness, keptJournal, type Process } from "./harness";

/** A service that answers a create with the object that already has the id: a success that created nothing. */

const served = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };
const fixed = { ...served, deploymentId: "chat" };

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

/** Another team's deployment at that id, with which every create there is answered. */
async function theirs(): Promise<string> {
  const { id } = await at.process({}, {}, "another").create("Deployment", "theirs", fixed);
  const handle = at.replica.handle.bind(at.replica);
  at.replica.handle = async (request) =>
    request.method === "POST" && request.query.get("deploymentId") === "chat"
      ? handle({ ...request, method: "GET", path: `/v1/${id}`, query: new Map() })
      : handle(request);
  return id;
}

/** Its creates overwrite what has the id already, and answer 200. */
function overwriting(): void {
  const handle = at.replica.handle.bind(at.replica);
  at.replica.handle = async (request) => {
    const id = request.query.get("deploymentId") ?? request.query.get("userId");
    const name = `${request.path.replace("/v1/", "")}/${id}`;
    if (request.method !== "POST" || id === undefined || at.object(name) === undefined) return handle(request);
    await at.change(name, (request.body ?? {}) as Values);
    return handle({ ...request, method: "GET", path: `/v1/${name}`, query: new Map() });
  };
}

const ada = { email: "ada@example.com", role: "user" };

describe("a service that overwrites what has the id", () => {
  test.each([
    ["Deployment", "a chosen id", fixed, { displayName: "Ours" }],
    ["User", "a chosen id", { ...ada, userId: "ada" }, { displayName: "Ours" }],
    ["User", "a natural key", ada, { displayName: "Ours" }],
  ])("keeps what another team has just made: a %s at %s", async (kind, _, inputs, more) => {
    overwriting();
    const { id } = await at.process({}, {}, "another").create(kind, "theirs", inputs);
    const before = at.object(id);
    await at.requests();
    const error = await rejection(at.process().create(kind, "it", { ...inputs, ...more }));
    expect(error.message).toContain(`${id} already exists, and nothing shows that this declaration created it`);
    expect(at.object(id)).toEqual(before);
    expect((await at.requests()).filter((each) => !each.startsWith("GET"))).toEqual([]);
  });

  test.each([dynamicHost, pluginHost])("keeps it, whoever serves the resource: $title", async (host) => {
    overwriting();
    const { id } = await at.process({}, {}, "another").create("User", "theirs", ada);
    const before = at.object(id);
    const it = new DeclaredResource({ ...at, host }, "User");
    await expect(it.up({ ...ada, displayName: "Ours" })).rejects.toThrow(`${id} already exists`);
    expect([it.state, at.object(id)]).toEqual([undefined, before]);
  });

  test("is asked again where its list shows what was deleted since", async () => {
    overwriting();
    const first = await at.process().create("Deployment", "it", fixed);
    const process = at.process();
    await process.diff("Deployment", "it", first.outputs, { ...fixed, preemptible: true });
    await process.create("Deployment", "other", { ...served, deploymentId: "other" });
    await process.check("Deployment", "it", { ...fixed, preemptible: true });
    await process.delete("Deployment", "it", first.outputs);
    const { id } = await process.create("Deployment", "it", { ...fixed, preemptible: true });
    expect(at.object(id)).toMatchObject({ preemptible: true });
  });
});

describe("the look before the first create of a collection", () => {
  const list = "GET /v1/accounts/acme/users";
  const createAll = (process: Process, names: readonly string[]) =>
    Promise.all(
      names.map((name) =>
        process.create("User", name, { email: `${name}@example.com`, role: "user", userId: `u-${name}` }),
      ),
    );
  const looks = async () => (await at.requests()).filter((each) => each === list);

  test("is one request, whether creates run at once or in turn", async () => {
    const process = at.process();
    await createAll(process, ["a", "b"]);
    await createAll(process, ["c"]);
    await createAll(process, ["d"]);
    expect(await looks()).toHaveLength(1);
  });

  test("is not sent for automatic ids", async () => {
    await at.process().create("Deployment", "it", served);
    const sent = await at.requests();
    const until = sent.findIndex((each) => each.startsWith("POST"));
    expect(sent.slice(0, until)).not.toContainEqual(expect.stringContaining("/deployments"));
  });

  test("is not sent where the service has no list", async () => {
    const operations = JSON.stringify({ listUsers: "off" });
    await createAll(at.process({ operations }), ["a"]);
    expect(await looks()).toEqual([]);
  });

  test.each([
    ["403", { kind: "status", status: 403 }],
    ["501", { kind: "status", status: 501 }],
    ["503", { kind: "status", status: 503 }],
    ["a cut connection", { kind: "reset" }],
  ])("stops no create where it ends with %s", async (_, fault) => {
    await at.fault({ match: { operation: "listUsers" }, fault, times: null });
    const begun = at.clock.now();
    await createAll(at.process(), ["a", "b"]);
    const sent = await at.requests();
    const until = sent.findIndex((each) => each.startsWith("POST"));
    expect(sent.slice(0, until).filter((each) => each === list).length).toBeLessThanOrEqual(1);
    for (const name of at.names("users") as string[])
      expect(Date.parse(String(at.object(name)?.["createTime"])) - begun).toBeLessThan(1000);
    expect(at.names("users")).toHaveLength(2);
  });

  test("stops none where only the list still shows what is gone", async () => {
    const { id } = await at.process({}, {}, "another").create("User", "theirs", { ...ada, userId: "u-ada" });
    const process = at.process();
    await createAll(process, ["first"]);
    await at.vanish(id);
    expect((await process.create("User", "it", { ...ada, userId: "u-ada" })).id).toBe(id);
  });
});

/** The looks before the create are refused: a page, the question by name, and the list that stands in for it. */
async function blind(): Promise<void> {
  const fault = { kind: "status", status: 403 };
  await at.fault({ match: { operation: "listDeployments" }, fault, times: 2 });
  await at.fault({ match: { operation: "getDeployment" }, fault, times: 1 });
}

test("an older object that is gone once it is looked for is no creation either", async () => {
  const id = await theirs();
  await at.clock.sleep(3_600_000);
  await blind();
  const handle = at.replica.handle.bind(at.replica);
  at.replica.handle = async (request) => {
    const reply = await handle(request);
    if (request.method === "POST") at.emulator.world.remove(id);
    return reply;
  };
  await refusal("existed-before", at.process().create("Deployment", "it", fixed));
});

test("an object that is hours older than the request is no creation", async () => {
  const id = await theirs();
  await at.clock.sleep(3_600_000);
  await blind();
  const process = at.process();
  const error = await refusal("already-exists", process.create("Deployment", "it", fixed));
  expect(error.message).toContain(`${id} already exists, and nothing shows that this declaration created it`);
  expect(process.messages.join()).toContain("may have changed it");
});

describe("an object that is seconds older than the request", () => {
  test("is met before, where the service is asked", async () => {
    await theirs();
    await at.clock.sleep(5_000);
    const error = await rejection(at.process().create("Deployment", "it", fixed));
    expect(error.message).toContain("already exists");
    expect((await at.requests()).filter((each) => each.startsWith("POST"))).toHaveLength(1);
  });

  test("is no creation where it shows what was not sent, whoever was asked before", async () => {
    await at.process({}, {}, "another").create("User", "other", { ...ada, email: "other@example.com" });
    const process = at.process();
    const inputs = { ...ada, userId: "u-ada" };
    await process.create("User", "first", { email: "f@example.com", role: "user", userId: "u-1" });
    await at.process({}, {}, "another").create("User", "theirs", { ...inputs, displayName: "Theirs" });
    await at.clock.sleep(5_000);
    overwriting();
    const error = await rejection(process.create("User", "it", inputs));
    expect(error.message).toContain("accounts/acme/users/u-ada already exists");
    expect(process.messages.join()).toContain("may have changed it");
  });
});

test("is asked about by its name once the list is old", async () => {
  overwriting();
  const process = at.process();
  await process.create("User", "first", { email: "f@example.com", role: "user", userId: "u-1" });
  const { id } = await at.process({}, {}, "another").create("User", "theirs", { ...ada, userId: "u-ada" });
  await at.clock.sleep(60_000);
  const inputs = { email: "x@example.com", role: "user", userId: "u-ada" };
  expect((await rejection(process.create("User", "it", inputs))).message).toContain(`${id} already exists`);
  expect(at.object(id)).toMatchObject({ email: "ada@example.com" });
});

test("is found by its name where the list has more than one page", async () => {
  const { id } = await at.process({}, {}, "another").create("User", "theirs", { ...ada, userId: "u-ada" });
  overwriting();
  const handle = at.replica.handle.bind(at.replica);
  at.replica.handle = async (request) => {
    const reply = await handle(request);
    const isFirstPage = request.method === "GET" && request.path.endsWith("/users") && !request.query.has("pageToken");
    return isFirstPage ? { ...reply, text: JSON.stringify({ users: [], nextPageToken: "more" }) } : reply;
  };
  const inputs = { email: "x@example.com", role: "user", userId: "u-ada" };
  const error = await rejection(at.process().create("User", "it", inputs));
  expect(error.message).toContain(`${id} already exists`);
  expect(at.object(id)).toMatchObject({ email: "ada@example.com" });
});

test.each([
  ["at an automatic id", served],
  ["at a chosen one", { ...served, deploymentId: "mine" }],
])("an old time makes no conflict %s, whatever earlier creates have shown", async (_, inputs) => {
  const journal = keptJournal();
  await at.process({}, { journal }).create("Deployment", "first", served);
  at.replica.form = (object) => ({ ...object, createTime: new Date(at.clock.now() - 7_200_000).toISOString() });
  const { outputs } = await at.process({}, { journal }).create("Deployment", "it", inputs);
  expect(outputs["adopted"]).toBeUndefined();
  expect(at.names("deployments")).toHaveLength(2);
});

describe("where the service answers no read by name", () => {
  test.each([403, 405])("the whole list shows what has the id, which is said once (%s)", async (status) => {
    const { id } = await at.process({}, {}, "another").create("User", "theirs", { ...ada, userId: "u-ada" });
    overwriting();
    const handle = at.replica.handle.bind(at.replica);
    at.replica.handle = async (request) => {
      const reply = await handle(request);
      if (request.method !== "GET" || !request.path.includes("/users")) return reply;
      if (!request.path.endsWith("/users")) return { ...reply, status, text: "{}" };
      return request.query.has("pageToken") ? handle({ ...request, query: new Map() }) : reply;
    };
    const lists = at.replica.handle;
    let pages = 0;
    at.replica.handle = async (request) => {
      const isFirst = request.method === "GET" && request.path.endsWith("/users") && !request.query.has("pageToken");
      if (!isFirst || pages++ > 0) return lists(request);
      return { ...(await lists(request)), text: JSON.stringify({ users: [], nextPageToken: "more" }) };
    };
    const process = at.process();
    const all = ["u-ada", "u-ada"].map((userId) => process.create("User", userId, { ...ada, email: "x@y.z", userId }));
    for (const result of await Promise.allSettled(all)) expect(String(result.status)).toBe("rejected");
    expect(at.object(id)).toMatchObject({ email: "ada@example.com" });
    expect(process.messages.filter((each) => each.includes("answers no read by name"))).toHaveLength(1);
  });
});

test("is adopted as the program says", async () => {
  const id = await theirs();
  await at.clock.sleep(3_600_000);
  const { outputs } = await at.process().create("Deployment", "it", { ...fixed, adopt: "ifEqual" });
  expect(outputs).toMatchObject({ name: id, adopted: true });
});

test("a service whose times are minutes behind its clock creates objects", async () => {
  at.replica.form = (object) => ({ ...object, createTime: new Date(at.clock.now() - 300_000).toISOString() });
  const { id } = await at.process().create("Deployment", "it", fixed);
  expect(at.names("deployments")).toEqual([id]);
});
