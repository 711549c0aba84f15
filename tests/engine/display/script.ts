import type { DisplayClock } from "../../../engine/display/display";
import type {
  ChangeSummary,
  EngineEvent,
  Op,
  OperationKind,
  Outcomes,
  PropertyDiff,
  StepSummary,
} from "../../../engine/events";
import type { PropertyMap, ResourceState } from "../../../engine/state/resource-state";

/** Noon, so that plain lines start at 12:00:00Z. */
export const noon = Date.UTC(2026, 0, 2, 12, 0, 0);

export class ManualClock implements DisplayClock {
  private time = noon;
  private readonly timers = new Set<{ due: number; every: number; callback: () => void }>();

  now(): number {
    return this.time;
  }

  every(ms: number, callback: () => void): () => void {
    const timer = { due: this.time + ms, every: ms, callback };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }

  /** Lets time pass, calling back in order. */
  advance(ms: number): void {
    const end = this.time + ms;
    for (;;) {
      const next = [...this.timers].filter(({ due }) => due <= end).sort((a, b) => a.due - b.due)[0];
      if (next === undefined) break;
      this.time = next.due;
      next.due += next.every;
      next.callback();
    }
    this.time = end;
  }

  get timersLeft(): number {
    return this.timers.size;
  }
}

export interface ScriptedResource {
  type?: string;
  parent?: string;
  id?: string;
  inputs?: PropertyMap;
  outputs?: PropertyMap;
  diffs?: PropertyDiff[];
  initErrors?: string[];
  sourcePosition?: string;
  retainOnDelete?: boolean;
  /** The live object is no longer there. */
  gone?: boolean;
  mayBeOwn?: true;
}

export const dynamicType = (kind: string): string => `pulumi-nodejs:dynamic/acme:${kind}`;

export const urnOf = (name: string, type = dynamicType("Box")): string => `urn:pulumi:dev::shop::${type}::${name}`;

export function step(
  op: Op,
  name: string,
  { type = dynamicType("Box"), diffs = [], gone = false, mayBeOwn, ...rest }: ScriptedResource = {},
): StepSummary {
  const state: ResourceState = { urn: urnOf(name, type), custom: true, type, ...rest };
  const hasNew = op !== "delete" && op !== "delete-replaced" && !gone;
  return {
    op,
    urn: state.urn,
    type,
    name,
    diffs,
    ...(mayBeOwn && { mayBeOwn }),
    ...(op === "create" ? {} : { old: state }),
    ...(hasNew ? { new: state } : {}),
  };
}

/** Events at seconds after noon. */
export const at = (seconds: number): number => noon + seconds * 1000;

export const prelude = (operation: OperationKind = "up", preview = false): EngineEvent => ({
  kind: "prelude",
  operation,
  stack: "dev",
  preview,
  time: noon,
});
export const started = (seconds: number, summary: StepSummary): EngineEvent => ({
  kind: "stepStarted",
  step: summary,
  time: at(seconds),
});
export const finished = (seconds: number, summary: StepSummary): EngineEvent => ({
  kind: "stepFinished",
  step: summary,
  time: at(seconds),
});
export const failed = (
  seconds: number,
  summary: StepSummary,
  message: string,
  more: { interrupted?: true } = {},
): EngineEvent => ({
  kind: "stepFailed",
  step: summary,
  message,
  ...more,
  time: at(seconds),
});

export function said(
  seconds: number,
  message: string,
  more: {
    urn?: string;
    severity?: "info" | "warning" | "error" | "debug";
    ephemeral?: boolean;
    place?: string;
    unchecked?: true;
  } = {},
): EngineEvent {
  return {
    kind: "diagnostic",
    severity: more.severity ?? "info",
    message,
    ephemeral: more.ephemeral ?? false,
    time: at(seconds),
    ...(more.urn === undefined ? {} : { urn: more.urn }),
    ...(more.place === undefined ? {} : { place: more.place }),
    ...(more.unchecked && { unchecked: true }),
  };
}

export const phase = (seconds: number, name: string, message: string): EngineEvent =>
  said(seconds, message, { urn: urnOf(name), ephemeral: true });

export function summary(
  seconds: number,
  changes: Partial<ChangeSummary>,
  more: {
    operation?: OperationKind;
    preview?: boolean;
    result?: "succeeded" | "failed" | "interrupted";
    outputs?: PropertyMap;
    outcomes?: Outcomes;
    left?: readonly string[];
  } = {},
): EngineEvent {
  return {
    kind: "summary",
    operation: more.operation ?? "up",
    preview: more.preview ?? false,
    changes: { create: 0, update: 0, replace: 0, delete: 0, same: 0, ...changes },
    left: more.left ?? [],
    outputs: more.outputs ?? {},
    result: more.result ?? "succeeded",
    ...(more.outcomes && { outcomes: more.outcomes }),
    durationMs: seconds * 1000,
    time: at(seconds),
  };
}

export const secret = (value: string): PropertyMap => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  value,
});

export const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Text as typed in a test: without the first line break and the common indentation of its lines. */
export function text(strings: TemplateStringsArray): string {
  const lines = (strings[0] ?? "").replace(/^\n/, "").replace(/\n *$/, "\n").split("\n");
  const indent = Math.min(
    ...lines.filter((line) => line.trim() !== "").map((line) => /^ */.exec(line)?.[0].length ?? 0),
  );
  return lines.map((line) => line.slice(indent)).join("\n");
}
