import { nanosIn, toDecimal } from "../../governance/cost/money";
import { firstOf } from "../../io/text/first-of";
import { printable } from "../../io/text/printable";
import { fieldAtPath } from "../../provider/core/fields/fields";
import { redacted } from "../../provider/core/redact";
import { parsePath } from "../../provider/core/values/values";
import { duration } from "../../provider/core/written-inputs";
import { specOf } from "../../provider/resources/index";
import type { DriftReport } from "../scan/document";
import { differing } from "../scan/finding";
import {
  type Change,
  type Finding,
  type FindingGroup,
  type GroupChange,
  isInformational,
  sealValue,
} from "../scan/finding-document";
import { countText } from "../scan/verdict";
import { costOf } from "./wording";

/** Placeholder for a missing value. */
const absent = "(absent)";

/** Placeholder for values that differ among findings of one cause. */
export const various = "(various)";

/** A value for users. Text is quoted only if it could be read as another value. */
export function valueText(value: unknown): string {
  if (value === undefined) return absent;
  const displayValue = sealValue(value, redacted);
  return printable(
    typeof displayValue === "string" && !isMistakable(displayValue) ? displayValue : JSON.stringify(displayValue),
  );
}

/** One side of a change as users see it, of findings that may differ there. */
export const sideText = (change: Change & Pick<GroupChange, "various">, side: "recorded" | "live"): string =>
  change.various?.includes(side) ? various : valueText(change[side]);

/** The same on as many lines as the value has. */
export function valueLines(value: unknown): string {
  const displayValue = sealValue(value, redacted);
  const lines = (text: string): string => text.split("\n").map(printable).join("\n");
  if (typeof displayValue === "object" && displayValue !== null) return lines(JSON.stringify(displayValue, null, 2));
  return lines(typeof displayValue === "string" && displayValue.includes("\n") ? displayValue : valueText(value));
}

/** Whether the plain text looks like a number, a boolean, a missing value or JSON, or has invisible edges. */
const isMistakable = (text: string): boolean =>
  text !== redacted &&
  (text !== text.trim() ||
    !Number.isNaN(Number(text)) ||
    ["true", "false", "null", absent, various].includes(text) ||
    /^["[{]/.test(text));

/** The report as data, with every value sealed. */
export const sealedReport = (report: DriftReport): DriftReport => sealValue(report) as DriftReport;

/**
 * The changes of a finding as people can compare them: durations in one form on both sides, `10m` and `15m` where a
 * program says `10m` and the service `900s`.
 */
export const comparableChanges = <C extends Change>({ type, changes }: { type: string; changes: readonly C[] }): C[] =>
  changes.map((change) => (isDuration(type, change.path) ? inOneForm(change) : change));

const isDuration = (type: string, path: string): boolean =>
  fieldAtPath(specOf(type), parsePath(path))?.markers.sameAs === "duration";

const inOneForm = <C extends Change>(change: C): C => ({
  ...change,
  recorded: formOf(change.recorded),
  live: formOf(change.live),
});

const formOf = (value: unknown): unknown => (typeof value === "string" ? duration(value) : value);

/** So many fields does a row name with their values, and so many letters of a value. */
const mostFields = 3;
const mostLetters = 40;

type DescribedFinding = Pick<Finding, "reason"> & { type: string | null; changes: readonly GroupChange[] };

/**
 * The reason in a line, with fields and values where it only counts or names them: `maxReplicaCount 2 → 8`. Not safe to
 * print yet.
 */
export function describeFinding({ type, reason, changes }: DescribedFinding): string {
  const [general] = [differing(changes), countText(changes)].filter((each) => reason.includes(each));
  return changes.length === 0 || general === undefined
    ? reason
    : reason.replace(general, () => valuesText(comparableChanges({ type: type ?? "", changes })));
}

/** The same, and what it costs: for a row that shows nothing else. */
export const rowText = (
  finding: DescribedFinding & Pick<FindingGroup, "hourlyCostChange">,
  currency: string | undefined,
): string => [describeFinding(finding), costOf(finding, currency)].filter((part) => part !== undefined).join("; ");

function valuesText(changes: readonly GroupChange[]): string {
  const texts = changes.map(
    (change) => `${change.path} ${clipText(sideText(change, "recorded"))} → ${clipText(sideText(change, "live"))}`,
  );
  return firstOf(texts, { most: mostFields });
}

function clipText(text: string): string {
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
  return `drift ${costOf({ hourlyCostChange: toDecimal(sum) }, currency)}`;
}
