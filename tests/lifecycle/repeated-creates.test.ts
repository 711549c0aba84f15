import { rejection } from "../rejection";
import { createHarness, type Harness, type Process } from "./harness";

/** Creates whose requests fail again and again: they are repeated until their time is over, and say so. */

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const ada = { email: "ada@example.com", role: "user" };
const unavailable = { kind: "status", status: 503 };
const lost = { kind: "resetAfterCommit" };
const aborted = { kind: "status", status: 409, body: { code: 10, message: "another operation is in progress" } };

const struck = (operation: string, fault: unknown, times: number | null): Promise<void> =>
  at.fault({ match: { operation }, fault, times });

const told = ({ messages }: Process): string[] =>
  messages.filter((message) => message.startsWith("info") && message.includes("is not created yet"));

test.each([
  ["User", "createUser", "users", ada],
  ["Secret", "createSecret", "secrets", { keyName: "STORAGE_KEY", value: "hunter2" }],
] as const)("a %s outlasts more than three failures in a row", async (kind, operation, collection, inputs) => {
  const before = at.names(collection).length;
  await struck(operation, unavailable, 6);
  const made = await at.process().create(kind, "it", inputs);
  expect(made.outputs).not.toHaveProperty("adopted");
  expect(at.names(collection)).toHaveLength(before + 1);
});

test("each repetition looks first, and finds what a lost answer was about", async () => {
  const before = at.names("users").length;
  await struck("createUser", unavailable, 4);
  await at.fault({ match: { operation: "createUser" }, fault: lost, times: 1 });
  await at.process().create("User", "it", ada);
  expect(at.names("users")).toHaveLength(before + 1);
  const writes = (await at.requests()).filter((request) => request.startsWith("POST"));
  expect(writes).toHaveLength(5);
});

test("an object that reads show late is this create's, if its repetition is refused", async () => {
  const before = at.names("users").length;
  at.replica.lag = 10_000;
  await at.fault({ match: { operation: "createUser" }, fault: lost, times: 1 });
  const made = await at.process({ recover: "new" }).create("User", "it", ada);
  expect(made.outputs).not.toHaveProperty("adopted");
  expect(at.names("users")).toHaveLength(before + 1);
});

test("a create that fails to its end takes its time, and no longer", async () => {
  await struck("createUser", unavailable, null);
  const begun = at.clock.now();
  const error = await rejection(at.process().create("User", "it", ada));
  expect(error.message).toContain("503");
  // The time limit of users is two minutes, and the last pause at most 25 seconds.
  expect(at.clock.now() - begun).toBeGreaterThan(94_000);
  expect(at.clock.now() - begun).toBeLessThan(125_000);
});

describe("who waits is told what for, once", () => {
  test("where each answer is a failure", async () => {
    await struck("createUser", unavailable, null);
    const process = at.process();
    await rejection(process.create("User", "it", ada));
    expect(told(process)).toEqual([expect.stringMatching(/^info.*User is not created yet: .*503.*`timeouts\.create`/)]);
  });

  test("where another change is in the way for ever", async () => {
    await struck("createDeployment", aborted, null);
    const process = at.process();
    const served = { baseModel: "accounts/platform/models/open-8b", timeouts: { create: "2m" } };
    await rejection(process.create("Deployment", "it", served));
    expect(told(process)).toEqual([expect.stringMatching(/Deployment is not created yet: .*409 ABORTED/)]);
  });

  test("and not where it goes on soon", async () => {
    await struck("createUser", unavailable, 2);
    const process = at.process();
    await process.create("User", "it", ada);
    expect(told(process)).toEqual([]);
  });
});
