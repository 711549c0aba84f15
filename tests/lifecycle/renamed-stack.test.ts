import type { ModelPlatformError } from "../../provider/core/errors";
import type { Values } from "../../provider/lifecycle/types";
import { rejection } from "../rejection";
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

describe("an object that an interrupted create has begun, before its stack and its resource were renamed", () => {
  const { deploymentId: _, ...automatic } = chat;

  async function renamed(config: Record<string, string> = {}) {
    const { id } = await at.process({}, {}, "before").create("Deployment", "old", automatic);
    const process = at.process(config, {}, "after");
    process.aliases.set("new", ["old"]);
    return { id, process };
  }

  test("is asked about", async () => {
    const { id, process } = await renamed();
    const error = await rejection<ModelPlatformError>(process.create("Deployment", "new", automatic));
    expect(error).toMatchObject({ code: "begun-by-another-stack", about: { object: id } });
    expect(at.names("deployments")).toEqual([id]);
  });

  test("is taken by the word to take it", async () => {
    const { id, process } = await renamed({ recover: "take" });
    expect((await process.create("Deployment", "new", automatic)).id).toBe(id);
  });
});
