import { dirname, resolve } from "node:path";
import { clean, createPalette, formatDuration, type Palette, wantsColour, wrap } from "../../engine/display/text";
import { codeOf } from "../../io/files/disk-error";
import { assertStaysInFolder, makeFolder } from "../../io/files/folders";
import { createFile, replaceFile, type WriteOptions } from "../../io/files/write";
import { printableJson } from "../../io/text/printable";
import { columnsOf, fold, widthOf } from "../../io/text/report-format";
import type { Stopwatch, TimeSpent } from "../../provider/api/time";
import type { CliContext } from "./context";
import { unwritableError } from "./failure";

/** How wide a text may be: a file has no width. */
export const columnsTo = (output: string | undefined, { stdout }: Pick<CliContext, "stdout">): number =>
  output === undefined ? stdout.columns : Number.POSITIVE_INFINITY;

/** Writes a report for whomever the umask lets read it. */
export const writeReportFile = (name: string, text: string, context: Pick<CliContext, "cwd">): void =>
  writeOutput(name, text, context, { worldReadable: true });

/** Writes a file that the user has named, and its folder where that is missing. */
export const writeOutput = (
  name: string,
  text: string,
  context: Pick<CliContext, "cwd">,
  writing?: WriteOptions,
): void => output(name, context, (path) => replaceFile(path, text, writing));

/** The same; false where there is such a file, which stays. */
export function createOutput(
  name: string,
  text: string,
  context: Pick<CliContext, "cwd">,
  writing?: WriteOptions,
): boolean {
  let isNew = true;
  output(name, context, (path) => {
    try {
      createFile(path, text, writing);
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
      isNew = false;
    }
  });
  return isNew;
}

function output(name: string, { cwd }: Pick<CliContext, "cwd">, write: (path: string) => void): void {
  const path = resolve(cwd, name);
  try {
    assertStaysInFolder(path, cwd);
    makeFolder(dirname(path));
    write(path);
  } catch (cause) {
    throw unwritableError(path, cause);
  }
}

const gap = 2;

/**
 * Rows below headings, columns two spaces apart. Where they do not fit `columns`, the widest move to lines of their own
 * below the rest of their row, so that every name stays whole.
 */
export function listing(headings: readonly string[], rows: readonly (readonly string[])[], columns: number): string {
  const all = [headings, ...rows.map((row) => row.map(clean))];
  const widths = headings.map((_, column) => Math.max(...all.flatMap((row) => linesOf(row[column]).map(widthOf))));
  const below = columnsBelow(widths, columns);
  const beside = all.map((row) => row.filter((_, column) => !below.has(column)));
  const lines = columnsOf(beside).split("\n");
  const blocks = all.map((row, index) => [
    ...lines.splice(0, Math.max(...beside[index]!.map((cell) => linesOf(cell).length))),
    ...row.flatMap((cell, column) => (below.has(column) ? lineBelow(cell, columns) : [])),
  ]);
  return `${blocks.flat().join("\n")}\n`;
}

const linesOf = (cell = ""): string[] => cell.split("\n");

/** The columns that have to leave for the others to fit; the first one stays, because rows are found by it. */
function columnsBelow(widths: readonly number[], columns: number): ReadonlySet<number> {
  const below = new Set<number>();
  const byWidth = [...widths.keys()].slice(1).sort((a, b) => widths[b]! - widths[a]!);
  const requiredWidth = (): number =>
    widths.reduce((sum, width, column) => (below.has(column) ? sum : sum + width + gap), -gap);
  while (requiredWidth() > columns && below.size < byWidth.length) below.add(byWidth[below.size]!);
  return below;
}

const lineBelow = (cell: string, columns: number): string[] =>
  linesOf(cell)
    .filter((line) => line !== "")
    .flatMap((line) => fold(line, columns - gap).map((part) => " ".repeat(gap) + part));

export const jsonText = (document: unknown): string => `${printableJson(document, 2)}\n`;

export const paletteOf = ({ env, stdout, colour }: CliContext): Palette =>
  createPalette(colour ?? wantsColour(env, stdout.isTTY));

/** Shorter times, in milliseconds, are not worth a line. */
const leastTime = 1000;

/** Where the time went, in one line; undefined where none went. */
export function timeSpentLine({ sent, requests, limit, states }: TimeSpent): string | undefined {
  const parts: [time: number, words: string][] = [
    [requests, `in ${sent} ${sent === 1 ? "request" : "requests"}`],
    [limit, "waiting for the service's limit"],
    [states, "waiting for states"],
  ];
  const waits = parts.flatMap(([time, words]) => (time < leastTime ? [] : [`${formatDuration(time)} ${words}`]));
  if (waits.length === 0) return undefined;
  return `Time: ${waits.join(", ")}.`;
}

/** Beside what a command has to say, so that a report stays as it is. */
export function printTimeSpent(stopwatch: Stopwatch, { stderr }: Pick<CliContext, "stderr">): void {
  const line = timeSpentLine(stopwatch.read());
  if (line === undefined) return;
  stderr.write(`${wrap(line, stderr.columns).join("\n")}\n`);
}
