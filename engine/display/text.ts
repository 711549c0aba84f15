import { stripVTControlCharacters } from "node:util";
import { createColors } from "picocolors";
import { sanitizeOutput } from "../../io/text/printable";
import { widthOf } from "../../io/text/report-format";
import type { Op } from "../events";

export type Paint = (text: string) => string;

/** Colours by meaning. Colour never carries information alone. */
export interface Palette {
  plain: Paint;
  title: Paint;
  faint: Paint;
  add: Paint;
  change: Paint;
  remove: Paint;
  replace: Paint;
  good: Paint;
  warning: Paint;
  error: Paint;
  heading: Paint;
}

export function createPalette(coloured: boolean): Palette {
  const colors = createColors(coloured);
  return {
    plain: (text) => text,
    title: colors.bold,
    faint: colors.dim,
    add: colors.green,
    change: colors.yellow,
    remove: colors.red,
    replace: colors.magenta,
    good: colors.green,
    warning: colors.yellow,
    error: (text) => colors.bold(colors.red(text)),
    heading: (text) => colors.bold(colors.cyan(text)),
  };
}

const paints: { [op in Op]: keyof Palette } = {
  same: "plain",
  create: "add",
  update: "change",
  delete: "remove",
  replace: "replace",
  "create-replacement": "replace",
  "delete-replaced": "replace",
  read: "plain",
  discard: "plain",
  refresh: "change",
  import: "add",
};

export const paintOf = (palette: Palette, op: Op): Paint => palette[paints[op]];

/** NO_COLOR and FORCE_COLOR as their conventions say (empty means unset); TERM=dumb has no colours. */
export function wantsColour(env: { [name: string]: string | undefined }, isTTY: boolean): boolean {
  if (env["NO_COLOR"]) return false;
  if (env["FORCE_COLOR"]) return env["FORCE_COLOR"] !== "0";
  return isTTY && env["TERM"] !== "dumb";
}

let segmenter: Intl.Segmenter | undefined;

/** Created on first use: it is slow. */
const graphemes = (): Intl.Segmenter => (segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" }));

// Control characters other than a line break would move the cursor or hide text.
const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g;

/**
 * Text that is safe to lay out: no escape sequences, tabs as two spaces, `\n` as the only line break, no invisible
 * characters, no commands.
 */
export function clean(text: string): string {
  return sanitizeOutput(
    stripVTControlCharacters(text).replaceAll("\r\n", "\n").replaceAll("\t", "  ").replace(control, ""),
  );
}

export const oneLine = (text: string): string =>
  clean(text)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");

/** Terminal columns that `text` takes. */
export const columns = widthOf;

/** The longest beginning of `text` that fits `width` columns; `text` itself when it fits. */
function head(text: string, width: number): string {
  if (columns(text) <= width) return text;
  let start = "";
  let used = 0;
  for (const { segment } of graphemes().segment(text)) {
    used += columns(segment);
    if (used > width) break;
    start += segment;
  }
  return start;
}

/** `text` in at most `width` columns, its loss marked by an ellipsis. */
export function truncate(text: string, width: number): string {
  if (columns(text) <= width) return text;
  return width < 1 ? "" : `${head(text, width - 1)}…`;
}

export const padEnd = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - columns(text)));

export const padStart = (text: string, width: number): string => " ".repeat(Math.max(0, width - columns(text))) + text;

/** The words of a line. A part in backquotes is one word if it fits a line, so that a command can be copied. */
const wordsOf = (line: string, room: number): string[] =>
  (line.match(/(?:`[^`]*`|[^ ])+/g) ?? [""]).flatMap((word) => (columns(word) > room ? word.split(/ +/) : [word]));

/**
 * Breaks `line` between words, and inside a word only if no line can hold it. Continuation lines align with the first
 * word.
 */
function wrapLine(line: string, width: number): string[] {
  if (columns(line) <= width) return [line];
  const [start = ""] = /^ *(?:[*-] )?/.exec(line) ?? [];
  const hang = " ".repeat(Math.min(start.length, width >> 1));
  const lines: string[] = [];
  let current = start;
  let empty = true;
  const turn = () => {
    lines.push(current.trimEnd());
    current = hang;
    empty = true;
  };
  for (const word of wordsOf(line.slice(start.length).trim(), width - hang.length)) {
    const fits = columns(current) + columns(word) + (empty ? 0 : 1) <= width;
    const tooLong = columns(word) > width - hang.length;
    if (!fits && !empty && !tooLong) turn();
    current += empty ? word : ` ${word}`;
    empty = false;
    while (columns(current) > width) {
      const part = head(current, width);
      lines.push(part);
      current = hang + current.slice(part.length);
    }
  }
  return [...lines, current.trimEnd()];
}

/** `text` in lines of at most `width` columns. Its own line breaks stay. */
export function wrap(text: string, width: number): string[] {
  const room = Math.max(8, width);
  return clean(text)
    .trimEnd()
    .split("\n")
    .flatMap((line) => wrapLine(line.trimEnd(), room));
}

/** Continuation lines are indented so far that Markdown does not read them as a fence, heading or rule. */
const hanging = " ".repeat(6);

/** `text` as one paragraph of lines of at most `width` columns, with a hanging indent. */
export function hang(text: string, width: number): string[] {
  const line = text.replaceAll("\n", " ");
  const whole = wrap(line, width);
  if (whole.length === 1) return whole;
  const [first = "", ...rest] = wrap(line, width - hanging.length);
  return [first, ...rest.map((part) => hanging + part)];
}

/** `0.4s`, `12s`, `1m 12s`, `2h 05m`. Seconds have a decimal below ten. */
export function formatDuration(ms: number): string {
  if (ms < 9_950) return `${(Math.max(0, ms) / 1000).toFixed(1)}s`;
  return formatElapsed(ms);
}

/** Like `formatDuration`, in whole seconds, for numbers that are redrawn often. */
export function formatElapsed(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${pad(seconds % 60)}s`;
  return `${Math.floor(minutes / 60)}h ${pad(minutes % 60)}m`;
}

const pad = (value: number): string => String(value).padStart(2, "0");
