import { modelIn } from "../../provider/core/rules/preflight";
import type { Basis } from "./basis";
import { estimate } from "./estimate";
import { needsShape } from "./hardware";
import { needsBase } from "./job-cost";
import type { Line } from "./line";
import type { CostCatalogue, Lookups } from "./lookups";
import { type CostReport, type Grouping, reportOf } from "./report";
import type { CostSubject, Situation } from "./subject";

interface CostOptions extends Basis {
  /** Absent: the service is not asked. */
  catalogue?: CostCatalogue | undefined;
  grouping?: Grouping | undefined;
}

/** What the subjects cost, one after the other, so that what the service says of a shape is asked for once. */
export async function costReport(
  subjects: readonly CostSubject[],
  { grouping, catalogue, ...basis }: CostOptions,
): Promise<CostReport> {
  const lines: Line[] = [];
  for (const subject of subjects) {
    const [before, after] = [
      await lookUp(catalogue, subject, subject.before ?? "none", basis),
      await lookUp(catalogue, subject, subject.after, basis),
    ];
    const line = estimate(subject, basis, { before, after });
    if (line) lines.push(line);
  }
  return reportOf(lines, { currency: basis.prices.currency, day: basis.day, grouping });
}

/** Asks only for what nothing else says. */
async function lookUp(
  catalogue: CostCatalogue | undefined,
  { spec, account }: CostSubject,
  situation: Situation,
  basis: Basis,
): Promise<Lookups> {
  const { billing, preflight } = spec;
  if (!catalogue || !billing || situation === "none") return {};
  if (billing.by === "acceleratorHour")
    return needsShape(spec, billing, situation) ? { shapes: await catalogue.shapes(spec, account, situation) } : {};
  const model = preflight && modelIn(preflight, situation);
  return model && needsBase(spec, billing, situation, basis)
    ? { base: await catalogue.baseModel(spec, account, model.name) }
    : {};
}
