import type { ResourceState } from "../state/types";
import { isProviderType } from "../state/urns";
import type { Context } from "./context";
import { dependenciesOf } from "./dependencies";
import type { Plan } from "./plan";
import { type Step, sameStep, skippedStep } from "./steps";

/**
 * What happens to a declaration when the program runs for a refresh or a destruction: it configures providers and makes
 * components, as ever, and its objects are neither checked nor touched. Undefined where that is up to the provider.
 */
export function withoutUpdate(context: Context, { goal, urn, old, state }: Omit<Plan, "provider">): Step[] | undefined {
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
