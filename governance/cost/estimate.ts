import type { Values } from "../../provider/core/values/values";
import { annotationsIn } from "./annotations";
import type { Basis } from "./basis";
import { hourlyCost, quantityOf } from "./hourly-cost";
import { jobCost } from "./job-cost";
import type { Line } from "./line";
import type { Lookups } from "./lookups";
import { known } from "./money";
import type { CostSubject } from "./subject";

/** What the service says of a subject, as it was and as it will be. */
interface SubjectLookups {
  before?: Lookups;
  after?: Lookups;
}

/** As it will be, else as it was. */
function lastValues({ before, after }: CostSubject): Values {
  if (after !== "none") return after;
  return before === undefined || before === "none" ? {} : before;
}

/** Undefined for what costs nothing by itself. */
export function estimate(subject: CostSubject, basis: Basis, found: SubjectLookups = {}): Line | undefined {
  const { spec, name, account, urn, stack, before, after, isLive } = subject;
  const { billing } = spec;
  if (!billing) return undefined;
  const about = {
    urn,
    name,
    kind: spec.kind,
    account,
    stack,
    annotations: annotationsIn(lastValues(subject)),
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
    quantity,
    hourly: {
      least: then.least,
      most: then.most,
      now: isLive ? then.now : undefined,
      before: was && { least: was.least, most: was.most },
    },
  };
}
