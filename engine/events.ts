import type { PropertyMap, ResourceState } from "./state/resource-state";

/** What a step does to a resource, by Pulumi's names. */
export type Op =
  | "same"
  | "create"
  | "update"
  | "delete"
  | "replace"
  | "create-replacement"
  | "delete-replaced"
  | "read"
  /** A resource that was only read is forgotten; its object stays. */
  | "discard"
  | "refresh"
  | "import";

export type OperationKind = "preview" | "up" | "refresh" | "destroy" | "import";

/**
 * One difference of a resource's inputs, in Pulumi's property-path syntax.
 * Secret values are already masked as `[secret]`.
 */
export interface PropertyDiff {
  path: string;
  kind: "add" | "delete" | "update";
  old?: unknown;
  new?: unknown;
  /** The difference forces a replacement. */
  replaces?: boolean | undefined;
}

export interface StepSummary {
  op: Op;
  urn: string;
  type: string;
  name: string;
  old?: ResourceState | undefined;
  new?: ResourceState | undefined;
  diffs: PropertyDiff[];
  /** Of a delete: the object is still live. */
  left?: true;
  /** Of a read: a run of the stack was interrupted while it changed the object, and may have made the difference. */
  mayBeOwn?: true;
}

/** `delete` does not count objects that are still live. */
export type ChangeSummary = { create: number; update: number; replace: number; delete: number; same: number };

/** The outcome of each resource, by URN. Unchanged resources are in none of the lists. */
export interface Outcomes {
  /** Created, updated, replaced, deleted or read again. */
  done: string[];
  failed: string[];
  /** The response to a request was lost: it may have taken effect. */
  unknown: string[];
  notBegun: string[];
}

/** Everything that a display, a test or a program learns about an operation, in order. */
export type EngineEvent =
  | { kind: "prelude"; operation: OperationKind; stack: string; preview: boolean; time: number }
  | { kind: "stepStarted"; step: StepSummary; time: number }
  | { kind: "stepFinished"; step: StepSummary; time: number }
  /** `place`, such as `index.ts:3`: where the program declares the resource, if known. */
  | {
      kind: "stepFailed";
      step: StepSummary;
      message: string;
      /** What kind of failure it is. Other packages' providers hand on words alone. */
      code?: string;
      place?: string;
      /** It did not fail by itself: the operation was interrupted. */
      interrupted?: true;
      time: number;
    }
  /**
   * `ephemeral` is the current status of that resource's row; otherwise the message
   * stays. `urn` is absent for stack-level messages.
   */
  | {
      kind: "diagnostic";
      severity: "debug" | "info" | "warning" | "error";
      message: string;
      urn?: string | undefined;
      place?: string;
      ephemeral: boolean;
      /** The resource depends on one with a mistake, so it has not been checked. */
      unchecked?: true;
      time: number;
    }
  | {
      kind: "summary";
      operation: OperationKind;
      preview: boolean;
      changes: ChangeSummary;
      /** Ids of objects that the state no longer has and that are still live. */
      left: readonly string[];
      outputs: PropertyMap;
      result: "succeeded" | "failed" | "interrupted";
      /** Of an operation that has not succeeded; a preview has none. */
      outcomes?: Outcomes | undefined;
      durationMs: number;
      time: number;
    };

/** Errors and warnings of a resource show the line of the program that declares it. */
export function withSourceLine(event: EngineEvent, sourceLines: ReadonlyMap<string, string>): EngineEvent {
  const isPlaced = event.kind === "diagnostic" && (event.severity === "error" || event.severity === "warning");
  if (event.kind !== "stepFailed" && !isPlaced) return event;
  const place = sourceLines.get((event.kind === "stepFailed" ? event.step.urn : event.urn) ?? "");
  return place === undefined ? event : { ...event, place };
}
