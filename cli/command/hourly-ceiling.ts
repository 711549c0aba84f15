import type { Nanos } from "../../governance/cost/money";
import { ceilingIn } from "../../governance/policies/cost-rules";
import { usageError } from "./failure";

/** Parses `--fail-above`. */
export function hourlyCeiling(text: string): Nanos {
  const nanos = ceilingIn(text);
  if (nanos === undefined) throw usageError("--fail-above takes an amount per hour, such as 120/h or 99.50/h.");
  return nanos;
}
