import type { Basis } from "./basis";
import { estimate } from "./estimate";
import type { Line } from "./line";
import { type CostReport, type Grouping, reportOf } from "./report";
import type { Subject } from "./subject";

/** What the subjects cost, one after the other, so that what the service says of a shape is asked for once. */
export async function costReport(
  subjects: readonly Subject[],
  { grouping, ...basis }: Basis & { grouping?: Grouping | undefined },
): Promise<CostReport> {
  const lines: Line[] = [];
  for (const subject of subjects) {
    const line = await estimate(subject, basis);
    if (line) lines.push(line);
  }
  return reportOf(lines, { currency: basis.prices.currency, day: basis.day, grouping });
}
