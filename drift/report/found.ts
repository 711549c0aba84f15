import { decimal, nanosIn } from "../../governance/cost/money";
import type { DriftReport } from "../scan/document";
import { type Finding, type FindingGroup, type GroupChange, isInformational } from "../scan/finding-schema";
import { differing } from "../scan/groups";
import { countText } from "../scan/verdict";
import { comparableChanges } from "./comparable";
import { costOf } from "./phrases";
import { sideText } from "./values";

/** What a row says of a finding or a cause, in a line: names and values of others, not safe to print yet. */

/** So many fields are named with their values, and so many letters of a value. */
const mostFields = 3;
const mostLetters = 40;

type Found = Pick<Finding, "reason"> & { type: string | null; changes: readonly GroupChange[] };

/** The reason, with fields and values where it only counts or names them: `maxReplicaCount 2 → 8`. */
export function foundText({ type, reason, changes }: Found): string {
  const [general] = [differing(changes), countText(changes)].filter((each) => reason.includes(each));
  return changes.length === 0 || general === undefined
    ? reason
    : reason.replace(general, () => valuesText(comparableChanges({ type: type ?? "", changes })));
}

/** The same, and what it costs: for a row that shows nothing else. */
export const rowText = (found: Found & Pick<FindingGroup, "hourlyCostChange">, currency: string | undefined): string =>
  [foundText(found), costOf(found, currency)].filter((part) => part !== undefined).join("; ");

function valuesText(changes: readonly GroupChange[]): string {
  const named = changes.slice(0, mostFields);
  const rest = changes.length - named.length;
  const texts = named.map(
    (change) => `${change.path} ${clipped(sideText(change, "recorded"))} → ${clipped(sideText(change, "live"))}`,
  );
  return `${texts.join(", ")}${rest === 0 ? "" : ` and ${rest} more`}`;
}

function clipped(text: string): string {
  const letters = Array.from(text);
  return letters.length <= mostLetters ? text : `${letters.slice(0, mostLetters - 1).join("")}…`;
}

/** What all that counts costs together: `drift costs 48.00 USD more per hour`. Undefined without prices. */
export function totalCost({ findings, currency }: Pick<DriftReport, "findings" | "currency">): string | undefined {
  const known = findings
    .filter((finding) => finding.suppressed === undefined && !isInformational(finding))
    .flatMap(({ hourlyCostChange }) => (hourlyCostChange === undefined ? [] : (nanosIn(hourlyCostChange) ?? [])));
  if (known.length === 0) return undefined;
  const sum = known.reduce((total, each) => total + each, 0n);
  return `drift ${costOf({ hourlyCostChange: decimal(sum) }, currency)}`;
}
