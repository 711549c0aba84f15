import type { Outcomes } from "../events";
import type { Board } from "./board";
import type { Palette } from "./palette";
import { oneLine, padEnd, wrap } from "./text";
import { typeLabel } from "./words";

/** Of these, so many are named and the rest counted: a run of hundreds is not listed again. */
const mostNames = 20;

const words: readonly (readonly [keyof Outcomes, string])[] = [
  ["done", "done"],
  ["failed", "failed"],
  ["notBegun", "not begun"],
  ["unknown", "unknown"],
];
const labelWidth = 11;

/**
 * What is done, not done and unknown, by name, where counts do not say it: something was not begun, or has an end that
 * nobody knows.
 */
export function outcomeLines(board: Board, palette: Palette, width: number): string[] {
  const outcomes = board.summary?.outcomes;
  if (outcomes === undefined || outcomes.unknown.length + outcomes.notBegun.length === 0) return [];
  const lines = words.flatMap(([key, label]) => {
    const names = namesOf(board, outcomes[key], key === "unknown" || key === "failed");
    if (names === "") return [];
    const [first = "", ...rest] = wrap(names, width - labelWidth - 4);
    const indent = " ".repeat(labelWidth + 4);
    return [`  ${padEnd(label, labelWidth)}  ${first}`, ...rest.map((line) => indent + line)];
  });
  return [palette.heading("What became of it"), "", ...lines, "", ...wrap(nextRun(board, outcomes), width), ""];
}

function namesOf(board: Board, urns: readonly string[], inFull: boolean): string {
  const shown = inFull || urns.length <= mostNames + 1 ? urns : urns.slice(0, mostNames);
  const names = shown.map((urn) => {
    const { type, name } = board.subject(urn);
    return oneLine(`${typeLabel(type)} ${name}`);
  });
  const more = urns.length - shown.length;
  return more > 0 ? `${names.join(", ")} and ${more} more` : names.join(", ");
}

/** What the next run does with what is left. What depends on a failure, a program may not have declared yet. */
function nextRun({ operation }: Board, { unknown }: Outcomes): string {
  const isUp = operation === "up";
  const left = isUp ? "failed, was not begun or not declared yet" : "failed or was not begun";
  const rest = `The next \`${operation}\` goes on with what ${left}.`;
  const found = isUp ? "and makes nothing that is there already" : "and does nothing twice";
  return unknown.length === 0 ? rest : `${rest} It looks for what is unknown before it sends anything, ${found}.`;
}
