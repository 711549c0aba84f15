import type { EngineEvent, PropertyDiff, StepSummary } from "../events";
import type { PropertyMap, ResourceState, StateValue } from "../state/resource-state";
import { isSecretValue, mapMembers, mapObject } from "./values";

const hidden = "[secret]";

/** The event for code outside the engine: every secret value of a state, a difference or an output is `[secret]`. */
export function withHiddenSecrets(event: EngineEvent): EngineEvent {
  switch (event.kind) {
    case "stepStarted":
    case "stepFinished":
    case "stepFailed":
      return { ...event, step: hideInStep(event.step) };
    case "summary":
      return { ...event, outputs: hideInMap(event.outputs) };
    default:
      return event;
  }
}

const hideInStep = (step: StepSummary): StepSummary => ({
  ...step,
  ...(step.old && { old: hideInState(step.old) }),
  ...(step.new && { new: hideInState(step.new) }),
  diffs: step.diffs.map((diff) => hideInMap({ ...diff } as PropertyMap) as unknown as PropertyDiff),
});

/** Inputs, outputs, and anything else that the format of states may hold. */
const hideInState = (state: ResourceState): ResourceState => hideInMap(state as PropertyMap) as ResourceState;

const hideInMap = (values: PropertyMap): PropertyMap => mapObject(values, hide);

const hide = (value: StateValue): StateValue => (isSecretValue(value) ? hidden : mapMembers(value, hide));
