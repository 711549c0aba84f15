import { createHash } from "node:crypto";
import { printable } from "../../io/text/printable";
import type { DriftReport, Retirement } from "../scan/document";
import type { ReportWriter } from "./context";

/** A calendar with a day for each model that is taken down (RFC 5545). */
export const ics: ReportWriter = (report) => {
  const { tool, retirements = [] } = report;
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    `PRODID:-//${text(tool.name)}//audit ${text(tool.version)}//EN`,
    "CALSCALE:GREGORIAN",
    ...retirements.flatMap((retirement) => eventOf(retirement, report)),
    "END:VCALENDAR",
  ];
  return lines.map((line) => `${foldLine(line)}\r\n`).join("");
};

function eventOf({ model, day, objects }: Retirement, { finishedAt, retirements = [] }: DriftReport): string[] {
  // A date that moves is the same event, so that a calendar moves it; two services may each have a model of the name.
  const isAlone = retirements.filter((other) => other.model === model).length === 1;
  const names = objects.map(({ name, stacks }) => (stacks.length === 0 ? name : `${name} (${stacks.join(", ")})`));
  return [
    "BEGIN:VEVENT",
    `UID:${idOf(isAlone ? [model] : [model, day])}@pulumi-modelplatform`,
    `DTSTAMP:${finishedAt.replace(/\.\d+/, "").replace(/[-:]/g, "")}`,
    `DTSTART;VALUE=DATE:${day.replaceAll("-", "")}`,
    `SUMMARY:${text(`${model} is taken down`)}`,
    `DESCRIPTION:${[`Its serverless deployment is taken down on ${day}. Made from it:`, ...names].map(text).join("\\n")}`,
    "CATEGORIES:retiring-model",
    "TRANSP:TRANSPARENT",
    "END:VEVENT",
  ];
}

const idOf = (parts: readonly string[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);

/** A TEXT value: what has a meaning of its own is escaped, and control characters are spelled out. */
const text = (raw: string): string => printable(raw).replace(/[\\;,]/g, "\\$&");

/** Octets of a line without its break. */
const longest = 75;

/** A content line in pieces of at most 75 octets, none of which ends within a character. */
function foldLine(line: string): string {
  const pieces: string[] = [];
  let piece = "";
  let octets = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > longest) {
      pieces.push(piece);
      piece = "";
      // The space that a continuation begins with counts.
      octets = 1;
    }
    piece += character;
    octets += size;
  }
  return [...pieces, piece].join("\r\n ");
}
