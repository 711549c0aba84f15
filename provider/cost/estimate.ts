import { annotationsIn } from "./annotations";
import type { Basis } from "./basis";
import { hourlyCost, quantityOf } from "./hourly-cost";
import { jobCost } from "./job-cost";
import type { Line } from "./line";
import type { Lookups } from "./lookups";
import { known } from "./money";
import type { CostSubject } from "./subject";

/** What the service says of a subject, as it was and as it will be. */
export interface SubjectLookups {
  before?: Lookups;
  after?: Lookups;
}

/** Undefined for what costs nothing by itself. */
export function estimate(subject: CostSubject, basis: Basis, found: SubjectLookups = {}): Line | undefined {
  const { spec, name, account, urn, stack, before, after, isLive } = subject;
  const { billing } = spec;
  if (!billing) return undefined;
  const values = after === "none" ? (before === undefined || before === "none" ? {} : before) : after;
  const about = {
    ...(urn !== undefined && { urn }),
    name,
    kind: spec.kind,
    account,
    ...(stack !== undefined && { stack }),
    annotations: annotationsIn(values),
  };
  if (billing.by === "trainingToken") {
    const nothing = { least: known(0n), most: known(0n) };
    if (after === "none" || (before !== undefined && before !== "none")) return undefined;
    return {
      ...about,
      hourly: nothing,
      once: jobCost(subject, billing, after, { ...basis, lookups: found.after ?? {} }),
    };
  }
  const then = hourlyCost(subject, billing, after, { ...basis, lookups: found.after ?? {} });
  const quantity = then.counted && quantityOf(then.counted, isLive === true);
  const was = before && hourlyCost(subject, billing, before, { ...basis, lookups: found.before ?? {} });
  return {
    ...about,
    ...(quantity && { quantity }),
    hourly: {
      least: then.least,
      most: then.most,
      ...(isLive && { now: then.now }),
      ...(was && { before: { least: was.least, most: was.most } }),
    },
  };
}
