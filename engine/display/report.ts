import { firstOf } from "../../io/text/first-of";
import type { ChangeSummary, Outcomes } from "../events";
import { stackType } from "../state/resource-state";
import { type Board, type BoardMessage, type BoardRow, isInternal } from "./board";
import { differences } from "./differences";
import { columns, formatDuration, oneLine, type Paint, type Palette, padEnd, wrap } from "./text";
import { formatValue, isHidden, typeLabel } from "./wording";

interface ReportOptions {
  palette: Palette;
  width: number;
  diff: boolean;
  /** Messages already appeared as they arrived; errors did not. */
  quiet: boolean;
  expectsNoChanges?: boolean;
}

/** The report below the rows: differences, diagnostics, outputs and the outcome. */
export function report(board: Board, options: ReportOptions): string[] {
  const { palette, width, diff, quiet } = options;
  const severities = new Set<BoardMessage["severity"]>(quiet ? ["error"] : ["info", "warning", "error"]);
  return [
    ...(diff ? differences(board, palette, width) : []),
    ...diagnostics(board, severities, palette, width),
    ...(board.operation === "up" || board.operation === "preview" ? outputs(board, palette, width) : []),
    ...outcomeLines(board, palette, width),
    ...wrap(summaryText(board), width).map((line) => paintOfEnding(board, options)(line.replaceAll(tie, " "))),
  ];
}

/**
 * Messages of at least one of `severities`, grouped by resource in order of appearance. Resources with the same
 * messages share a group.
 */
function diagnostics(
  board: Board,
  severities: ReadonlySet<BoardMessage["severity"]>,
  palette: Palette,
  width: number,
): string[] {
  const groups = new Map<string | undefined, BoardMessage[]>();
  for (const message of board.messages) {
    if (severities.has(message.severity) || message.unchecked)
      groups.set(message.urn, [...(groups.get(message.urn) ?? []), message]);
  }
  if (groups.size === 0) return [];
  const blocks = new Map<string, string[]>();
  for (const [urn, messages] of board.preview ? inOrderOfPlaces(board, [...groups]) : groups) {
    const blockLines = [...messages.flatMap((message) => paragraph(message, palette, width)), ""].join("\n");
    blocks.set(blockLines, [...(blocks.get(blockLines) ?? []), placedSubject(board, urn)]);
  }
  const lines = [...blocks].flatMap(([blockLines, subjects]) => [...headings(subjects, palette), blockLines]);
  return [palette.heading(`Diagnostics${shareOfErrors(board)}`), "", ...lines];
}

/** Checks end in any order: sorts messages with a place by file and line, as in the program. */
function inOrderOfPlaces<Rest>({ places }: Board, groups: [string | undefined, Rest][]): [string | undefined, Rest][] {
  const placed = groups.flatMap((group) => {
    const [, file, line] = /^(.*):(\d+)$/.exec(places.get(group[0] ?? "") ?? "") ?? [];
    return file === undefined ? [] : [{ group, file, line: Number(line) }];
  });
  const isPlaced = new Set(placed.map(({ group }) => group));
  placed.sort((one, other) => (one.file === other.file ? one.line - other.line : one.file < other.file ? -1 : 1));
  return groups.map((group) => (isPlaced.has(group) ? placed.shift()!.group : group));
}

/** Of a preview: how many resources have errors, or have not been checked because of one. */
function shareOfErrors(board: Board): string {
  const { preview, rows } = board;
  const planned = [...rows.values()].filter((row) => !isInternal(row));
  const failed = planned.filter(({ state, interrupted }) => state === "failed" && !interrupted).length;
  const [mistaken, unchecked] = [failed + rejectedCount(board), uncheckedIn(board)];
  if (!preview || mistaken === 0) return "";
  const share = `${mistaken} of ${planned.length + rejectedCount(board) + unchecked} resources have errors`;
  return unchecked === 0 ? `: ${share}` : `: ${share}, ${unchecked} not checked`;
}

/** The most subjects that one message lists. */
const maxHeadings = 5;

function headings(subjects: readonly string[], { title }: Palette): string[] {
  const more = subjects.length - maxHeadings;
  const visibleSubjects = more > 1 ? [...subjects.slice(0, maxHeadings), `and ${more} more`] : subjects;
  return visibleSubjects.map((subject) => `  ${title(subject)}`);
}

/** `acme:Box one`; the stack by its own name. */
export function subjectOf(board: Board, urn: string | undefined): string {
  const subject = urn === undefined ? undefined : board.subject(urn);
  if (subject === undefined || subject.type === stackType) return `stack ${oneLine(board.stack)}`;
  return oneLine(`${typeLabel(subject.type)} ${subject.name}`);
}

/** `acme:Box one (index.ts:3)` */
export function placedSubject(board: Board, urn: string | undefined): string {
  const place = urn === undefined ? undefined : board.places.get(urn);
  return `${subjectOf(board, urn)}${place === undefined ? "" : ` (${oneLine(place)})`}`;
}

function paragraph({ severity, text }: BoardMessage, palette: Palette, width: number): string[] {
  const label = severity === "info" ? "" : `${severity}: `;
  const paint = severity === "info" ? palette.plain : palette[severity];
  const [first = "", ...rest] = wrap(label + text, width - 6);
  return [
    `    ${paint(first.slice(0, label.length))}${first.slice(label.length)}`,
    ...rest.map((line) => `      ${line}`),
  ];
}

/** The stack's outputs, secrets as `[secret]`. */
function outputs(board: Board, palette: Palette, width: number): string[] {
  const entries = Object.entries(board.summary?.outputs ?? {}).filter(([name]) => !isHidden(name));
  if (entries.length === 0) return [];
  const nameWidth = Math.min(24, Math.max(...entries.map(([name]) => columns(oneLine(name)))));
  const lines = entries.flatMap(([name, value]) => {
    const [first = "", ...rest] = wrap(formatValue(value), width - nameWidth - 4);
    const indent = " ".repeat(nameWidth + 4);
    return [`  ${padEnd(oneLine(name), nameWidth)}  ${first}`, ...rest.map((line) => indent + line)];
  });
  return [palette.heading("Outputs"), "", ...lines, ""];
}

/** Names listed per outcome; the rest are counted. */
const maxNames = 20;
const words: readonly (readonly [keyof Outcomes, string])[] = [
  ["done", "done"],
  ["failed", "failed"],
  ["notBegun", "not begun"],
  ["unknown", "unknown"],
];

const labelWidth = 11;

/** Lists resources by outcome if counts are not enough: some were not begun, or their outcome is unknown. */
function outcomeLines(board: Board, palette: Palette, width: number): string[] {
  const outcomes = board.summary?.outcomes;
  if (outcomes === undefined || outcomes.unknown.length + outcomes.notBegun.length === 0) return [];
  const lines = words.flatMap(([key, label]) => {
    const names = namesOf(board, outcomes[key], key === "unknown" || key === "failed");
    if (names === "") return [];
    const [first = "", ...rest] = wrap(names, width - labelWidth - 4);
    const indent = " ".repeat(labelWidth + 4);
    return [`  ${padEnd(label, labelWidth)}  ${first}`, ...rest.map((line) => indent + line)];
  });
  return [palette.heading("Outcome by resource"), "", ...lines, "", ...wrap(nextRun(board, outcomes), width), ""];
}

function namesOf(board: Board, urns: readonly string[], inFull: boolean): string {
  const visibleUrns = inFull || urns.length <= maxNames + 1 ? urns : urns.slice(0, maxNames);
  const names = visibleUrns.map((urn) => {
    const { type, name } = board.subject(urn);
    return oneLine(`${typeLabel(type)} ${name}`);
  });
  return firstOf(names, { most: names.length, of: urns.length });
}

/** What the next run does with the remaining resources. A program may not have declared dependents of a failure. */
function nextRun({ operation }: Board, { unknown }: Outcomes): string {
  const isUp = operation === "up";
  const left = isUp ? "failed, were not begun or are not declared yet" : "failed or were not begun";
  const rest = `The next \`${operation}\` continues with resources that ${left}.`;
  const reassurance = isUp ? "and creates nothing twice" : "and repeats nothing";
  return unknown.length === 0 ? rest : `${rest} It checks the unknown ones before it sends anything, ${reassurance}.`;
}

/** Keeps a count and its words on one line. */
const tie = "\u00a0";

/** What a run counts, in the order of its last line. */
type Tally = { [change in keyof ChangeSummary | "import" | "left"]: string };

const done: Tally = {
  create: "created",
  import: "imported",
  update: "updated",
  replace: "replaced",
  delete: "deleted",
  left: "left",
  same: "unchanged",
};
const planned: Tally = {
  create: "to create",
  import: "to import",
  update: "to update",
  replace: "to replace",
  delete: "to delete",
  left: "to leave",
  same: "unchanged",
};

const outside: Tally = {
  create: "new",
  import: "imported",
  update: "changed outside",
  replace: "replaced outside",
  delete: "gone",
  left: "left",
  same: "as recorded",
};

/** One sentence: outcome, duration, number of changes. */
function summaryText(board: Board): string {
  const { summary } = board;
  if (summary === undefined) return "Stopped before it finished.";
  const own = board.preview ? planned : done;
  const words = board.operation === "refresh" ? outside : own;
  const { same, ...counted } = withoutStack(summary.changes, board);
  const rows = [...board.rows.values()].filter((row) => !isInternal(row));
  const imported = rows.filter(({ state, op }) => state === "done" && op === "import").length;
  const create = counted.create - imported;
  const changes = { ...counted, create, import: imported, left: summary.left.length };
  const failed =
    rows.filter(({ state, interrupted }) => state === "failed" && !interrupted).length + rejectedCount(board);
  const interrupted = rows.filter((row) => row.interrupted).length;
  const unfinished = summary.result === "succeeded" ? 0 : rows.filter(({ state }) => state === "running").length;
  const nothing = Object.values(changes).every((count) => count === 0);
  const mayBeOwn = board.operation === "refresh" ? rows.filter(isOwnDifference).length : 0;
  const ofProviders = board.operation === "refresh" ? rows.filter(isProviderUpdate).length : 0;
  const tallied = { ...changes, update: changes.update - mayBeOwn - ofProviders, same };
  const counts = (Object.keys(done) as (keyof Tally)[]).map((change): [number, string] => [
    tallied[change],
    words[change],
  ]);
  const [unchanged] = counts.splice(-1);
  const tally = [
    ...counts,
    [mayBeOwn, "differing after an interrupted run"] as const,
    [ofProviders, own.update] as const,
    [failed, "failed"] as const,
    [uncheckedIn(board), "not checked"] as const,
    [interrupted, "interrupted"] as const,
    [unfinished, "unfinished"] as const,
    unchanged ?? [same, words.same],
  ];
  const parts = tally.flatMap(([count, word]) => (count > 0 ? [`${count}${tie}${word.replaceAll(" ", tie)}`] : []));
  const idle = nothing && summary.result === "succeeded" ? [board.preview ? "nothing to do" : "nothing to change"] : [];
  const outcome = `${closingLine(board)}: ${[...idle, ...parts].join(", ") || "nothing was started"}.`;
  return `${outcome}${afterInterrupt(board, interrupted + unfinished > 0)}`;
}

const isOwnDifference = ({ state, changed, mayBeOwn, wasDeleted }: BoardRow): boolean =>
  state === "done" && changed && mayBeOwn && !wasDeleted;

/** Of a refresh: a provider whose configuration has changed, with a new key for example. */
const isProviderUpdate = ({ state, changed, op }: BoardRow): boolean => state === "done" && changed && op === "update";

/** What to do after an interrupt; `isOpen`: a step has begun and its end is unknown. */
function afterInterrupt({ summary, preview, operation }: Board, isOpen: boolean): string {
  if (summary?.result !== "interrupted" || preview) return "";
  const again = `Run \`${operation}\` again`;
  return isOpen ? ` ${again}: it finds what was begun.` : ` ${again} for the rest.`;
}

const uncheckedIn = ({ messages }: Board): number => messages.filter(({ unchecked }) => unchecked).length;

/** Resources without a planned step: their provider, or the engine, rejects the declaration. */
const rejectedCount = ({ messages, rows }: Board): number =>
  new Set(
    messages.flatMap(({ severity, urn = "" }) => (severity === "error" && urn !== "" && !rows.has(urn) ? [urn] : [])),
  ).size;

/** Pulumi's counts include the stack, which has no row here. */
function withoutStack(changes: ChangeSummary, board: Board): ChangeSummary {
  const stack = [...board.rows.values()].find(({ type }) => type === stackType);
  if (stack?.state !== "done") return changes;
  const counted = stack.op === "refresh" ? "same" : stack.op;
  return counted in changes
    ? { ...changes, [counted]: Math.max(0, changes[counted as keyof ChangeSummary] - 1) }
    : changes;
}

function closingLine({ preview, summary }: Board): string {
  const took = formatDuration(summary?.durationMs ?? 0);
  switch (summary?.result) {
    case "failed":
      return `${preview ? "Preview failed" : "Failed"} after ${took}`;
    case "interrupted":
      return `${preview ? "Preview interrupted" : "Interrupted"} after ${took}`;
    default:
      return `${preview ? "Preview done" : "Done"} in ${took}`;
  }
}

function paintOfEnding({ summary }: Board, { palette, expectsNoChanges = false }: ReportOptions): Paint {
  const { same: _, ...changes } = summary?.changes ?? {};
  const isUnexpected = expectsNoChanges && Object.values(changes).some((count) => count > 0);
  if (summary?.result === "succeeded" && isUnexpected) return palette.warning;
  return { succeeded: palette.good, interrupted: palette.warning, failed: palette.error }[summary?.result ?? "failed"];
}
