import { printable } from "../../io/text/printable";
import { redacted } from "../../provider/core/redact";
import type { DriftReport } from "../scan/document";
import { type Change, type GroupChange, sealed } from "../scan/finding-schema";

/** Placeholder for a missing value. */
const absent = "(absent)";

/** Placeholder for values that differ among findings of one cause. */
export const various = "(various)";

/** A value for users. A text stands as it is, but in quotation marks where it could be taken for something else. */
export function valueText(value: unknown): string {
  if (value === undefined) return absent;
  const shown = sealed(value, redacted);
  return printable(typeof shown === "string" && !isMistakable(shown) ? shown : JSON.stringify(shown));
}

/** One side of a change as users see it, of findings that may differ there. */
export const sideText = (change: Change & Pick<GroupChange, "various">, side: "recorded" | "live"): string =>
  change.various?.includes(side) ? various : valueText(change[side]);

/** The same on as many lines as the value has. */
export function valueLines(value: unknown): string {
  const shown = sealed(value, redacted);
  const lines = (text: string): string => text.split("\n").map(printable).join("\n");
  if (typeof shown === "object" && shown !== null) return lines(JSON.stringify(shown, null, 2));
  return lines(typeof shown === "string" && shown.includes("\n") ? shown : valueText(value));
}

/** Whether the plain text looks like a number, a boolean, a missing value or JSON, or has invisible edges. */
const isMistakable = (text: string): boolean =>
  text !== redacted &&
  (text !== text.trim() ||
    !Number.isNaN(Number(text)) ||
    ["true", "false", "null", absent, various].includes(text) ||
    /^["[{]/.test(text));

/** The report as data, with every value sealed. */
export const sealedReport = (report: DriftReport): DriftReport => sealed(report) as DriftReport;
