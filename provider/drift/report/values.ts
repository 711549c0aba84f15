import { redacted } from "../../core/redact";
import { printable } from "../../text/printable";
import { type DriftReport, redactedValue } from "../document";

/** Placeholder for a missing value. */
export const absent = "(absent)";

const isRedacted = (value: object): boolean => "redacted" in value && value.redacted === true;

/** A copy of a JSON value in which nothing stands beside the mark of a redacted value. */
export function sealed(value: unknown, mark: unknown = redactedValue): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((entry) => sealed(entry, mark));
  if (isRedacted(value)) return mark;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, sealed(member, mark)]));
}

/** A value for users. A text stands as it is, but in quotation marks where it could be taken for something else. */
export function valueText(value: unknown): string {
  if (value === undefined) return absent;
  const shown = sealed(value, redacted);
  return printable(typeof shown === "string" && !isMistakable(shown) ? shown : JSON.stringify(shown));
}

/** The same on as many lines as the value has. */
export function valueLines(value: unknown): string {
  const shown = sealed(value, redacted);
  const text =
    typeof shown === "object" && shown !== null
      ? JSON.stringify(shown, null, 2)
      : typeof shown === "string" && shown.includes("\n")
        ? shown
        : valueText(value);
  return text.split("\n").map(printable).join("\n");
}

/** Whether the plain text looks like a number, a boolean, a missing value or JSON, or has invisible edges. */
const isMistakable = (text: string): boolean =>
  text !== redacted &&
  (text !== text.trim() ||
    !Number.isNaN(Number(text)) ||
    ["true", "false", "null", absent].includes(text) ||
    /^["[{]/.test(text));

/** The report as data, with every value sealed. */
export const sealedReport = (report: DriftReport): DriftReport => sealed(report) as DriftReport;
