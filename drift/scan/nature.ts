import type { Finding, Verdict } from "./document";

/** What a verdict says of an object: it differs, it could not be read, or there is nothing to do. */
type Nature = "drift" | "unknown" | "told";

export const natureOf: Readonly<Record<Verdict, Nature>> = {
  error: "unknown",
  forbidden: "unknown",
  missing: "drift",
  retired: "told",
  changed: "drift",
  "in-flight": "told",
  unverifiable: "told",
  "in-sync": "told",
  unmanaged: "drift",
  breach: "drift",
};

/** Whether a finding is informational and needs no action: no rule says more than its verdict. */
export const isTold = ({ ruleId, verdict }: Pick<Finding, "ruleId" | "verdict">): boolean =>
  natureOf[verdict] === "told" && ruleId === `drift/${verdict}`;
