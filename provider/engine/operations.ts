import type { PropertyMap, ResourceState } from "../state/types";
import { compare } from "./comparison";
import { describe, differences, inverted } from "./differences";
import { InitError, unsupported } from "./errors";
import type { Op, PropertyDiff } from "./events";
import type { Live, ResourceProvider } from "./provider";
import type { Step } from "./steps";
import { isProviderType } from "./urns";
import { markSecretOutputs, sameValue, unknown } from "./values";
import { tell, type World } from "./world";

/** What executing a step came to. */
export interface Applied {
  /** The new state; absent when there is none any more, or never was. */
  state?: ResourceState;
  /** The object exists, but the step counts as failed. */
  initError?: InitError;
  /** Of `refresh`: what happened to the object behind the engine's back. */
  found?: Op;
  diffs?: PropertyDiff[];
}

type Operation = (step: Step, world: World) => Promise<Applied>;

/** A protected resource is not deleted; others may still be. */
export class Protected extends Error {
  override readonly name = "Protected";
  constructor(urn: string) {
    super(`${urn} is protected and was not deleted. Remove \`protect\` from it in the program and run \`up\`, or \`pulumi state unprotect\` it, first.`);
  }
}

const goalOf = (step: Step): ResourceState => {
  if (step.made === undefined) throw new Error(`the step "${step.op}" of ${step.urn} has no goal`);
  return step.made.state;
};

const oldOf = (step: Step): ResourceState => {
  if (step.old === undefined) throw new Error(`the step "${step.op}" of ${step.urn} has no old state`);
  return step.old.state;
};

/** Who manages a custom resource. */
function managerOf(world: World, state: ResourceState): ResourceProvider {
  return isProviderType(state.type) ? world.providers : world.providers.ensure(state.provider ?? "");
}

/** Marks what must be secret: what the program says, and what an input of the same name is. */
function completed(state: ResourceState, outputs: PropertyMap | undefined): ResourceState {
  const { outputs: _none, ...rest } = state;
  if (outputs === undefined || Object.keys(outputs).length === 0) return rest;
  return { ...rest, outputs: markSecretOutputs(outputs, state.inputs ?? {}, state.additionalSecretOutputs ?? []) };
}

function fromLive(state: ResourceState, live: Live): Applied {
  const made = completed({ ...state, ...(live.id === "" ? {} : { id: live.id }) }, live.outputs);
  if (live.initErrors === undefined) return { state: made };
  return { state: { ...made, initErrors: [...live.initErrors] }, initError: new InitError(live.initErrors) };
}

const now = (world: World): string => world.clock().toISOString();

const same: Operation = async (step, world) => {
  const goal = goalOf(step);
  if (step.skipped === true) return {};
  const old = oldOf(step);
  const state = completed({ ...goal, ...(old.id === undefined ? {} : { id: old.id }) }, old.outputs);
  // Unchanged inputs that read differently: the instance keeps working with those it was made from.
  if (isProviderType(goal.type) && step.untargeted !== true) world.providers.adopt({ ...state, ...(old.inputs === undefined ? {} : { inputs: old.inputs }) });
  return { state };
};

const create: Operation = async (step, world) => {
  const goal = goalOf(step);
  const stamped = { ...goal, created: now(world), modified: now(world) };
  const applied = goal.custom
    ? fromLive(stamped, await managerOf(world, goal).create({ urn: step.urn, preview: world.preview, inputs: goal.inputs ?? {}, timeout: goal.customTimeouts?.create ?? 0 }))
    : { state: completed(stamped, undefined) };
  if (step.deleteLater === true && step.old) step.old.state = { ...step.old.state, delete: true };
  return applied;
};

const update: Operation = async (step, world) => {
  const goal = goalOf(step);
  const old = oldOf(step);
  if (!goal.custom) return { state: completed(goal, undefined) };
  const live = await managerOf(world, goal).update({
    urn: step.urn,
    preview: world.preview,
    id: old.id ?? "",
    oldInputs: old.inputs ?? {},
    oldOutputs: old.outputs ?? {},
    newInputs: goal.inputs ?? {},
    timeout: goal.customTimeouts?.update ?? 0,
    ignoreChanges: goal.ignoreChanges ?? [],
  });
  return fromLive({ ...goal, modified: now(world) }, live);
};

const remove: Operation = async (step, world) => {
  const old = oldOf(step);
  if (step.op === "delete" && old.protect === true) throw new Protected(step.urn);
  const spared = old.external === true || old.retainOnDelete === true || (old.deletedWith !== undefined && world.decisions.deleted.has(old.deletedWith));
  if (old.custom && !spared && !world.preview) {
    await managerOf(world, old).delete({
      urn: step.urn,
      preview: false,
      id: old.id ?? "",
      inputs: old.inputs ?? {},
      outputs: old.outputs ?? {},
      timeout: old.customTimeouts?.delete ?? 0,
    });
  }
  if (step.createLater === true && step.old) step.old.state = { ...step.old.state, pendingReplacement: true };
  return {};
};

const read: Operation = async (step, world) => {
  const goal = goalOf(step);
  const id = goal.id ?? "";
  if (step.replacing === true && step.old) step.old.state = { ...step.old.state, delete: true };
  if (id === unknown) return { state: goal };
  const inputs = goal.inputs ?? {};
  // There is no recorded state yet: providers have always been given the inputs in its place.
  const live = await managerOf(world, goal).read({ urn: step.urn, preview: world.preview, id, inputs, state: inputs });
  if (live === undefined) throw new Error(`there is no resource with the id "${id}"`);
  const old = step.old?.state;
  const applied = fromLive({ ...goal, ...(old?.created === undefined ? {} : { created: old.created }), ...(old?.modified === undefined ? {} : { modified: old.modified }) }, live);
  const changed = old !== undefined && !(sameValue(old.inputs ?? {}, applied.state?.inputs ?? {}) && sameValue(old.outputs ?? {}, applied.state?.outputs ?? {}));
  return changed && applied.state ? { ...applied, state: { ...applied.state, modified: now(world) } } : applied;
};

const refresh: Operation = async (step, world) => {
  const old = oldOf(step);
  if (!old.custom || isProviderType(old.type) || old.pendingReplacement === true) return { state: old, found: "same" };
  const { inputs: oldInputs = {}, outputs: oldOutputs = {}, id = "" } = old;
  const provider = managerOf(world, old);
  const live = await provider.read({ urn: step.urn, preview: world.preview, id, inputs: oldInputs, state: oldOutputs });
  if (live === undefined) return { found: "delete" };
  if (live.initErrors) tell(world, "warning", `the resource is there, but not healthy:\n${live.initErrors.map((reason) => `  * ${reason}`).join("\n")}`, step.urn);
  const inputs = live.inputs ?? oldInputs;
  const { initErrors: _former, ...rest } = old;
  const moved = !sameValue(inputs, oldInputs) || !sameValue(live.outputs, oldOutputs);
  const state = completed(
    { ...rest, id: live.id, inputs, ...(live.initErrors ? { initErrors: [...live.initErrors] } : {}), ...(moved ? { modified: now(world) } : {}) },
    live.outputs,
  );
  if (old.external === true) return { state, found: sameValue(live.outputs, oldOutputs) ? "same" : "update", diffs: describe(differences(oldOutputs, live.outputs)) };
  return { state, ...(await drift(step, world, provider, { old, live: state })) };
};

/** The change an `up` of the recorded inputs would make to the live object, told from the object's side. */
async function drift(step: Step, world: World, provider: ResourceProvider, { old, live }: { old: ResourceState; live: ResourceState }): Promise<Pick<Applied, "found" | "diffs">> {
  const { inputs: oldInputs = {}, outputs: oldOutputs = {}, ignoreChanges = [] } = old;
  const { inputs = {}, outputs = {} } = live;
  const answer = await compare(provider, { urn: step.urn, id: live.id ?? "", oldInputs: inputs, oldOutputs: outputs, newInputs: oldInputs, ignoreChanges, preview: world.preview });
  if (answer.changes !== "some") return { found: "same" };
  const found = answer.found ? inverted(answer.found) : differences(oldInputs, inputs);
  return { found: "update", diffs: describe(found.length > 0 ? found : differences(oldOutputs, outputs)) };
}

const nothing: Operation = async () => ({});

const operations: Record<Step["op"], Operation> = {
  same,
  create,
  "create-replacement": create,
  update,
  replace: nothing,
  delete: remove,
  "delete-replaced": remove,
  discard: remove,
  read,
  refresh,
  import: () => Promise.reject(unsupported("An import")),
  "remove-pending-replace": nothing,
};

/** Does what the step says; the provider may refuse. Nothing of it is recorded yet. */
export const apply = (step: Step, world: World): Promise<Applied> => operations[step.op](step, world);
