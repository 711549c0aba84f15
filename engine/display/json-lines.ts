import { printableJson } from "../../io/text/printable";
import { sourceLineOf } from "../../io/text/source-line";
import type { ChangeSummary, EngineEvent, Outcomes, PropertyDiff, StepSummary } from "../events";
import type { PropertyMap, ResourceState, StateValue } from "../state/types";
import type { Display, DisplayClock } from "./display";
import { isHidden, mask, maskProperties } from "./value-text";

/** One JSON document per line, for each event except debug messages, secrets masked. */
export function createJsonDisplay(write: (text: string) => void, clock: Pick<DisplayClock, "now">): Display {
  const emit = (document: unknown) => write(`${printableJson(document)}\n`);
  return {
    onEvent: (event) => {
      if (event.kind !== "diagnostic" || event.severity !== "debug") emit(eventDocument(event));
    },
    notice: (message) => emit({ kind: "diagnostic", severity: "info", message, ephemeral: true, time: clock.now() }),
    close: () => {},
  };
}

function eventDocument(event: EngineEvent): object {
  if ("step" in event) return { ...event, step: stepDocument(event.step) };
  return event.kind === "summary" ? { ...event, outputs: maskProperties(event.outputs) } : event;
}

function stepDocument({ old, new: fresh, diffs, ...rest }: StepSummary): object {
  return {
    ...rest,
    old: old && stateDocument(old),
    new: fresh && stateDocument(fresh),
    diffs: diffs.filter(({ path }) => !isHidden(path)).map(diffDocument),
  };
}

function diffDocument({ old, new: fresh, ...rest }: PropertyDiff): object {
  return {
    ...rest,
    old: old === undefined ? undefined : mask(old),
    new: fresh === undefined ? undefined : mask(fresh),
  };
}

function stateDocument(state: ResourceState): object {
  const { id, parent, provider, protect, retainOnDelete, initErrors, sourcePosition, inputs, outputs } = state;
  return {
    id,
    parent,
    provider,
    protect,
    retainOnDelete,
    initErrors,
    place: sourceLineOf(sourcePosition),
    inputs: maskProperties(inputs),
    outputs: maskProperties(outputs),
  };
}

interface Result {
  result: "succeeded" | "failed";
  changes: ChangeSummary;
  left: readonly string[];
  outputs: PropertyMap;
  /** What became of each resource, where not all went well. */
  outcomes?: Outcomes | undefined;
  /** What it costs, where that has been computed. */
  cost?: object | undefined;
}

/**
 * The last line of `--json`: `{"result", "changes", "left", "outputs"}`, with `outcomes` if it did not succeed, and
 * `cost` if there is one. Without a summary, the operation did nothing.
 */
export function resultLine(result: Result | undefined): string {
  const changes = { create: 0, update: 0, replace: 0, delete: 0, same: 0, ...result?.changes };
  const outputs: StateValue = maskProperties(result?.outputs);
  const cost = result?.cost && { cost: result.cost };
  const outcomes = result?.outcomes && { outcomes: result.outcomes };
  const left = result?.left ?? [];
  return `${printableJson({ result: result?.result ?? "failed", changes, left, outputs, ...outcomes, ...cost })}\n`;
}
