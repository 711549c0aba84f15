import { AlreadyReportedError } from "../errors";
import type { PropertyDiff } from "../events";
import type { PropertyMap } from "../state/types";
import { isProviderType, parseReference } from "../state/urns";
import { unknown } from "../values/values";
import { checkInputs, diffWithProvider, mustReplace, type Plan, replacingKeys } from "./comparison";
import { type Context, reportError } from "./context";
import { dependentsOf } from "./dependencies";
import { deleteReplacedStep, deleteStep, replacementSteps, type StateRef, type Step } from "./steps";

interface ReplacementOrder {
  /** Deletes the old object before the new one is created, and its dependents before that. */
  deleteFirst: boolean;
  diffs: PropertyDiff[];
}

/** The steps that replace the old object with a new one. */
export async function planReplacement(
  context: Context,
  plan: Plan & { old: StateRef },
  order: ReplacementOrder,
): Promise<Step[]> {
  const { urn, old, goal, provider } = plan;
  const { decisions, ledger } = context;
  assertNotProtected(context, plan);
  decisions.replaced.add(urn);
  // Defaults were computed against the old object's inputs, which do not matter for a new one.
  const anew = provider !== undefined && !mustReplace(context, urn, old);
  const inputs = anew ? await checkInputs(context, plan, {}, goal.properties) : plan.state.inputs;
  const state = inputs === undefined ? plan.state : { ...plan.state, inputs };
  if (!order.deleteFirst) return replacementSteps(old, state, order.diffs, "create first");
  const ahead = ledger.base.includes(old) ? await findCondemned(context, old) : [];
  const steps = ahead.map((ref) => condemn(context, ref, urn));
  if (old.state.pendingReplacement !== true) {
    decisions.deleted.add(old.state.urn);
    steps.push(deleteReplacedStep(old, { createLater: true }));
  }
  return [...steps, ...replacementSteps(old, state, order.diffs, "delete first")];
}

/**
 * Unprotecting and replacing in one go is fine; replacing what stays protected is not. A preview continues, to show
 * why.
 */
function assertNotProtected(context: Context, { urn, old, state }: Plan & { old: StateRef }): void {
  if (state.protect !== true || old.state.protect !== true) return;
  const message = `${urn} is protected and cannot be replaced. Remove \`protect\` from it in the program (or \`npx pulumi-modelplatform state unprotect\` it) first.`;
  reportError(context, message, urn);
  if (!context.preview) throw new AlreadyReportedError(message);
}

function condemn(context: Context, ref: StateRef, because: string): Step {
  const { decisions } = context;
  const { urn } = ref.state;
  if (ref.state.delete !== true && ref.state.protect === true) {
    const message = `${urn} is protected, and would have to be deleted for the replacement of ${because}. Remove \`protect\` from it first.`;
    reportError(context, message, because);
    throw new AlreadyReportedError(message);
  }
  decisions.deleted.add(urn);
  return ref.state.delete === true ? deleteStep(ref) : deleteReplacedStep(ref, { createLater: true });
}

/**
 * Resources to delete before `root`, dependents first: dependents that its replacement replaces, and resources with
 * `deletedWith` set to it. Resources that this run has processed no longer depend on it.
 */
async function findCondemned(context: Context, root: StateRef): Promise<StateRef[]> {
  const { ledger, decisions } = context;
  const replaced = new Set([root.state.urn]);
  const dependents: StateRef[] = [];
  for (const dependent of dependentsOf(root, ledger.base, (urn) => decisions.isSettled(urn))) {
    if (!(await isReplacedWith(context, dependent, replaced))) continue;
    replaced.add(dependent.state.urn);
    dependents.push(dependent);
  }
  const tied = ledger.base.filter(({ state }) => state.deletedWith === root.state.urn);
  const all = ledger.base.filter(
    (ref) => ref !== root && (dependents.includes(ref) || (tied.includes(ref) && ref.state.delete !== true)),
  );
  return all.filter(({ state }) => !decisions.isSettled(state.urn)).reverse();
}

/**
 * Whether replacing `replaced` replaces this resource too: diffs it with unknowns in the inputs that come from them.
 */
async function isReplacedWith(context: Context, { state }: StateRef, replaced: ReadonlySet<string>): Promise<boolean> {
  if (!state.custom || state.external === true || isProviderType(state.type)) return false;
  if (state.provider !== undefined && replaced.has(parseReference(state.provider).urn)) return true;
  if (state.deletedWith !== undefined && replaced.has(state.deletedWith)) return true;
  const { inputs = {}, outputs = {}, propertyDependencies = {} } = state;
  const lost = Object.keys(inputs).filter((key) => propertyDependencies[key]?.some((urn) => replaced.has(urn)));
  if (lost.length === 0) return false;
  const newInputs: PropertyMap = Object.fromEntries(
    Object.entries(inputs).map(([key, value]) => [key, lost.includes(key) ? unknown : value]),
  );
  const provider = context.providers.ensure(state.provider ?? "");
  const answer = await diffWithProvider(provider, {
    urn: state.urn,
    id: state.id ?? "",
    oldInputs: inputs,
    oldOutputs: outputs,
    newInputs,
    ignoreChanges: state.ignoreChanges ?? [],
    preview: true,
  });
  return replacingKeys(answer, state.replaceOnChanges ?? [], false).length > 0;
}
