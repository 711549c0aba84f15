import type { Basis } from "./basis";
import { estimate } from "./estimate";
import { decimal } from "./money";
import type { CostSubject } from "./subject";

/** What a subject costs more per hour at the most than it did; undefined where that is nothing or not known. */
export function hourlyDifference(subject: CostSubject, basis: Basis): string | undefined {
  const hourly = estimate(subject, basis)?.hourly;
  const [before, after] = [hourly?.before?.most.nanos, hourly?.most.nanos];
  return before === undefined || after === undefined || before === after ? undefined : decimal(after - before);
}
