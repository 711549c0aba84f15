import type { EngineEvent, Op, OperationKind, PropertyDiff, StepSummary } from "../events";
import { isDefaultProvider, stackType } from "../state/resource-state";
import { tolerantPath, valueAt } from "../values/differences";
import { valuesEqual } from "../values/values";
import { oneLine } from "./text";
import { isHidden, operationWords, subjectOfUrn } from "./wording";

type EventOf<Kind extends EngineEvent["kind"]> = Extract<EngineEvent, { kind: Kind }>;

/** The progress of one resource in the running operation. Times are in milliseconds. */
export interface BoardRow {
  readonly urn: string;
  readonly type: string;
  readonly name: string;
  parent: string | undefined;
  /** The operation on the resource as a whole: the steps of a replacement count as one `replace`. */
  op: Op;
  /** The latest step. */
  step: Op;
  state: "running" | "done" | "failed";
  /** It failed because the operation was interrupted. */
  interrupted: boolean;
  /** A refresh confirmed that the object is deleted. */
  wasDeleted: boolean;
  /** A delete left the object live. */
  left: boolean;
  /** A refresh detected differences, or the step changes something. */
  changed: boolean;
  /** The difference may come from an interrupted run of this stack. */
  mayBeOwn: boolean;
  /** When the running step began. */
  since: number;
  /** Time spent in finished steps, and in the latest of them. */
  spent: number;
  durationMs: number;
  /** Latest status message of the running step. */
  phase: string | undefined;
  /** Property paths that differ; those that force a replacement, if any do. */
  paths: string[];
}

export interface BoardMessage {
  urn: string | undefined;
  severity: "info" | "warning" | "error";
  text: string;
  /** Its resource has not been checked. */
  unchecked?: true | undefined;
}

const replacing: ReadonlySet<Op> = new Set<Op>(["replace", "create-replacement"]);
const quiet: ReadonlySet<Op> = new Set<Op>(["same", "read"]);

/** The state of one operation's display, folded from its events. */
export class Board {
  operation: OperationKind = "up";
  preview = false;
  stack = "";
  startedAt: number | undefined;
  summary: EventOf<"summary"> | undefined;
  readonly rows = new Map<string, BoardRow>();
  /** Finished and failed steps that changed something, or would have, in order. */
  readonly steps: { step: StepSummary; failed: boolean }[] = [];
  readonly messages: BoardMessage[] = [];
  private readonly messageKeys = new Set<string>();
  /** The places where the program declares resources that failed. */
  readonly places = new Map<string, string>();
  /** Latest status message of the stack itself. */
  phase: string | undefined;

  apply(event: EngineEvent): void {
    switch (event.kind) {
      case "prelude":
        Object.assign(this, {
          operation: event.operation,
          preview: event.preview || event.operation === "preview",
          stack: event.stack,
          startedAt: event.time,
        });
        break;
      case "stepStarted":
        this.start(event);
        break;
      case "stepFinished":
        this.finish(event.step, event.time, "done");
        break;
      case "stepFailed":
        this.fail(event);
        break;
      case "diagnostic":
        this.addDiagnostic(event);
        break;
      case "summary":
        this.summary = event;
    }
  }

  private row(step: StepSummary, time: number): BoardRow {
    const known = this.rows.get(step.urn);
    if (known) return known;
    const row: BoardRow = {
      urn: step.urn,
      type: step.type,
      name: step.name,
      parent: undefined,
      op: step.op,
      step: step.op,
      state: "running",
      interrupted: false,
      wasDeleted: false,
      left: false,
      changed: false,
      mayBeOwn: false,
      since: time,
      spent: 0,
      durationMs: 0,
      phase: undefined,
      paths: [],
    };
    this.rows.set(step.urn, row);
    return row;
  }

  private start({ step, time }: EventOf<"stepStarted">): BoardRow {
    const row = this.row(step, time);
    // A change that a refresh detected still counts if the program then leaves the resource alone.
    if (!(quiet.has(step.op) && row.changed))
      row.op = replacing.has(row.op) || replacing.has(step.op) ? "replace" : step.op;
    if (row.step === "refresh") row.spent = 0;
    row.step = step.op;
    row.parent = (step.new ?? step.old)?.parent ?? row.parent;
    row.state = "running";
    row.since = time;
    row.phase = undefined;
    const paths = changedPaths(step);
    if (paths.length > 0) row.paths = paths;
    return row;
  }

  private finish(summary: StepSummary, time: number, state: "done" | "failed"): void {
    const known = this.rows.get(summary.urn);
    const running = known?.state === "running" ? known : undefined;
    const step = running?.step === "refresh" ? asRefresh(summary) : summary;
    const row = running?.step === step.op ? running : this.start({ kind: "stepStarted", step, time });
    row.state = state;
    row.durationMs = time - row.since;
    row.spent += row.durationMs;
    row.phase = undefined;
    row.parent = (step.new ?? step.old)?.parent ?? row.parent;
    const paths = changedPaths(step);
    if (paths.length > 0 || step.diffs.some((diff) => isKept(step, diff))) row.paths = paths;
    const wasDeleted = step.op === "refresh" && state === "done" && step.new === undefined;
    const changed =
      step.op === "refresh" ? wasDeleted || summary.op === "update" || paths.length > 0 : !quiet.has(step.op);
    row.wasDeleted ||= wasDeleted;
    row.left = step.left === true;
    row.changed ||= changed;
    row.mayBeOwn ||= step.mayBeOwn === true;
    if (changed || state === "failed") this.steps.push({ step, failed: state === "failed" });
  }

  private fail({ step, message, place, time, interrupted }: EventOf<"stepFailed">): void {
    this.finish(step, time, "failed");
    const row = this.rows.get(step.urn);
    if (row) row.interrupted = interrupted === true;
    if (place !== undefined) this.places.set(step.urn, place);
    this.addMessage({ urn: step.urn, severity: "error", text: message });
  }

  private addDiagnostic({ severity, message, urn, place, ephemeral, unchecked }: EventOf<"diagnostic">): void {
    if (severity === "debug") return;
    if (urn !== undefined && place !== undefined) this.places.set(urn, place);
    if (!ephemeral) this.addMessage({ urn, severity, text: message, unchecked });
    const row = urn === undefined ? undefined : this.rows.get(urn);
    if (row === undefined) this.phase = message;
    else if (row.state === "running" && (ephemeral || severity !== "error")) row.phase = message;
  }

  /** A failed step and the provider's log are often the same: only one is displayed. */
  private addMessage(message: BoardMessage): void {
    const key = JSON.stringify([message.urn, message.severity, message.text]);
    if (!this.messageKeys.has(key)) this.messages.push(message);
    this.messageKeys.add(key);
  }

  /** Type and name of a resource, even without a step so far. */
  subject(urn: string): { type: string; name: string } {
    return this.rows.get(urn) ?? subjectOfUrn(urn);
  }
}

/** When a refresh ends, its step reports the result: `same`, `update` or `delete`. */
function asRefresh(step: StepSummary): StepSummary {
  return { ...step, op: "refresh", new: step.op === "delete" ? undefined : step.new };
}

function changedPaths(step: StepSummary): string[] {
  const visibleDiffs = step.diffs.filter((diff) => !isHidden(diff.path) && !isKept(step, diff));
  const forcing = visibleDiffs.filter((diff) => diff.replaces);
  return (forcing.length > 0 ? forcing : visibleDiffs).map((diff) => diff.path);
}

/** Whether the object still has what an update no longer sets: nothing was changed there. */
export function isKept({ op, old, new: fresh }: StepSummary, { kind, path }: PropertyDiff): boolean {
  if (op !== "update" || kind !== "delete") return false;
  const [before, after] = [old?.outputs, fresh?.outputs].map((outputs = {}) => valueAt(outputs, tolerantPath(path)));
  return after !== undefined && before !== undefined && valuesEqual(before, after);
}

/** Rows of the engine's own resources, and of the stack, which is in the title. */
export const isInternal = (row: BoardRow): boolean => row.type === stackType || isDefaultProvider(row);

/** Whether a row is displayed: it is running, failed, or changed. In a preview nothing runs. */
export function isNotable(row: BoardRow): boolean {
  if (row.state === "failed") return true;
  if (isInternal(row)) return false;
  return row.changed || (row.state === "running" && row.step !== "same");
}

/** `Updating dev`, `Previewing dev`: the operation and its stack. */
export function titleOf(board: Board): string {
  const words = operationWords[board.operation];
  return `${board.preview ? words.previewTitle : words.title} ${oneLine(board.stack)}`;
}
