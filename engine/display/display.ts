import { printableJson, sanitizeOutput } from "../../io/text/printable";
import { sourceLineOf } from "../../io/text/source-line";
import { isLongWait, timeOfDay } from "../../io/text/time-of-day";
import type { ChangeSummary, EngineEvent, Op, Outcomes, PropertyDiff, StepSummary } from "../events";
import type { PropertyMap, ResourceState, StateValue } from "../state/resource-state";
import { withHiddenSecrets } from "../values/hidden-secrets";
import { Board, type BoardRow, isInternal, isNotable, titleOf } from "./board";
import { placedSubject, report, subjectOf } from "./report";
import { isActive, statusOf, symbolOf } from "./table";
import { clean, createPalette, formatDuration, formatElapsed, oneLine, type Palette } from "./text";
import { isHidden, mask, maskProperties, opWords, wordsOf } from "./wording";

/** Shows one operation. */
export interface Display {
  /** MUST be called with every event, in order. */
  onEvent(event: EngineEvent): void;
  /** Shows a message about the whole operation immediately. */
  notice(text: string): void;
  /** Ends the display and writes the report. MUST be called once, with any outcome. */
  close(): void;
}

export interface DisplayClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back every `ms` until the returned function is called. */
  every(ms: number, callback: () => void): () => void;
}

export interface DisplayOptions {
  write(text: string): void;
  palette: Palette;
  /** Current columns and rows: terminals change size. */
  size(): { width: number; height: number };
  clock: DisplayClock;
  /** The report shows every change field by field. */
  diff: boolean;
  /** Displays an outcome with changes as a warning. */
  expectsNoChanges?: boolean;
}

/** One JSON document per line, for each event except debug messages, secrets masked. */
export function createJsonDisplay(write: (text: string) => void, clock: Pick<DisplayClock, "now">): Display {
  const emit = (document: unknown) => write(`${printableJson(document)}\n`);
  return {
    onEvent: (event) => {
      if (event.kind !== "diagnostic" || event.severity !== "debug") emit(eventDocument(event));
    },
    notice: (message) => emit({ kind: "diagnostic", severity: "info", message, ephemeral: true, time: clock.now() }),
    close: () => {},
  };
}

function eventDocument(event: EngineEvent): object {
  if ("step" in event) return { ...event, step: stepDocument(event.step) };
  return event.kind === "summary" ? { ...event, outputs: maskProperties(event.outputs) } : event;
}

function stepDocument({ old, new: fresh, diffs, ...rest }: StepSummary): object {
  return {
    ...rest,
    old: old && stateDocument(old),
    new: fresh && stateDocument(fresh),
    diffs: diffs.filter(({ path }) => !isHidden(path)).map(diffDocument),
  };
}

function diffDocument({ old, new: fresh, ...rest }: PropertyDiff): object {
  return {
    ...rest,
    old: old === undefined ? undefined : mask(old),
    new: fresh === undefined ? undefined : mask(fresh),
  };
}

function stateDocument(state: ResourceState): object {
  const { id, parent, provider, protect, retainOnDelete, initErrors, sourcePosition, inputs, outputs } = state;
  return {
    id,
    parent,
    provider,
    protect,
    retainOnDelete,
    initErrors,
    place: sourceLineOf(sourcePosition),
    inputs: maskProperties(inputs),
    outputs: maskProperties(outputs),
  };
}

interface Result {
  result: "succeeded" | "failed";
  changes: ChangeSummary;
  left: readonly string[];
  outputs: PropertyMap;
  /** The outcome of each resource, if not all succeeded. */
  outcomes?: Outcomes | undefined;
  /** The cost, if computed. */
  cost?: object | undefined;
}

/**
 * The last line of `--json`: `{"result", "changes", "left", "outputs"}`, with `outcomes` if it did not succeed, and
 * `cost` if there is one. Without a summary, the operation did nothing.
 */
export function resultLine(result: Result | undefined): string {
  const changes = { create: 0, update: 0, replace: 0, delete: 0, same: 0, ...result?.changes };
  const outputs: StateValue = maskProperties(result?.outputs);
  const cost = result?.cost && { cost: result.cost };
  const outcomes = result?.outcomes && { outcomes: result.outcomes };
  const left = result?.left ?? [];
  return `${printableJson({ result: result?.result ?? "failed", changes, left, outputs, ...outcomes, ...cost })}\n`;
}

/** Milliseconds of silence after which a running step reports that it still runs. */
const heartbeat = 30_000;

/** One line per start and end of a step, and a heartbeat for long ones: for logs and simple terminals. */
export function createPlainDisplay(options: DisplayOptions): Display {
  const { clock, palette } = options;
  const board = new Board();
  const lastWritten = new Map<string, number>();
  const writeLine = (time: number, text: string) => options.write(`${palette.faint(timeOfDay(time))}  ${text}\n`);
  const writeRow = (row: BoardRow, time: number, text: string) => {
    lastWritten.set(row.urn, time);
    writeLine(time, `${symbolOf(row).padStart(2)} ${subjectOf(board, row.urn)}: ${oneLine(text)}`);
  };

  const beat = () => {
    const now = clock.now();
    for (const row of board.rows.values()) {
      if (!isActive(row, board.preview) || isInternal(row) || now - (lastWritten.get(row.urn) ?? row.since) < heartbeat)
        continue;
      const phase = row.phase === undefined ? "" : `, ${oneLine(row.phase)}`;
      writeRow(row, now, `${opWords[row.step].running} for ${formatElapsed(now - row.since)}${phase}`);
    }
  };
  const stop = clock.every(1_000, beat);

  return {
    onEvent(event) {
      board.apply(event);
      writeEvent(event, board, { writeLine, writeRow });
    },
    notice: (text) => writeLine(clock.now(), oneLine(text)),
    close() {
      stop();
      if (board.startedAt === undefined) return;
      options.write(`${["", ...report(board, { ...options, width: options.size().width, quiet: true })].join("\n")}\n`);
    },
  };
}

interface PlainOutput {
  writeLine(time: number, text: string): void;
  writeRow(row: BoardRow, time: number, text: string): void;
}

function writeEvent(event: EngineEvent, board: Board, { writeLine, writeRow }: PlainOutput): void {
  switch (event.kind) {
    case "prelude":
      writeLine(event.time, titleOf(board));
      return;
    case "stepStarted":
    case "stepFinished":
    case "stepFailed":
      writeStep(event, board, writeRow);
      return;
    case "diagnostic":
      if (event.ephemeral) return writeLongWait(event, board, writeRow);
      if (event.severity === "debug") return;
      if (event.unchecked) return writeLine(event.time, ` ! ${subjectOf(board, event.urn)}: ${oneLine(event.message)}`);
      if (event.severity === "error") return writeFailure(event, board, writeLine);
      for (const line of clean(event.message).trimEnd().split("\n")) {
        writeLine(
          event.time,
          `${event.severity}: ${event.urn === undefined ? "" : `${placedSubject(board, event.urn)}: `}${line}`,
        );
      }
  }
}

function writeLongWait(
  { message, urn, time }: Extract<EngineEvent, { kind: "diagnostic" }>,
  board: Board,
  writeRow: PlainOutput["writeRow"],
): void {
  const row = urn === undefined ? undefined : board.rows.get(urn);
  if (row !== undefined && isLongWait(message)) writeRow(row, time, message);
}

/** An error is printed once, in the report. A failed step already has its line. */
function writeFailure(
  { time, urn }: Extract<EngineEvent, { kind: "diagnostic" }>,
  board: Board,
  writeLine: PlainOutput["writeLine"],
): void {
  if (urn === undefined || board.rows.get(urn)?.state === "failed") return;
  if (board.messages.filter((each) => each.urn === urn && each.severity === "error").length > 1) return;
  writeLine(time, `${"!".padStart(2)} ${subjectOf(board, urn)}: failed`);
}

type StepEvent = Extract<EngineEvent, { kind: "stepStarted" | "stepFinished" | "stepFailed" }>;

const unannounced: ReadonlySet<Op> = new Set<Op>(["refresh", "read", "same", "replace"]);
const silent: ReadonlySet<Op> = new Set<Op>(["same", "read"]);

function writeStep({ kind, step, time }: StepEvent, board: Board, writeRow: PlainOutput["writeRow"]): void {
  const row = board.rows.get(step.urn);
  if (row === undefined || !isNotable(row)) return;
  if (kind === "stepStarted") {
    if (!board.preview && !unannounced.has(step.op)) writeRow(row, time, opWords[step.op].running);
    return;
  }
  // Of a replacement, a preview shows the whole as one step, an update the steps that take time.
  const redundant = row.op === "replace" && (step.op === "replace") !== board.preview;
  if (kind === "stepFinished" && (silent.has(step.op) || redundant)) return;
  const took = board.preview ? "" : ` (${formatDuration(row.durationMs)})`;
  const partial = kind === "stepFinished" && row.op === "replace" && !board.preview;
  writeRow(row, time, `${partial ? wordsOf({ ...row, op: step.op }).done : statusOf(row, board.preview)}${took}`);
}

interface OutputSettings {
  onEvent?: (event: EngineEvent) => void;
  showSecrets?: boolean | undefined;
  /** The operation as lines of text, without colours. */
  onOutput?: (text: string) => void;
  diff?: boolean;
}

/** Forwards events, also as lines of text for callers that want those. */
export function plainOutput({ onEvent, onOutput, showSecrets = false, diff = false }: OutputSettings): {
  emit: (event: EngineEvent) => void;
  close(): void;
} {
  const forward = (event: EngineEvent): void => onEvent?.(showSecrets ? event : withHiddenSecrets(event));
  if (onOutput === undefined) return { emit: forward, close: () => undefined };
  const display = createPlainDisplay({
    write: (text) => onOutput(sanitizeOutput(text)),
    palette: createPalette(false),
    size: () => ({ width: 120, height: 24 }),
    clock: {
      now: () => Date.now(),
      every: (ms, callback) => {
        const timer = setInterval(callback, ms);
        timer.unref();
        return () => clearInterval(timer);
      },
    },
    diff,
  });
  return {
    emit: (event) => {
      forward(event);
      display.onEvent(event);
    },
    close: () => display.close(),
  };
}
