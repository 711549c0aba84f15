import type { Values } from "../../provider/lifecycle/types";
import { createHarness, type Harness, processOn } from "./harness";

/**
 * A stack that was renamed, `before` to `after`. An engine asks for deletes under the URN that outputs were recorded
 * with, which keeps the former name until the record is written again.
 */

const chat = {
  baseModel: "accounts/platform/models/open-8b",
  deploymentShape: "default",
  deploymentId: "chat",
  deletionMode: "hard",
};

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const made = async (): Promise<Values> =>
  (await at.process({}, {}, "before").create("Deployment", "chat", chat)).outputs;

test("is emptied by a destroy after a run that has changed nothing", async () => {
  const outputs = await made();
  await at.process({}, {}, "after").diff("Deployment", "chat", outputs, chat);
  await at.process({}, {}, "before").delete("Deployment", "chat", outputs);
  expect(at.names("deployments")).toEqual([]);
});

test("keeps the object that its program continues with", async () => {
  const outputs = await made();
  const run = at.process({}, {}, "after");
  await run.diff("Deployment", "chat", outputs, chat);
  await processOn(run.world, "before").delete("Deployment", "chat", outputs);
  expect(at.names("deployments")).toEqual([outputs["name"]]);
});

test("replaces a tainted object at the same id, which is deleted first", async () => {
  const outputs = await made();
  const run = at.process({}, {}, "after");
  await run.check("Deployment", "chat", chat);
  await processOn(run.world, "before").delete("Deployment", "chat", outputs);
  expect(at.names("deployments")).toEqual([]);
  const { id } = await run.create("Deployment", "chat", chat);
  expect(at.names("deployments")).toEqual([id]);
});
