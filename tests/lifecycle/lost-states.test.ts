import type { ModelPlatformError } from "../../provider/core/errors";
import { refusal, rejection } from "../rejection";
import { engineState, urnIn } from "./engine-state";
import { createHarness, type Harness, type Machine } from "./harness";
import { up } from "./worlds/told";

/** What a create does where the engine answers about its state, which tells a lost object from a forced replacement. */

const served = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };
const fixed = { ...served, deploymentId: "chat" };
const ada = { email: "ada@example.com", role: "user" };

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

/** An object that a state has held. */
async function held(inputs = served) {
  const made = await at.process().create("Deployment", "it", inputs);
  await at.process().diff("Deployment", "it", made.outputs, inputs);
  return made;
}

const withState = (state = engineState(), config = {}) => at.process(config, { state });

describe("an object that this declaration had last", () => {
  test("is asked about where the state lacks it, without a refresh", async () => {
    const { id } = await held();
    const error = await rejection(withState().create("Deployment", "it", served));
    expect(error.message).toMatch(new RegExp(`${id}, created at .*was this resource before`));
    expect(at.names("deployments")).toEqual([id]);
  });

  test("is replaced without a word where the state has it", async () => {
    const { id, outputs } = await held();
    const process = withState(engineState([{ id, outputs }]));
    const created = await process.create("Deployment", "it", served);
    expect(created.id).not.toBe(id);
    expect(process.messages.join()).not.toMatch(/warning|info/);
  });

  test("is asked about where the state has its name at another service alone", async () => {
    const { id, outputs } = await held();
    const elsewhere = { ...outputs, endpoint: "https://elsewhere.example.com" };
    const error = await refusal(
      "lost-by-state",
      withState(engineState([{ id, outputs: elsewhere }])).create("Deployment", "it", served),
    );
    expect(error.message).toContain(id);
  });

  test("is left by the word for a new one, with a warning that names both", async () => {
    const { id } = await held();
    const process = withState(engineState(), { recover: "new" });
    const created = await process.create("Deployment", "it", served);
    const warnings = process.messages.filter((message) => message.startsWith("warning"));
    expect(warnings).toEqual([expect.stringContaining(id.split("/").at(-1)!)]);
    expect(warnings[0]).toContain(created.id.split("/").at(-1));
    expect(warnings[0]).not.toContain("up --refresh");
  });

  test("is not replaced at its id by the word for a new one, and is to be imported", async () => {
    const { id } = await held(fixed);
    const work = withState(engineState(), { recover: "new" }).create("Deployment", "it", fixed);
    const error = await refusal<ModelPlatformError>("already-created", work);
    expect(error.advice).toMatch(
      /^The state has lost it. To have it back, import it with `.*; or choose another id\.$/,
    );
    expect(error.answers).not.toHaveProperty("deleteBeforeReplace");
    expect(at.names("deployments")).toEqual([id]);
  });

  test("is refused by the word to take it where it cannot become what is declared", async () => {
    const { id } = await held();
    const error = await rejection(withState(engineState(), { recover: "take" }).create("Deployment", "it", fixed));
    expect(error.message).toContain(`${id} cannot be taken`);
    expect(at.names("deployments")).toEqual([id]);
  });

  test("is named by a warning, beside the new one, where the engine cannot be asked", async () => {
    const { id } = await held();
    const process = at.process();
    const created = await process.create("Deployment", "it", served);
    const [warning] = process.messages.filter((message) => message.startsWith("warning"));
    for (const part of [id, created.id].map((name) => name.split("/").at(-1)!)) expect(warning).toContain(part);
    expect(warning).toMatch(/state delete urn:.*call deleteDeployment.*MODELPLATFORM_RECOVER=take/);
    expect(process.messages.filter((message) => message.startsWith("info"))).toEqual([]);
  });
});

describe("a create that an earlier run began, of which the state alone knows", () => {
  /** A process on another machine, whose state has the create pending since then. */
  function later(kind: string, since: number, config = {}, machine: Machine = {}) {
    const state = engineState();
    state.creating.set(urnIn(kind), since);
    return at.elsewhere(config, undefined, { state, ...machine });
  }

  test.each([
    ["a chosen id", "Deployment", "deployments", fixed],
    ["a natural key", "User", "users", ada],
  ] as const)("is asked about at %s, and taken by the word to take it", async (_, kind, collection, inputs) => {
    const since = at.clock.now();
    const { id } = await at.process().create(kind, "it", inputs);
    const { error, said } = await up(later(kind, since), kind, "it", inputs);
    expect(error?.message).toContain(`${id} exists. An interrupted run of this stack began to create it`);
    expect(said).toContain("`MODELPLATFORM_RECOVER=take pulumi up --stack");
    const taken = await later(kind, since, { recover: "take" }).create(kind, "it", inputs);
    expect(taken.outputs).not.toHaveProperty("adopted");
    expect(at.names(collection)).toEqual([id]);
  });

  test("is asked about where the state has no time of it", async () => {
    await at.process().create("Deployment", "it", fixed);
    const error = await refusal("begun-by-state", later("Deployment", Number.NaN).create("Deployment", "it", fixed));
    expect(error.message).toContain("An interrupted run of this stack began to create it");
  });

  test("is taken over where the object carries this resource's marks", async () => {
    const marks = { ownershipMarker: "true" };
    const since = at.clock.now();
    const { id } = await at.process(marks).create("Deployment", "it", fixed);
    const taken = await later("Deployment", since, marks).create("Deployment", "it", fixed);
    expect(taken.id).toBe(id);
  });

  test.each([
    ["older", -3_600_000],
    ["younger than its deadline allows", 24 * 3_600_000],
  ])("is not the object of another team that is %s", async (_, ms) => {
    await at.process({}, {}, "another").create("Deployment", "it", fixed);
    const error = await rejection(later("Deployment", at.clock.now() - ms).create("Deployment", "it", fixed));
    expect(error.message).toContain("already exists, and nothing shows that this declaration created it");
  });

  test("is found by a service whose clock is hours ahead of this machine's", async () => {
    const behind = -5 * 3_600_000;
    const since = at.clock.now() + behind;
    await at.process().create("Deployment", "it", fixed);
    const process = later("Deployment", since, {}, { ahead: behind });
    const error = await rejection(process.create("Deployment", "it", fixed));
    expect(error.message).toContain("An interrupted run of this stack began to create it");
    expect(process.messages.join()).toMatch(/warning: .*clock is 5 hours ahead/);
  });
});

test("a read that does not see the object tells the engine so", async () => {
  const made = await at.process().create("Deployment", "it", served);
  const state = engineState([made]);
  state.updating.add(urnIn("Deployment"));
  at.emulator.world.remove(made.id);
  const process = withState(state);
  await process.read("Deployment", "it", made.outputs);
  expect(process.messages.join()).toContain("is not visible");
  expect(state.unseen).toEqual([urnIn("Deployment")]);
});
