import { dayMs, dayOf } from "../../provider/core/values/grouping";

// Apart from the schema of the report: help and usage errors name them, and load none.

/** The verdicts on an object, strongest first: of several that apply, the first counts. */
export const verdicts = [
  "error",
  "forbidden",
  "missing",
  "retired",
  "changed",
  "in-flight",
  "unverifiable",
  "in-sync",
  "unmanaged",
] as const;

export const severities = ["error", "warning", "note"] as const;

/** Days for which a baseline may accept a finding. */
export const longestAcceptance = 180;

/** The day until which an entry made at `now` may hold at most. */
export const latestExpiry = (now: number): string => dayOf(now + longestAcceptance * dayMs);

/** What a run may be called: text that does nothing wherever it is written. */
export const runName = /^[\w.:@/-]{1,128}$/;
