import { isDeepStrictEqual } from "node:util";
import type { Op, PropertyDiff, StepSummary } from "../events";
import { type ResourceState, type StateValue, stackType } from "../state/resource-state";
import { differenceKind } from "../values/differences";
import { type Board, isKept } from "./board";
import { columns, hang, oneLine, type Palette, padEnd, paintOf, truncate, wrap } from "./text";
import { formatValue, isHidden, leaves, mask, maskProperties, typeLabel, wordsOf } from "./wording";

const marks = { add: "+", delete: "-", update: "~" } as const;
const paints = { add: "add", delete: "remove", update: "change" } as const;
/** Paths longer than this do not push values to the right. */
const maxPathWidth = 32;
const maxValueLines = 4;
const creating: ReadonlySet<Op> = new Set<Op>(["create", "import", "create-replacement"]);
const deleting: ReadonlySet<Op> = new Set<Op>(["delete", "delete-replaced"]);

/** Every change, field by field: planned, applied, or (for a refresh) the live state instead of the recorded one. */
export function differences(board: Board, palette: Palette, width: number): string[] {
  const visibleSteps = new Map<string, { step: StepSummary; failed: boolean }>();
  for (const each of board.steps) {
    if (each.step.type === stackType && !each.failed) continue;
    // The steps of a replacement share their URN; the one that makes the new object knows the differences.
    const key = `${each.step.op === "refresh"} ${each.step.urn}`;
    const known = visibleSteps.get(key);
    if (known === undefined || known.step.op === "delete-replaced" || each.failed) visibleSteps.set(key, each);
  }
  const blocks = [...visibleSteps.values()].map(({ step, failed }) => ({
    section: sectionOf(step),
    lines: block(step, { failed, preview: board.preview }, palette, width),
  }));
  return [
    ...Object.entries(titles).flatMap(([name, title]) =>
      section(
        title,
        blocks.filter((each) => each.section === name),
        palette,
      ),
    ),
  ];
}

/** In this order. */
const titles = {
  outside: "Changed outside (recorded => live)",
  own: "Differs after an interrupted run (recorded => live)",
  changes: "Changes",
} as const;

function sectionOf({ op, mayBeOwn }: StepSummary): keyof typeof titles {
  if (op !== "refresh") return "changes";
  return mayBeOwn ? "own" : "outside";
}

function section(title: string, blocks: { lines: string[] }[], palette: Palette): string[] {
  if (blocks.length === 0) return [];
  return [palette.heading(title), "", ...blocks.flatMap(({ lines }) => [...lines, ""])];
}

/** How a step ended, or that it is only planned. */
interface Outcome {
  failed: boolean;
  preview: boolean;
}

const wasDeleted = ({ op, new: fresh }: StepSummary): boolean => op === "refresh" && fresh === undefined;

function outcomeWord(step: StepSummary, { failed, preview }: Outcome): string {
  const { planned, running, done } = wordsOfStep(step, failed);
  if (wasDeleted(step)) return "gone";
  if (failed) return `${running} failed`;
  return preview ? planned : done;
}

const wordsOfStep = (step: StepSummary, failed: boolean) =>
  wordsOf({ ...step, op: step.op === "create-replacement" && !failed ? "replace" : step.op });

function block(step: StepSummary, outcome: Outcome, palette: Palette, width: number): string[] {
  const isDeletion = wasDeleted(step);
  const { symbol } = wordsOfStep(step, outcome.failed);
  const word = outcomeWord(step, outcome);
  const diffs = visibleDiffs(step);
  const title = `${isDeletion ? "-" : symbol} ${oneLine(typeLabel(step.type))} ${oneLine(step.name)}: ${word}${reason(step, diffs)}`;
  const pathWidth = Math.min(maxPathWidth, Math.max(0, ...diffs.map(({ path }) => columns(path))));
  const paint = isDeletion ? palette.remove : paintOf(palette, step.op);
  return [...hang(title, width).map(paint), ...diffs.flatMap((diff) => entry(diff, pathWidth, palette, width))];
}

function reason(step: StepSummary, diffs: PropertyDiff[]): string {
  const forcing = diffs.filter(({ replaces }) => replaces).map(({ path }) => path);
  if (forcing.length > 0) return `, because of ${forcing.join(", ")}`;
  const failure = step.op === "update" ? step.old?.initErrors?.[0] : undefined;
  return failure === undefined ? "" : `, because an earlier operation on it failed: ${oneLine(failure)}`;
}

/** The step's differences; for a new or a deleted resource every recorded input. */
function visibleDiffs(step: StepSummary): PropertyDiff[] {
  const visible = step.diffs.filter((diff) => !isHidden(diff.path) && !isKept(step, diff));
  if (visible.length > 0) return visible.flatMap(unfold);
  if (creating.has(step.op)) return inputs(step.new).map(([path, value]) => ({ path, kind: "add", new: value }));
  if (!deleting.has(step.op)) return [];
  const id: [string, StateValue][] = step.old?.id === undefined ? [] : [["id", step.old.id]];
  return [...id, ...inputs(step.old)].map(([path, value]) => ({ path, kind: "delete", old: value }));
}

const inputs = (state: ResourceState | undefined): [string, StateValue][] =>
  [...leaves(maskProperties(state?.inputs))].filter(([path]) => path !== "");

/** Splits a difference between collections, or an added or removed one, into its differing leaves. */
function unfold(diff: PropertyDiff): PropertyDiff[] {
  const old = diff.kind === "add" ? new Map<string, StateValue>() : leaves(mask(diff.old));
  const now = diff.kind === "delete" ? new Map<string, StateValue>() : leaves(mask(diff.new));
  const below = [...new Set([...old.keys(), ...now.keys()])].filter(
    (path) => !isDeepStrictEqual(old.get(path), now.get(path)),
  );
  // Masked secrets look alike: only the fact of a difference remains.
  if (below.length === 0) return [diff];
  return below.map((path) => ({
    ...diff,
    path: path === "" || path.startsWith("[") ? diff.path + path : `${diff.path}.${path}`,
    kind: differenceKind(old.has(path), now.has(path)),
    old: old.get(path),
    new: now.get(path),
  }));
}

function entry(diff: PropertyDiff, pathWidth: number, palette: Palette, width: number): string[] {
  const paint = palette[paints[diff.kind]];
  const start = `  ${marks[diff.kind]} ${padEnd(oneLine(diff.path), pathWidth)}  `;
  const note = diff.replaces ? "  (replaces)" : "";
  const value =
    diff.kind === "update"
      ? `${formatValue(diff.old)} => ${formatValue(diff.new)}`
      : formatValue(diff.kind === "add" ? diff.new : diff.old);
  if (columns(start) + columns(value) + columns(note) <= width) return [paint(start) + value + palette.replace(note)];
  const top = hang(`  ${marks[diff.kind]} ${oneLine(diff.path)}${note}`, width).map(paint);
  return [...top, ...(diff.kind === "update" ? oldAndNewLines(diff, palette, width) : truncateValue(value, width))];
}

/** A long value on separate lines, truncated after a few. */
function truncateValue(value: string, width: number): string[] {
  const lines = wrap(value, width - 6);
  const kept = lines.slice(0, maxValueLines).map((line) => `      ${line}`);
  return lines.length > maxValueLines ? [...kept, `      … ${value.length.toLocaleString("en")} characters`] : kept;
}

/** Old over new, both from a little before the first character that differs. */
function oldAndNewLines(diff: PropertyDiff, palette: Palette, width: number): string[] {
  const before = formatValue(diff.old);
  const after = formatValue(diff.new);
  const room = width - 8;
  const [old, now] =
    columns(before) <= room && columns(after) <= room ? [before, after] : excerpts(before, after, room);
  return [`      ${palette.remove("-")} ${old}`, `      ${palette.add("+")} ${now}`];
}

function excerpts(before: string, after: string, room: number): [string, string] {
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  const from = Math.max(0, same - Math.floor(room / 3));
  const cut = (text: string): string => truncate(from > 0 ? `…${text.slice(from)}` : text, room);
  return [cut(before), cut(after)];
}
