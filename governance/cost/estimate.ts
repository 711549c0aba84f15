import { modelIn } from "../../provider/core/rules/preflight";
import type { Values } from "../../provider/core/values/values";
import { needsShape } from "./capacity";
import { hourlyCost, quantityOf } from "./hourly-cost";
import { jobCost, needsBase } from "./job-cost";
import { knownFigure, toDecimal } from "./money";
import type { CostLine } from "./report";
import { type CostReport, type Grouping, reportOf } from "./report";
import {
  annotationsIn,
  type Basis,
  type CostCatalogue,
  type CostSubject,
  type Lookups,
  type ObjectState,
} from "./subject";

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
export function estimate(subject: CostSubject, basis: Basis, lookups: SubjectLookups = {}): CostLine | undefined {
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
    const nothing = { least: knownFigure(0n), most: knownFigure(0n) };
    if (after === "none" || (before !== undefined && before !== "none")) return undefined;
    return {
      ...about,
      hourly: nothing,
      once: jobCost(subject, billing, after, { ...basis, lookups: lookups.after ?? {} }),
    };
  }
  const then = hourlyCost(subject, billing, after, { ...basis, lookups: lookups.after ?? {} });
  const quantity = then.counted && quantityOf(then.counted, isLive === true);
  const was = before && hourlyCost(subject, billing, before, { ...basis, lookups: lookups.before ?? {} });
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

/** What a subject costs more per hour at the most than it did; undefined where that is nothing or not known. */
export function hourlyDifference(subject: CostSubject, basis: Basis): string | undefined {
  const hourly = estimate(subject, basis)?.hourly;
  const [before, after] = [hourly?.before?.most.nanos, hourly?.most.nanos];
  return before === undefined || after === undefined || before === after ? undefined : toDecimal(after - before);
}

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
  const lines: CostLine[] = [];
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
  situation: ObjectState,
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
