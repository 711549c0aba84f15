import { OwnershipHistory } from "../../provider/lifecycle/memory/history";
import { refusal, rejection } from "../rejection";
import { createHarness, type Harness, keptJournal } from "./harness";

/** Requests whose answer was lost, requests that never left, and objects that show themselves late. */

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const ada = { email: "ada@example.com", role: "user" };
const chat = {
  baseModel: "accounts/platform/models/open-8b",
  deploymentShape: "default",
  deploymentId: "chat",
};
const cut = { path: /./, at: "request" as const, skip: 0, times: 1000, hits: 0 };

describe("an object that the first request made and that shows itself late", () => {
  test.each([1000, 10_000])("is the user's that the same run asks for again, %d ms after the first", async (ms) => {
    await at.fault({ match: { operation: "createUser" }, fault: { kind: "notYetVisible", reads: 1000, ms } });
    at.wire.push({ ...cut, method: "POST", at: "answer", code: "UND_ERR_SOCKET", times: 1 });
    const made = await at.process().create("User", "ada", ada);
    expect(made.outputs).not.toHaveProperty("adopted");
    expect(at.names("users").filter((name) => name === made.id)).toHaveLength(1);
  });

  test("belongs to the deployment of an interrupted run, though it appears late", async () => {
    const lost = await at.process().create("Deployment", "chat", chat);
    const notFound = { kind: "status", status: 404, body: { code: 5, message: "deployment not found" } };
    await at.fault({ match: { operation: "getDeployment" }, fault: notFound });
    await at.fault({
      match: { operation: "listDeployments" },
      fault: { kind: "status", status: 200, body: { deployments: [] } },
    });
    const found = await at.process().create("Deployment", "chat", { ...chat, maxReplicaCount: 3 });
    expect(at.object(found.id)).toMatchObject({ maxReplicaCount: 3 });
    expect(found.id).toBe(lost.id);
    expect(found.outputs).not.toHaveProperty("adopted");
  });
});

test("a lost create whose object cannot be looked up says so, and to run `up`", async () => {
  at.wire.push({ ...cut, method: "POST", at: "answer", code: "UND_ERR_SOCKET", times: 1 });
  await at.fault({
    match: { operation: "getUser" },
    fault: { kind: "status", status: 500, body: { code: 13, message: "oops" } },
    times: 99,
  });
  const error = await refusal("outcome-unknown", at.process().create("User", "ada", { ...ada, userId: "ada" }));
  expect(error.message).toMatch(
    /^createUser .*lost the connection .*, and looking for the object failed, too: getUser .*answered 500 .*"oops"/,
  );
  expect(error).toMatchObject({
    advice: "Run `pulumi up --stack test`, which looks first and takes over what this create has made.",
  });
  expect(error.message).not.toContain("give its operators the request id");
  await at.clearFaults();
  expect((await at.process().create("User", "ada", { ...ada, userId: "ada" })).outputs).not.toHaveProperty("adopted");
});

describe("a create that was never sent leaves no claim to what another team makes afterwards", () => {
  test.each([
    ["User", "users/ada", ada, { email: ada.email, role: "user" }],
    ["Deployment", "deployments/chat", chat, { baseModel: chat.baseModel, deploymentShape: "default" }],
  ])("a %s, after a refused connection", async (kind, name, inputs, theirs) => {
    at.wire.push({ ...cut, method: "POST", code: "ECONNREFUSED" });
    await rejection(at.process().create(kind, "it", inputs));
    await at.clearFaults();
    await at.clock.sleep(5000);
    await at.put(`accounts/acme/${name}`, theirs);
    const refused = await rejection(at.process().create(kind, "it", inputs));
    expect(refused.message).toContain("nothing shows that this declaration created it");
  });

  test("a User, after an interrupt before it left", async () => {
    const process = at.process();
    process.abort.abort(new Error("interrupted"));
    await rejection(process.create("User", "it", ada));
    await at.clock.sleep(5000);
    await at.put("accounts/acme/users/ada", ada);
    const refused = await rejection(at.process().create("User", "it", ada));
    expect(refused.message).toContain("nothing shows that this declaration created it");
  });

  test("a User, after an interrupt while the service has it wait", async () => {
    const wait = { kind: "status", status: 429, headers: { "retry-after": "60" } };
    await at.fault({ match: { operation: "createUser" }, fault: wait });
    const process = at.process();
    const creating = rejection(process.create("User", "it", ada));
    await at.clock.sleep(5000);
    process.abort.abort(new Error("interrupted"));
    await creating;
    await at.put("accounts/acme/users/ada", ada);
    const refused = await rejection(at.process().create("User", "it", ada));
    expect(refused.message).toContain("nothing shows that this declaration created it");
  });
});

test("a secret of another team is not taken for our own because an answer was lost", async () => {
  await at.put("accounts/acme/secrets/storage-key", { keyName: "STORAGE_KEY", value: "theirs" });
  await at.fault({ match: { operation: "createSecret" }, fault: { kind: "status", status: 500 }, times: null });
  await rejection(at.process().create("Secret", "key", { keyName: "STORAGE_KEY", value: "ours" }));
  await at.clearFaults();
  await at.requests();
  await rejection(at.process().create("Secret", "key", { keyName: "STORAGE_KEY", value: "ours" }));
  expect((await at.requests()).filter((request) => request.startsWith("PATCH"))).toEqual([]);
});

test("secrets are created where they cannot be listed, which is tried once for all", async () => {
  await at.fault({ match: { operation: "listSecrets" }, fault: { kind: "status", status: 403 }, times: null });
  const process = at.process();
  for (const key of ["A", "B", "C"]) await process.create("Secret", key, { keyName: `KEY_${key}`, value: "one" });
  expect(at.names("secrets")).toHaveLength(3);
  expect((await at.requests()).filter((request) => request === "GET /v1/accounts/acme/secrets")).toHaveLength(1);
});

describe("a create that does not become ready in time", () => {
  const late = { ...chat, timeouts: { create: "1s" }, onTimeout: "delete" };

  test("does not delete what another resource made and this one took over", async () => {
    const first = await at.process().create("Deployment", "old", chat);
    const process = at.process();
    await process.diff("Deployment", "old", first.outputs, chat);
    await at.change(first.id, { state: "UPDATING" });
    await rejection(at.process().create("Deployment", "new", { ...late, adopt: "overwrite" }));
    expect(at.names("deployments")).toEqual([first.id]);
  });

  test("does not delete what is protected", async () => {
    await rejection(at.process().create("Deployment", "chat", { ...late, deletionProtection: true }));
    expect(at.names("deployments")).toEqual(["accounts/acme/deployments/chat"]);
  });
});

test("a late create deletes no object that another team created in its place", async () => {
  const process = at.process();
  const late = rejection(
    process.create("Deployment", "chat", { ...chat, timeouts: { create: "60s" }, onTimeout: "delete" }),
  );
  await at.clock.sleep(20_000);
  const createTime = new Date(at.clock.now()).toISOString();
  const theirs = { baseModel: chat.baseModel, deploymentShape: "default", state: "CREATING", createTime };
  await at.put("accounts/acme/deployments/chat", theirs);
  const { message } = await late;
  expect(at.names("deployments")).toEqual(["accounts/acme/deployments/chat"]);
  expect(message).not.toContain("was deleted");
});

test("a leftover that is not visible yet is reported once it is", async () => {
  const { outputs } = await at.process().create("Deployment", "it", chat);
  await at.fault({
    match: { operation: "createDeployment" },
    fault: { kind: "notYetVisible", reads: 1000, ms: 20_000 },
  });
  const killed = at.process();
  const creating = rejection(killed.create("Deployment", "it", { ...chat, deploymentId: "search" }));
  await at.clock.sleep(500);
  killed.abort.abort(new Error("killed"));
  await creating;
  await at.process().read("Deployment", "it", outputs);
  await at.clock.sleep(600_000);
  const process = at.process();
  await process.read("Deployment", "it", outputs);
  expect(process.messages.join("\n")).toContain(
    "deployments/search was created for this declaration by an interrupted run",
  );
});

describe("what an interrupted create has made is still known", () => {
  const bot = { userId: "bot", email: "bot@example.com", role: "user" };

  test("where the program changes the natural key under the id that it has chosen", async () => {
    const lost = await at.process().create("User", "it", bot);
    const process = at.process();
    const found = await process.create("User", "it", { ...bot, email: "robot@example.com" });
    expect(found.id).toBe(lost.id);
    expect(found.outputs).not.toHaveProperty("adopted");
    expect(process.messages.filter((text) => text.startsWith("warning"))).toEqual([
      expect.stringMatching(/users\/bot was left by an interrupted run and is taken over/),
    ]);
    expect(at.object(lost.id)).toMatchObject({ email: "robot@example.com" });
  });

  test("once its declaration has adopted another object", async () => {
    const lost = await at.process().create("Deployment", "it", chat);
    const theirs = { baseModel: chat.baseModel, deploymentShape: "default", state: "READY" };
    await at.put("accounts/acme/deployments/theirs", theirs);
    await at.process().create("Deployment", "it", { ...chat, deploymentId: "theirs", adopt: "overwrite" });
    const found = await at.process().create("Deployment", "it", chat);
    expect(found.id).toBe(lost.id);
    expect(found.outputs).not.toHaveProperty("adopted");
  });
});

describe("a create that the service answers with 303, which says that its result is elsewhere", () => {
  /** `made`: it has carried it out. */
  function seeingOther(made: boolean): void {
    const handle = at.replica.handle.bind(at.replica);
    at.replica.handle = async (request) => {
      if (request.method !== "POST" || !/\/(users|deployments)$/.test(request.path)) return handle(request);
      const reply = made ? await handle(request) : { ...(await handle({ ...request, method: "GET" })) };
      return { ...reply, status: 303, headers: { ...reply.headers, location: `${request.path}/elsewhere` }, text: "" };
    };
  }
  const { deploymentId: _, ...automatic } = chat;

  test.each([
    ["a natural key", "User", "users", ada],
    ["a chosen id", "Deployment", "deployments", chat],
    ["an automatic id", "Deployment", "deployments", automatic],
  ])("is looked for, and is this resource's: at %s", async (_title, kind, collection, inputs) => {
    seeingOther(true);
    const made = await at.process().create(kind, "it", inputs);
    expect(made.outputs).not.toHaveProperty("adopted");
    expect(at.names(collection)).toEqual([made.id]);
  });

  test("stays open where nothing is found", async () => {
    seeingOther(false);
    const journal = keptJournal();
    await rejection(at.process({}, { journal }).create("Deployment", "it", chat));
    expect(new OwnershipHistory(journal.facts()).open()).toHaveLength(1);
  });
});
