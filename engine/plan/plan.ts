import { AlreadyReported } from "../errors";
import type { CheckCall, ResourceProvider } from "../providers/provider";
import type { PropertyMap, ResourceState } from "../state/types";
import { type Context, complain } from "./context";
import type { Goal } from "./goal";
import type { Held } from "./held";

/** A goal on its way to steps. */
export interface Plan {
  goal: Goal;
  urn: string;
  old: Held | undefined;
  /** The state to record; its inputs are the checked ones. */
  state: ResourceState;
  /** Undefined for components. */
  provider: ResourceProvider | undefined;
}

/** The inputs as the provider accepts them; every rejection is reported. */
export async function checkInputs(context: Context, provider: ResourceProvider, call: CheckCall): Promise<PropertyMap> {
  const { inputs, failures } = await provider.check(call);
  for (const { property, reason } of failures)
    complain(context, property === "" ? reason : `The property "${property}" has a problem: ${reason}`, call.urn);
  if (failures.length > 0) throw new AlreadyReported(`${call.urn} has invalid inputs`);
  return inputs;
}

/** Whether the user, or a mark in the state, asks for a replacement whatever the inputs say. */
export function mustReplace(context: Context, urn: string, old: Held): boolean {
  return old.state.taint === true || (context.replacements.constrained && context.replacements.includes(urn));
}
