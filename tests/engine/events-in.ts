import type { EngineEvent } from "../../engine/events";

/** `create a`, …: the steps that ended well. */
export const stepsIn = (events: readonly EngineEvent[]): string[] =>
  events.flatMap((event) => (event.kind === "stepFinished" ? [`${event.step.op} ${event.step.name}`] : []));

/** Errors that the user sees: of steps and of the operation. */
export const errorsIn = (events: readonly EngineEvent[]): string[] =>
  events.flatMap((event) =>
    event.kind === "stepFailed" || (event.kind === "diagnostic" && event.severity === "error") ? [event.message] : [],
  );
