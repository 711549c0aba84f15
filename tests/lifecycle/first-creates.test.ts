import { FirstCreate } from "../../provider/lifecycle/memory/first-create";
import { rejection } from "../rejection";
import { createHarness, type Harness, type Process } from "./harness";

/** The first create of a kind and account goes alone until it is answered. */

let at: Harness;
afterEach(() => at.close());

const creates = async (): Promise<string[]> => (await at.requests()).filter((request) => request.startsWith("POST"));

const emails = ["ada", "bob", "cyd", "dan", "eve"];
const user = (process: Process, name: string) =>
  process.create("User", name, { email: `${name}@example.com`, role: "user" });

const secret = (process: Process) =>
  process.create("Secret", "token", { secretId: "token", keyName: "TOKEN", value: "hunter2" });

/** Nothing shows the names of an account but the objects in it. */
const unreadableAccount = { operations: '{"getAccount":"off"}' };

test("names of another account are refused before any create is sent", async () => {
  at = await createHarness({ wrongName: true });
  const process = at.process();
  const errors = await Promise.all([...emails.map((name) => user(process, name)), secret(process)].map(rejection));
  expect(await creates()).toEqual([]);
  for (const { message } of errors) expect(message).toMatch(/`acme-1`.*`modelplatform:accountId`/);
});

test("where the account cannot be read, they put one of many objects at stake", async () => {
  at = await createHarness({ wrongName: true });
  const process = at.process(unreadableAccount);
  const errors = await Promise.all([...emails.map((name) => user(process, name)), secret(process)].map(rejection));
  expect(await creates()).toHaveLength(1);
  const messages = errors.map(({ message }) => message);
  const sent = messages.filter((message) => /^create(User|Secret) \(POST/.test(message));
  const unsent = messages.filter((message) =>
    /(User|Secret) was not (created: the answer to another create|sent: another answer) cannot be used: create(User|Secret) \(POST/.test(
      message,
    ),
  );
  expect([sent.length, unsent.length]).toEqual([1, 5]);
  const unusable = errors.filter(({ message }) => unsent.includes(message));
  for (const error of unusable) expect(error).toMatchObject({ code: "unusable-answer" });
  for (const message of messages) expect(message).toMatch(/`acme-1`.*`modelplatform:accountId`/);
});

test("another process tries for itself", async () => {
  at = await createHarness({ wrongName: true });
  const unlisted = { operations: '{"getAccount":"off","listUsers":"off"}' };
  await rejection(user(at.process(unlisted), "ada"));
  await rejection(user(at.elsewhere(unlisted), "bob"));
  expect(await creates()).toEqual(["POST /v1/accounts/acme/users", "POST /v1/accounts/acme/users"]);
});

test("names of another account that a list shows are refused before a create is sent", async () => {
  at = await createHarness({ wrongName: true });
  await rejection(user(at.process(unreadableAccount), "ada"));
  await creates();
  const { message } = await rejection(user(at.elsewhere(unreadableAccount), "bob"));
  expect(message).toMatch(/`acme-1`.*`modelplatform:accountId`/);
  expect(await creates()).toEqual([]);
});

describe("a response to a read that cannot be used", () => {
  const deployment = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };
  const preflight = { operations: '{"getAccount":"off","listDeployments":"off"}' };

  /** How the service answers reads of what other accounts have. */
  function answering(form: (reply: { text: string }) => string): void {
    const handle = at.replica.handle.bind(at.replica);
    at.replica.handle = async (request) => {
      const reply = await handle(request);
      const isOthers = request.method === "GET" && request.path.includes("accounts/platform/");
      return isOthers && reply.status === 200 ? { ...reply, text: form(reply) } : reply;
    };
  }

  test.each([
    ["names objects otherwise", ({ text }: { text: string }) => text.replaceAll('"accounts/', '"v1/accounts/')],
    ["is a page of a gateway", () => "<!DOCTYPE html><html>Sign in</html>"],
    ["is no object", () => "[]"],
  ])("stops the first create, whatever account it is of: it %s", async (_, form) => {
    at = await createHarness();
    answering(form);
    const process = at.process(preflight);
    const { message } = await rejection(process.create("Deployment", "it", deployment));
    expect(message).toContain("createDeployment was not sent: another answer cannot be used");
    expect(await creates()).toEqual([]);
  });

  test("stops none once the account's own names have been seen", async () => {
    at = await createHarness();
    answering(() => "[]");
    await at.process().create("Deployment", "it", deployment);
    expect(at.names("deployments")).toHaveLength(1);
  });
});

test("one that the service refuses leaves the others to be created", async () => {
  at = await createHarness();
  const refused = { kind: "status", status: 400, body: { code: 3, message: "no" } };
  await at.fault({ match: { operation: "createUser" }, fault: refused, times: 1 });
  const process = at.process();
  const ends = await Promise.allSettled(emails.map((name) => user(process, name)));
  expect(ends.filter(({ status }) => status === "rejected")).toHaveLength(1);
  expect(at.names("users")).toHaveLength(4);
});

test("creates go at once as soon as one was accepted, and one by one before", async () => {
  at = await createHarness();
  const first = new FirstCreate("User");
  const begun: string[] = [];
  const ends = new Map<string, { resolve(): void; reject(error: Error): void }>();
  const create = (name: string): Promise<void> =>
    first.during(() => {
      begun.push(name);
      return new Promise<void>((resolve, reject) => ends.set(name, { resolve, reject }));
    });
  const all = Promise.allSettled(["a", "b", "c", "d"].map(create));
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  await settle();
  expect(begun).toEqual(["a"]);
  ends.get("a")!.reject(new Error("refused"));
  await settle();
  expect(begun).toEqual(["a", "b"]);
  ends.get("b")!.resolve();
  await settle();
  expect(begun).toEqual(["a", "b", "c", "d"]);
  for (const name of ["c", "d"]) ends.get(name)!.resolve();
  expect((await all).map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled", "fulfilled"]);
});

test("a chosen id that does not count is a warning, once, that names the setting", async () => {
  at = await createHarness({ ignoreId: true });
  const process = at.process();
  for (const name of ["ada", "bob"])
    await process.create("User", name, { userId: `team-${name}`, email: `${name}@example.com`, role: "user" });
  const warnings = process.messages.filter((message) => message.startsWith("warning"));
  expect(warnings).toEqual([
    expect.stringMatching(
      /users\/team-ada was created as .*users\/ada:.*\(A011\).*`createUser`.*`idParam`.*`modelplatform:operations`/,
    ),
  ]);
});

test("an automatic id that does not count is nobody's surprise", async () => {
  at = await createHarness({ ignoreId: true });
  const process = at.process();
  await user(process, "ada");
  expect(process.messages.filter((message) => message.startsWith("warning"))).toEqual([]);
});
