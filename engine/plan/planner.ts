import { sourceLineOf } from "../../io/text/source-line";
import type { DeclaredUrn, RecordedUrn } from "../../io/text/urns";
import { AlreadyReportedError, InvalidInputs, messageOf, StoppedError } from "../errors";
import type { PropertyDiff } from "../events";
import type { ResourceProvider } from "../providers/providers";
import {
  formatUrn,
  isProviderType,
  type PropertyMap,
  parseReference,
  qualifiedTypeOf,
  type ResourceState,
} from "../state/resource-state";
import { unknown } from "../values/values";
import {
  type CheckedDiff,
  checkAndDiff,
  checkInputs,
  diffWithProvider,
  inputDiffs,
  mustReplace,
  type Plan,
  replacingKeys,
} from "./comparison";
import { type Context, report, reportError } from "./context";
import { dependenciesOf, dependentsOf } from "./dependencies";
import { formerUrns, type Goal, type ReadGoal, stateOf, stateOfRead } from "./goal";
import {
  createStep,
  deleteReplacedStep,
  deleteStep,
  readStep,
  replacementSteps,
  type StateRef,
  type Step,
  sameStep,
  skippedStep,
  updateStep,
} from "./steps";
import { requirePlanned, Unplanned } from "./unplanned";

type Declaration = Pick<Goal, "parent" | "type" | "name" | "sourcePosition">;

export class Planner {
  constructor(
    private readonly context: Context,
    /** Reads the live object; undefined if it is deleted. */
    private readonly readLive: (old: StateRef) => Promise<StateRef | undefined>,
  ) {}

  async plan(goal: Goal): Promise<Step[]> {
    const urn = this.declare(goal);
    const { old: recorded, alias } = this.findOld(goal, urn);
    const isIncluded = this.context.scope.includes(stateOf(goal, urn, recorded?.state, alias));
    const old = isIncluded && recorded ? await this.readObserved(recorded) : recorded;
    const state = stateOf(goal, urn, old?.state, alias);
    const settled = withoutUpdate(this.context, { goal, urn, old, state });
    if (settled) return settled;
    if (!isIncluded) return this.planExcluded(urn, old, state);
    if (this.context.purpose === "update") requirePlanned(this.context, state, old);
    const plan: Plan = { goal, urn, old, state, provider: this.providerOf(goal) };
    try {
      const steps = await this.resolve(plan);
      if (this.context.purpose === "update") this.assertNotSkipped(state);
      return steps;
    } catch (error) {
      throw this.failureOf(plan, error);
    }
  }

  /** A preview continues without the resource. An update does so after a failed check, to complete the list of them. */
  private failureOf({ urn, state, old }: Plan, error: unknown): Error {
    const { preview, isEnding } = this.context;
    if (!(error instanceof AlreadyReportedError) && isEnding()) return new StoppedError();
    const failure = error instanceof AlreadyReportedError ? error : this.reportedError(messageOf(error), urn);
    return preview || error instanceof InvalidInputs ? new Unplanned(state, old, "failed") : failure;
  }

  urnOf({ parent, type, name }: Declaration): DeclaredUrn {
    const { stack, project } = this.context;
    return formatUrn({ stack, project, parentType: qualifiedTypeOf(parent), type, name });
  }

  /**
   * The recorded state, refreshed from the live object if the operation reads what the program declares, or if an
   * earlier run may have changed the object without recording that.
   */
  private readObserved(recorded: StateRef): Promise<StateRef | undefined> | StateRef {
    const { custom, type, urn } = recorded.state;
    const { refreshesDeclared, ledger, purpose } = this.context;
    const mustRead = refreshesDeclared || (purpose === "update" && ledger.isUncertain(urn));
    return mustRead && custom && !isProviderType(type) ? this.readLive(recorded) : recorded;
  }

  /** A target cannot be created while it depends on a missing resource that is not a target. */
  private assertNotSkipped(state: ResourceState): void {
    const { skipped } = this.context.decisions;
    for (const { urn } of dependenciesOf(state).filter((each) => skipped.has(each.urn))) {
      const message = `${state.urn} depends on ${urn}, which does not exist yet and is not part of this operation: include it.`;
      reportError(this.context, message, state.urn);
      if (!this.context.preview) throw new AlreadyReportedError(message);
      skipped.delete(urn);
    }
  }

  private async resolve(plan: Plan): Promise<Step[]> {
    const { deleted } = this.context.decisions;
    for (;;) {
      // While the provider responds, another replacement may delete this resource first: then it must be replaced.
      const recreating = deleted.has(plan.urn);
      const facts = await checkAndDiff(this.context, plan, recreating);
      if (deleted.has(plan.urn) === recreating)
        return this.decide({ ...plan, state: { ...plan.state, inputs: facts.inputs } }, facts, recreating);
    }
  }

  planRead(goal: ReadGoal): Step[] {
    const { decisions, ledger } = this.context;
    const urn = this.declare(goal);
    const old = ledger.old(urn);
    const state = stateOfRead(goal, urn);
    if (old !== undefined && old.state.external !== true && old.state.id !== goal.id) {
      decisions.replaced.add(urn);
      const read = readStep(old, state, { replacing: true });
      return [read, { op: "replace", urn, old, next: read.next, diffs: [] }];
    }
    decisions.read.add(urn);
    return [readStep(old, state)];
  }

  /** Assigns the URN, which must be unique in this run. */
  private declare(declaration: Declaration): string {
    const { parent, name, sourcePosition } = declaration;
    const { declared, sourceLines } = this.context.decisions;
    if (parent !== undefined && !declared.has(parent))
      throw new Error(`the parent ${parent} of "${name}" is not a resource of this program`);
    const urn = this.urnOf(declaration);
    const line = sourceLineOf(sourcePosition);
    if (declared.has(urn)) {
      const first = sourceLines.get(urn);
      const places = line === undefined || first === undefined ? "" : `, at ${first} and at ${line}`;
      throw this.reportedError(`The program declares ${urn} twice${places}: give one of the two another name.`, urn);
    }
    declared.add(urn);
    if (line !== undefined) sourceLines.set(urn, line);
    return urn;
  }

  private reportedError(message: string, urn: string): AlreadyReportedError {
    reportError(this.context, message, urn);
    return new AlreadyReportedError(message);
  }

  private findOld(goal: Goal, urn: DeclaredUrn): { old?: StateRef; alias?: RecordedUrn } {
    const { decisions, ledger, stack, project } = this.context;
    const unchanged: RecordedUrn = urn as string;
    const claimant = decisions.newUrn(unchanged);
    if (claimant !== undefined)
      throw this.reportedError(
        `${claimant} has the alias ${urn}, which the program declares too: remove one of them.`,
        urn,
      );
    const former = formerUrns(goal, { stack, project, formerUrn: (each) => decisions.formerUrn(each) });
    const known = [unchanged, ...former].find((each) => ledger.old(each) !== undefined);
    const old = known === undefined ? undefined : ledger.old(known);
    if (known === undefined || old === undefined) return {};
    if (known === unchanged) return { old };
    const other = decisions.declared.has(known) ? known : decisions.newUrn(known);
    const rival = other === known ? "the program declares too" : `${other} has as well`;
    if (other !== undefined)
      throw this.reportedError(`${urn} has the alias ${known}, which ${rival}: remove one of them.`, urn);
    decisions.rename(known, urn);
    return { old, alias: known };
  }

  /** Excluded: the resource is unchanged, or not created. */
  private planExcluded(urn: DeclaredUrn, old: StateRef | undefined, state: ResourceState): Step[] {
    const { decisions } = this.context;
    decisions.same.add(urn);
    if (old === undefined) {
      decisions.skipped.add(urn);
      return [skippedStep(state)];
    }
    decisions.same.add(old.state.urn);
    decisions.declared.add(old.state.urn);
    return [sameStep(old, old.state, { untargeted: true })];
  }

  private providerOf(goal: Goal): ResourceProvider | undefined {
    const { providers } = this.context;
    if (!goal.custom) return undefined;
    if (isProviderType(goal.type)) return providers;
    return providers.ensure(goal.provider ?? "");
  }

  /** Marks the decision before it waits for anything: other plans build on the mark. */
  private async decide(plan: Plan, { result }: CheckedDiff, recreating: boolean): Promise<Step[]> {
    const { urn, old, state, goal } = plan;
    const { decisions } = this.context;
    if (old === undefined) {
      decisions.created.add(urn);
      return [createStep(state)];
    }
    const diffs = (replacing: string[]) => inputDiffs(old.state, state.inputs ?? {}, replacing);
    if (recreating) {
      decisions.deleted.delete(urn);
      decisions.replaced.add(urn);
      return replacementSteps(old, state, diffs([]), "delete first");
    }
    if (old.state.external === true) {
      decisions.created.add(urn);
      return replacementSteps(old, state, [], "create first");
    }
    if (result.unavailable !== undefined) report(this.context, "warning", result.unavailable, urn);
    const hasInitErrors = (old.state.initErrors ?? []).length > 0;
    const replacing = replacingKeys(result, goal.replaceOnChanges, hasInitErrors);
    if (replacing.length > 0 || old.state.pendingReplacement === true) {
      // Two objects cannot have one name.
      const isNamedAgain = plan.provider !== undefined && this.context.namingOf(urn)?.isFixed === true;
      const deleteFirst = isNamedAgain || (goal.deleteBeforeReplace ?? result.deleteBeforeReplace);
      return planReplacement(this.context, { ...plan, old }, { deleteFirst, diffs: diffs(replacing) });
    }
    if (result.changes === "some" || hasInitErrors) {
      decisions.updated.add(urn);
      return [updateStep(old, state, diffs([]))];
    }
    decisions.same.add(urn);
    return [sameStep(old, state)];
  }
}

interface ReplacementOrder {
  /** Deletes the old object before the new one is created, and its dependents before that. */
  deleteFirst: boolean;
  diffs: PropertyDiff[];
}

/** The steps that replace the old object with a new one. */
async function planReplacement(
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
  const result = await diffWithProvider(provider, {
    urn: state.urn,
    id: state.id ?? "",
    oldInputs: inputs,
    oldOutputs: outputs,
    newInputs,
    ignoreChanges: state.ignoreChanges ?? [],
    preview: true,
  });
  return replacingKeys(result, state.replaceOnChanges ?? [], false).length > 0;
}

/**
 * Steps for a declaration when the program runs for a refresh or a destruction: providers are configured and components
 * created as usual; objects are neither checked nor changed. Undefined if the provider must decide.
 */
function withoutUpdate(context: Context, { goal, urn, old, state }: Omit<Plan, "provider">): Step[] | undefined {
  const { purpose, decisions } = context;
  if (purpose === "update") return undefined;
  const needsSkipped = dependenciesOf(state).some((each) => decisions.skipped.has(each.urn));
  const isObject = goal.custom && !isProviderType(goal.type);
  if (!needsSkipped && !isObject) return undefined;
  if (old === undefined || (needsSkipped && purpose === "destroy")) {
    decisions.skipped.add(urn);
    return [skippedStep(old === undefined ? state : withOutputs(state, old.state))];
  }
  decisions.same.add(urn);
  // Its refresh has reported it.
  if (purpose === "refresh") return [sameStep(old, old.state, { untargeted: true, quiet: true })];
  return [sameStep(old, { ...state, inputs: old.state.inputs })];
}

const withOutputs = (state: ResourceState, { outputs }: ResourceState): ResourceState =>
  outputs === undefined ? state : { ...state, outputs };
