import type { ModelPlatformError } from "../../provider/core/errors";
import type { Values } from "../../provider/lifecycle/types";
import { rejection } from "../rejection";
import { createHarness, type Harness } from "./harness";

/**
 * An update that meets another object under the recorded name: each answer of its error ends otherwise, and those that
 * it does not name end as before.
 */

const served = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };
const ada = { email: "ada@example.com", role: "user" };

const places = [
  ["an automatic id", "Deployment", served, undefined],
  ["a chosen id", "Deployment", { ...served, deploymentId: "chat" }, { deploymentId: "other" }],
  ["a natural key", "User", ada, undefined],
] as const;

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

describe.each(places)("another object at %s", (_, kind, inputs: Values, elsewhere) => {
  const changed = { ...inputs, displayName: "Changed" };

  async function refused(): Promise<{ id: string; outputs: Values; error: ModelPlatformError }> {
    const { id, outputs } = await at.process().create(kind, "it", inputs);
    await at.process().diff(kind, "it", outputs, inputs);
    await at.put(id, { ...at.object(id), displayName: "Theirs", createTime: "2026-01-02T00:00:00Z" });
    return { id, outputs, error: await rejection(at.process().update(kind, "it", outputs, changed)) };
  }

  test("is refused with the answers that end otherwise", async () => {
    const { id, error } = await refused();
    expect(error).toMatchObject({ code: "replaced-by-another", about: { object: id } });
    expect(error.answers.recover).toEqual(kind === "Deployment" && !elsewhere ? ["new"] : undefined);
    expect(error.answers.otherId).toBe(elsewhere && true);
  });

  test("becomes the recorded one by the token", async () => {
    const { id, outputs, error } = await refused();
    const { acceptDrift } = error.answers;
    await at.process().update(kind, "it", outputs, { ...changed, acceptDrift });
    expect(at.object(id)).toMatchObject({ displayName: "Changed" });
  });

  test("stays as it is for every word of `recover` and `adopt`", async () => {
    const { id, outputs } = await refused();
    for (const recover of ["take", "new"])
      for (const adopt of ["ifEqual", "overwrite"])
        await rejection(at.process({ recover }).update(kind, "it", outputs, { ...changed, adopt }));
    expect(at.object(id)).toMatchObject({ displayName: "Theirs" });
  });

  test("stays beside another one, as the error says", async () => {
    const { id, outputs, error } = await refused();
    if (!error.answers.recover && !error.answers.otherId) return;
    const process = at.process(error.answers.recover ? { recover: "new" } : {});
    const next = { ...inputs, ...elsewhere };
    await process.diff(kind, "it", outputs, next);
    await process.check(kind, "it", next);
    const made = await process.create(kind, "it", next);
    await process.delete(kind, "it", outputs);
    expect(made.id).not.toBe(id);
    expect(at.object(id)).toMatchObject({ displayName: "Theirs", state: "READY" });
  });
});
