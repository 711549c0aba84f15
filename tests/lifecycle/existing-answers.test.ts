import { rejection } from "../rejection";
import { createHarness, type Harness, keptJournal } from "./harness";

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

test("an object that is hours older than the request is no creation", async () => {
  const id = await theirs();
  await at.clock.sleep(3_600_000);
  const process = at.process();
  const error = await rejection(process.create("Deployment", "it", fixed));
  expect(error.message).toContain(`${id} already exists and was not created by this declaration`);
  expect(process.messages.join()).toContain("may have changed it");
});

test("nor is one that is minutes older, once the service's clock is known to agree", async () => {
  await theirs();
  await at.clock.sleep(300_000);
  const journal = keptJournal();
  await at.process({}, { journal }).create("Deployment", "first", served);
  const error = await rejection(at.process({}, { journal }).create("Deployment", "it", fixed));
  expect(error.message).toContain("already exists");
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
