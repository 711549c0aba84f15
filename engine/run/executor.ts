import { isDeepStrictEqual } from "node:util";
import { OutcomeUnknownError, ProviderFailure } from "../../protocol/provider-calls";
import { AlreadyReportedError, InitError, messageOf, StoppedError } from "../errors";
import type { ChangeSummary, Op, OperationKind, Outcomes } from "../events";
import { type Context, reportError } from "../plan/context";
import { dependenciesOf } from "../plan/dependencies";
import { isInternal, isOfProvider, pendingTypes, replacedBy, type StateRef, type Step, summarize } from "../plan/steps";
import type { Unplanned } from "../plan/unplanned";
import { isProviderType } from "../state/resource-state";
import {
  create,
  importStepHandler,
  keepUnchanged,
  ProtectedResourceError,
  read,
  refresh,
  remove,
  type StepHandler,
  type StepResult,
  update,
} from "./step-handlers";

/**
 * Runs steps concurrently up to the limit, and records each one before it starts and when it ends. The first failure
 * stops the rest.
 */
export class Executor {
  readonly changes: ChangeSummary = { create: 0, update: 0, replace: 0, delete: 0, same: 0 };
  /** Ids of objects that the operation removed from the state and that are still live. */
  readonly left: string[] = [];
  readonly outcomes = new OutcomeTracker();
  private readonly slots: Slots;
  private readonly running = new Set<Promise<void>>();
  /** URNs of resources that failed, or were skipped because a dependency failed. */
  private readonly unfinished = new Set<string>();
  /** Their previous states. */
  readonly unfinishedRefs: StateRef[] = [];
  /** URNs of replacements of which one step is done, and of those whose old and new object are as planned. */
  private readonly halfReplaced = new Set<string>();
  private readonly replaced = new Set<string>();
  /** States by URN, for waiters on a resource that this run has processed. */
  private readonly done = new Map<string, StateRef>();
  isStopped = false;
  /** A check has failed: nothing is written any longer, and the rest is only checked. */
  private isHeld = false;
  private interrupted = false;
  private hasWritten = false;

  constructor(
    private readonly context: Context,
    private readonly operation: OperationKind,
    parallel: number,
  ) {
    this.slots = new Slots(parallel);
  }

  /** No further step begins. */
  stop(): void {
    this.isStopped = true;
  }

  /** Failures from now on are due to the interrupt. */
  interrupt(): void {
    this.interrupted = true;
    this.stop();
  }

  resource(urn: string): StateRef | undefined {
    return this.done.get(urn);
  }

  /** Whether a dependency of the steps' resource has failed, or a check: the steps are then skipped. */
  isSkipped(steps: readonly Step[]): boolean {
    const needed = steps.flatMap(({ next }) => (next ? dependenciesOf(next.state) : []));
    const isLost = needed.some(({ urn, kind }) => kind !== "provider" && this.unfinished.has(urn));
    if (!isLost && !steps.some((step) => this.withholds(step))) return false;
    for (const step of steps) {
      this.leave(step);
      this.markNotStarted(step);
    }
    return true;
  }

  /** Records a planned step that never began. */
  markNotStarted(step: Step): void {
    if (isOfProvider(step)) this.outcomes.noteNotBegun(step.urn);
  }

  private leave({ urn, old }: Pick<Step, "urn" | "old">): void {
    this.unfinished.add(urn);
    if (old) this.unfinishedRefs.push(old);
  }

  /** After a failed check, an update that does not continue on errors writes nothing any longer. */
  leaveUnplanned({ state, old, result }: Unplanned): void {
    this.leave({ urn: state.urn, old });
    if (!this.context.preview && !this.context.continueOnError) this.isHeld = true;
    if (!state.custom || isProviderType(state.type)) return;
    if (result === "failed") this.outcomes.note(state.urn, "failed");
    else this.outcomes.noteNotBegun(state.urn);
  }

  private withholds(step: Step): boolean {
    return this.isHeld && isWrite(step);
  }

  /** Runs the steps in sequence. Rejects with `Stopped` if some of them did not run. */
  async chain(steps: readonly Step[]): Promise<void> {
    const run = this.run(steps);
    this.running.add(run);
    try {
      await run;
    } catch (error) {
      if (error instanceof StoppedError)
        for (const step of steps) {
          if (!this.isStopped) this.leave(step);
          this.markNotStarted(step);
        }
      throw error;
    } finally {
      this.running.delete(run);
    }
  }

  /** Resolves when no step is running any longer. */
  async whenSettled(): Promise<void> {
    await Promise.allSettled(this.running);
  }

  /** A slot covers only the change of objects, not the write that follows. */
  private async run(steps: readonly Step[]): Promise<void> {
    if (!this.hasWritten && !this.context.preview && steps.some(isWrite)) await this.context.whenAsked();
    const finish = await this.slots.use(async () => {
      let finish: Finish = async () => undefined;
      for (const step of steps) {
        await finish();
        if (this.isStopped || this.withholds(step)) throw new StoppedError();
        finish = await this.step(step);
      }
      return finish;
    });
    await finish();
  }

  private async step(step: Step): Promise<Finish> {
    const { context } = this;
    const pending = pendingTypes[step.op];
    const subject =
      step.op === "delete" || step.op === "delete-replaced" || step.op === "discard" ? step.old : step.next;
    const isRecorded = pending && subject && !context.preview;
    if (isRecorded) await context.permitted();
    if (this.isStopped || this.withholds(step)) throw new StoppedError();
    this.hasWritten ||= isWrite(step);
    context.secrets.learn(step.next?.state.inputs);
    this.emit("stepStarted", step, step.op);
    if (isRecorded) await context.ledger.begin(subject, pending);
    let applied: StepResult;
    try {
      applied = await apply(step, context);
    } catch (error) {
      // The object's state is unknown: the operation stays pending in the state.
      if (isRecorded && !isUnknown(error)) await context.ledger.end(subject, {});
      return this.onFailure(step, error);
    }
    context.secrets.learnState(applied.state);
    if (applied.diffs) step.diffs = applied.diffs;
    if (step.next && applied.state) step.next.state = applied.state;
    if (applied.differences === "delete") delete step.next;
    if (applied.left === true) step.left = true;
    const finish: Finish = async () => {
      await this.record(step, applied, subject);
      if (applied.state && step.next && step.op !== "refresh") this.done.set(applied.state.urn, step.next);
      if (applied.initError) return this.onFailure(step, applied.initError);
      this.onSuccess(step, applied);
    };
    // A failure stops the others at once.
    if (applied.initError) await finish();
    return finish;
  }

  private async record(step: Step, applied: StepResult, subject: StateRef | undefined): Promise<void> {
    const { ledger, preview } = this.context;
    const next = applied.state && step.next ? step.next : undefined;
    const change = { removed: replacedBy(step), added: next };
    if (step.op === "replace" || step.op === "refresh" || step.skipped === true) return;
    if (step.op === "same" && next && step.old) {
      ledger.note(change);
      if (!preview && !statesEquivalent(step.old, next)) await ledger.write();
    } else if (preview || subject === undefined) ledger.note(change);
    else await ledger.end(subject, change);
  }

  private onSuccess(step: Step, applied: StepResult): void {
    const op = (this.operation === "refresh" ? applied.differences : undefined) ?? step.op;
    const key = op === "remove-pending-replace" || step.skipped === true ? undefined : counted[op];
    if (step.left) this.left.push(step.old?.state.id ?? step.urn);
    else if (key && !isInternal(step)) this.changes[key] += 1;
    if (op === "replace" || op === "create-replacement" || (op === "read" && step.replacing))
      this.countReplacement(step);
    if (changing.has(op) && isOfProvider(step)) this.outcomes.note(step.urn, "done");
    this.emit("stepFinished", step, op);
  }

  /** The mark of a replacement comes before or after the step that creates the new object. */
  private countReplacement(step: Step): void {
    if (isInternal(step)) return;
    if (this.halfReplaced.delete(step.urn)) this.replaced.add(step.urn);
    else this.halfReplaced.add(step.urn);
    this.changes.replace = this.replaced.size;
  }

  private onFailure(step: Step, error: unknown): never {
    const { context } = this;
    if (step.op === "delete-replaced" && this.replaced.delete(step.urn)) this.changes.replace = this.replaced.size;
    if (!(error instanceof ProtectedResourceError) && step.op !== "refresh" && !context.continueOnError) this.stop();
    this.leave(step);
    if (isOfProvider(step)) this.outcomes.noteFailed(step.urn, error);
    context.fail();
    if (step.op === "remove-pending-replace" || isInternal(step)) reportError(context, messageOf(error));
    else
      context.emit({
        kind: "stepFailed",
        step: summarize(step, step.op),
        message: messageOf(error),
        ...codeOf(error),
        ...(this.interrupted && isInterruption(error) && { interrupted: true as const }),
        time: context.clock().getTime(),
      });
    throw new AlreadyReportedError(messageOf(error), { cause: error });
  }

  private emit(kind: "stepStarted" | "stepFinished", step: Step, op: Step["op"]): void {
    if (op === "remove-pending-replace" || isInternal(step)) return;
    this.context.emit({ kind, step: summarize(step, op), time: this.context.clock().getTime() });
  }
}

/** The error code of a failure, if its provider has set one. */
const codeOf = (error: unknown): { code?: string } =>
  (error instanceof ProviderFailure || error instanceof InitError) && error.code !== undefined
    ? { code: error.code }
    : {};

type Fate = keyof Outcomes;

/** The outcomes of an operation's resources so far, by URN. */
class OutcomeTracker {
  private readonly byUrn = new Map<string, Fate>();

  /** A resource of several steps is done when the last one is. */
  note(urn: string, fate: Fate): void {
    this.byUrn.delete(urn);
    this.byUrn.set(urn, fate);
  }

  /** The resource was planned, and none of its steps has begun. */
  noteNotBegun(urn: string): void {
    if (!this.byUrn.has(urn)) this.byUrn.set(urn, "notBegun");
  }

  noteFailed(urn: string, error: unknown): void {
    this.note(urn, isUnknown(error) ? "unknown" : "failed");
  }

  outcomes(): Outcomes {
    const all: Outcomes = { done: [], failed: [], unknown: [], notBegun: [] };
    for (const [urn, fate] of this.byUrn) all[fate].push(urn);
    return all;
  }
}

/** Recognized by the topic in the message: errors of another process are plain text. */
const isUnknown = (error: unknown): boolean =>
  error instanceof OutcomeUnknownError || /#the-outcome-is-unknown\b/.test(messageOf(error));

/** Recognized by the message: errors of another process are plain text. */
const isInterruption = (error: unknown): boolean =>
  error instanceof OutcomeUnknownError || /\binterrupted (while|before)\b/.test(messageOf(error));

/** Records what a step has done, and reports it. */
type Finish = () => Promise<void>;

/** Which steps the summary counts, and as what. A replacement is one change of several steps. */
const counted: Partial<Record<Op, keyof ChangeSummary>> = {
  same: "same",
  create: "create",
  import: "create",
  update: "update",
  delete: "delete",
};

const changing: ReadonlySet<Step["op"]> = new Set<Step["op"]>([
  ...(Object.keys(pendingTypes) as Step["op"][]).filter((op) => op !== "read"),
  "replace",
]);

const isWrite = (step: Step): boolean => isOfProvider(step) && changing.has(step.op);

const noop: StepHandler = async () => ({});

const operations: Record<Step["op"], StepHandler> = {
  same: keepUnchanged,
  create,
  "create-replacement": create,
  update,
  replace: noop,
  delete: remove,
  "delete-replaced": remove,
  discard: remove,
  read,
  refresh,
  import: importStepHandler,
  "remove-pending-replace": noop,
};

/** Executes the step. Records nothing. */
const apply = (step: Step, context: Context): Promise<StepResult> => operations[step.op](step, context);

/** Metadata that may wait for the next write. */
const incidental = ["sourcePosition", "stackTrace", "initErrors", "created", "modified"];

function statesEquivalent(old: StateRef, next: StateRef): boolean {
  const essentialState = ({ state }: StateRef) =>
    Object.fromEntries(
      Object.entries(state).filter(([key, value]) => value !== undefined && !incidental.includes(key)),
    );
  return isDeepStrictEqual(essentialState(old), essentialState(next));
}

/** Limits concurrency; the others wait in order of arrival. */
export class Slots {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  async use<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free += 1;
    }
  }
}
