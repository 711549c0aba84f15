import type { AcceptedPart, Rewritten } from "../../../drift/accept/outcome";
import type { SourceLocation } from "../../../drift/accept/program";
import type { RefusedPart } from "../../../drift/accept/wishes";
import { code, prose } from "../../../io/text/markdown";
import { shortName } from "./outcome";

/** What a forge takes of the text of a pull request, with room for what a pipeline adds. */
const longest = 30_000;

/** What the pull request accepts and leaves, as Markdown in which texts from the service have no effect. */
export function bodyOf({ accepted, left }: Rewritten): string {
  const parts = [
    ...section("Accepted: the program matches the live state", accepted.map(acceptedLine)),
    ...section("Left to you", left.map(leftLine)),
    "Merging changes nothing that is live. Close this to keep the program as it is, and revert the drift with `up --refresh`.",
  ];
  return `${parts.join("\n\n")}\n`;
}

function section(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const fitting: string[] = [];
  let room = longest / 2;
  for (const line of lines) {
    room -= line.length;
    if (room < 0) break;
    fitting.push(line);
  }
  const hidden = lines.length - fitting.length;
  return [`### ${title} (${lines.length})`, [...fitting, ...(hidden > 0 ? [`- … and ${hidden} more`] : [])].join("\n")];
}

function acceptedLine({ finding, path, place }: AcceptedPart): string {
  const change = finding.changes.find((each) => each.path === path);
  const said = change ? `: ${value(change.recorded)} → ${value(change.live)}` : ` is ${finding.verdict}`;
  return `- ${path === undefined ? "" : `${code(path)} of `}${code(shortName(finding))}${said}${placeText(place)}`;
}

function leftLine({ finding, path, place, reason, rule, ...rest }: RefusedPart): string {
  const wanted = "value" in rest ? `; it would have to be ${value(rest.value)}` : "";
  const advice = rule === undefined ? "" : ` (rule ${code(rule)})`;
  return `- ${path === undefined ? "" : `${code(path)} of `}${code(shortName(finding))} ${prose(reason)}${wanted}${advice}${placeText(place)}`;
}

const value = (of: unknown): string => (of === undefined ? "unset" : code(short(JSON.stringify(of))));

const short = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);

const placeText = (place: SourceLocation | undefined): string =>
  place ? ` (${code(`${place.file}:${place.line}`)})` : "";
