import { refusal, rejection } from "../rejection";
import { createHarness, type Harness } from "./harness";

/** Creates that another change is in the way of, and refusals that say with another status that the id is taken. */

const served = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };
const ada = { email: "ada@example.com", role: "user" };
const creates = [
  ["Deployment at an automatic id", "createDeployment", "deployments", served],
  ["Deployment at a chosen id", "createDeployment", "deployments", { ...served, deploymentId: "chat" }],
  ["User", "createUser", "users", ada],
] as const;

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const answering = (operation: string, status: number, body: unknown, times: number | null): Promise<void> =>
  at.fault({ match: { operation }, fault: { kind: "status", status, body }, times });

const aborted = { code: 10, message: "another operation is in progress" };

test.each(creates)(
  "a %s is created once another change is out of the way",
  async (what, operation, collection, inputs) => {
    const before = at.names(collection).length;
    await answering(operation, 409, aborted, 4);
    const made = await at.process().create(what.split(" ")[0]!, "it", inputs);
    expect(made.outputs).not.toHaveProperty("adopted");
    expect(at.names(collection)).toHaveLength(before + 1);
  },
);

test("a create that waits in vain ends with its time; a later object is asked about", async () => {
  await answering("createDeployment", 409, aborted, null);
  const process = at.process();
  const fixed = { ...served, deploymentId: "chat" };
  const hurried = { ...fixed, timeouts: { create: "2m" } };
  expect((await rejection(process.create("Deployment", "it", hurried))).message).toContain("409 ABORTED");
  expect(at.clock.now()).toBeGreaterThan(Date.parse("2026-01-01T00:01:30Z"));
  await at.clearFaults();
  await at.elsewhere().create("Deployment", "theirs", fixed);
  const error = await refusal("refused-because-of", at.process().create("Deployment", "it", fixed));
  expect(error.message).toContain("was created while this create was under way and shows exactly what was sent");
});

const words = { message: "deployment chat already exists" };

describe.each([
  [400, { code: 6, message: "conflict" }],
  [400, words],
  [422, words],
])("a create that is answered %d %j", (status, body) => {
  const fixed = { ...served, deploymentId: "chat" };

  test("has made what stands there, where its first answer was lost", async () => {
    at.wire.push({ method: "POST", path: /./, at: "answer", code: "UND_ERR_SOCKET", skip: 0, times: 1, hits: 0 });
    // The first request is carried out; the emulator counts it.
    await at.fault({
      match: { operation: "createDeployment" },
      fault: { kind: "status", status, body },
      skip: 1,
      times: 1,
    });
    const made = await at.process().create("Deployment", "it", fixed);
    expect(made).toMatchObject({ id: "accounts/acme/deployments/chat" });
    expect(made.outputs).not.toHaveProperty("adopted");
  });

  test("is refused with the ways out, as after a 409", async () => {
    await at.elsewhere().create("Deployment", "theirs", fixed);
    await answering("createDeployment", status, body, null);
    const error = await rejection(at.process().create("Deployment", "it", fixed));
    expect(error.message).toContain("already exists, and nothing shows that this declaration created it");
  });

  test("goes to the next automatic id", async () => {
    const theirs = await at.elsewhere().create("Deployment", "it", served);
    await answering("createDeployment", status, body, 1);
    const { id } = await at.process({ recover: "new" }).create("Deployment", "it", served);
    expect(id).not.toBe(theirs.id);
  });
});

test("what else is wrong with a create is not taken for an id that is taken", async () => {
  await answering("createDeployment", 400, { code: 9, message: "a scaling job already exists" }, null);
  await at.elsewhere().create("User", "ada", ada);
  const error = await rejection(at.process().create("Deployment", "it", { ...served, deploymentId: "chat" }));
  expect(error.message).toContain("400 FAILED_PRECONDITION");
});
