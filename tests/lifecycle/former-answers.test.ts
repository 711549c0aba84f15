import { isModelPlatformError, type ModelPlatformError } from "../../provider/core/errors";
import type { Values } from "../../provider/lifecycle/types";
import { everyNth } from "../nightly";
import { createHarness } from "./harness";

/**
 * Creates of a declaration whose former object the state has lost: each refusal names every answer with which the same
 * situation ends otherwise, and no other one.
 */

const served = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };
const ada = { email: "ada@example.com", role: "user", userId: "ada" };

interface Scene {
  kind: string;
  held: Values;
  /** What is declared now. */
  declared: Values;
  /** The same with another id or key. */
  elsewhere?: Values;
}

const other = { deploymentId: "other" };
const unlike = { baseModel: "accounts/platform/models/open-1b" };
const fixed = { ...served, deploymentId: "chat" };

const scenes: Readonly<Record<string, Scene>> = {
  "an automatic id": { kind: "Deployment", held: served, declared: served },
  "an automatic id, of what it cannot become": { kind: "Deployment", held: served, declared: { ...served, ...unlike } },
  "a chosen id": { kind: "Deployment", held: fixed, declared: fixed, elsewhere: { ...fixed, ...other } },
  "a chosen id, of what it cannot become": {
    kind: "Deployment",
    held: fixed,
    declared: { ...fixed, ...unlike },
    elsewhere: { ...fixed, ...unlike, ...other },
  },
  "another chosen id": { kind: "Deployment", held: fixed, declared: { ...fixed, ...other } },
  "a natural key": {
    kind: "User",
    held: ada,
    declared: ada,
    elsewhere: { ...ada, email: "grace@example.com", userId: "grace" },
  },
};

type Adopt = "never" | "ifEqual" | "overwrite";
type Recover = "ask" | "take" | "new";

interface Given {
  adopt: Adopt;
  recover: Recover;
  isElsewhere?: boolean;
}

/** The refusal, if it is one. */
async function refusal(scene: Scene, { adopt, recover, isElsewhere }: Given): Promise<ModelPlatformError | undefined> {
  const at = await createHarness();
  try {
    const { outputs } = await at.process().create(scene.kind, "it", scene.held);
    await at.process().diff(scene.kind, "it", outputs, scene.held);
    const another = await at.process().create("User", "other", { email: "other@example.com", role: "user" });
    const process = at.process({ recover });
    await process.read("User", "other", another.outputs);
    const inputs = isElsewhere ? scene.elsewhere! : scene.declared;
    await process.create(scene.kind, "it", adopt === "never" ? inputs : { ...inputs, adopt });
    return undefined;
  } catch (error) {
    if (!isModelPlatformError(error) || error.code === undefined) throw error;
    return error;
  } finally {
    await at.close();
  }
}

const adopts: readonly Adopt[] = ["never", "ifEqual", "overwrite"];

const situations = Object.entries(scenes).flatMap(([title, scene]) =>
  adopts.flatMap((adopt) => (["ask", "take"] as const).map((recover) => [title, adopt, recover, scene] as const)),
);

everyNth(6, 0, situations, (cases) => {
  test.each(cases)("%s, adopt %s, recover %s: a refusal names each answer that helps", async (...given) => {
    const [, adopt, recover, scene] = given;
    const error = await refusal(scene, { adopt, recover });
    if (!error) return;
    const { answers = {} } = error;
    const helps = async (answer: Partial<Given>): Promise<boolean> =>
      (await refusal(scene, { adopt, recover, ...answer })) === undefined;
    const takes = recover === "take" ? false : await helps({ recover: "take" });
    expect({
      take: answers.recover?.includes("take") === true,
      new: answers.recover?.includes("new") === true,
      adopt: answers.adopt !== undefined,
      otherId: answers.otherId === true,
    }).toEqual({
      take: takes,
      new: await helps({ recover: "new" }),
      adopt: adopt === "never" && (await helps({ adopt: "overwrite" })),
      // The error says to answer with `new` as well: the object would serve beside the other one.
      otherId: scene.elsewhere !== undefined && (await helps({ isElsewhere: true, recover: "new" })),
    });
    // Where `adopt` lets the create go on, it fails by what cannot change, whatever was before.
    if (error.code === "cannot-become") return;
    const says = (words: RegExp): boolean => words.test(error.message);
    expect(says(/(RECOVER=|recover )new /)).toBe(true);
    expect(says(/choose another id, and run/)).toBe(answers.otherId === true);
    expect(says(/To have it back, run \S*(RECOVER=|config set modelplatform:recover )take /)).toBe(takes);
    expect(says(/set `adopt: /)).toBe(answers.adopt !== undefined);
  });
});
