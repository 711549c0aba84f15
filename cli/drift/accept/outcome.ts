import type { SourceLocation } from "../../../drift/accept/program";
import type { AcceptedPart, ManualPart, RewriteResult } from "../../../drift/accept/wishes";
import type { Finding } from "../../../drift/scan/finding-document";
import { ownCommand, quotedCommand } from "../../../io/text/command-line";
import { firstOf } from "../../../io/text/first-of";
import { code, escapeProse } from "../../../io/text/markup";
import { groupBy } from "../../../provider/core/values/grouping";

/** The outcome for programs. */
export const documentOf = (
  { accepted, left }: RewriteResult,
  files: readonly string[],
  { patch, isWritten }: { patch: string; isWritten: boolean },
) => ({
  accepted: accepted.map((part) => ({ ...subjectOf(part), ...part.place })),
  left: left.map((part) => ({
    ...subjectOf(part),
    ...part.place,
    reason: part.reason,
    rule: part.rule,
    allow: part.allow,
    value: part.value,
  })),
  files,
  patch,
  written: isWritten,
});

const subjectOf = ({ finding, path }: AcceptedPart | ManualPart) => ({
  name: finding.name,
  type: finding.type,
  urn: finding.urn,
  fingerprint: finding.fingerprint,
  path,
});

/** Something that the edited program would change, and that nobody has accepted. */
export interface RestOfDrift {
  urn: string;
  /** `annotations` of User ada. */
  what: string;
}

interface Told {
  isWritten: boolean;
  isPatch: boolean;
  isMissed: boolean;
  isPart: boolean;
  rest: readonly RestOfDrift[];
}

/** The outcome for users. */
export function summaryOf(
  { accepted, left }: RewriteResult,
  files: readonly string[],
  { isPart, rest, ...how }: Told,
): string {
  const { isWritten, isPatch, isMissed } = how;
  const lines: string[] = [];
  if (isMissed) return "Nothing to accept: --only names nothing of what differs.\n";
  if (accepted.length + left.length === 0) return "Nothing to accept.\n";
  if (accepted.length > 0) {
    const edits = files.length === 0 ? "the program says so already" : files.join(", ");
    const notWritten = isPatch ? "The patch accepts" : "Can be accepted";
    lines.push(`${isWritten ? "Accepted" : notWritten}: ${count(accepted.length)} (${edits}).`);
    if (!isWritten && !isPatch && files.length > 0) lines.push("Nothing was written: --write edits the program.");
  }
  if (isWritten && files.length > 0) lines.push(nextStep(accepted, rest, isPart || left.length > 0));
  const [unread, changes] = [left.filter(isUnread), left.filter((part) => !isUnread(part))];
  if (changes.length > 0) lines.push(`Left: ${count(changes.length)}.`, ...changes.map(leftLine));
  lines.push(
    ...[...groupBy(unread, ({ finding }) => finding.account)].map(([account, parts]) => unreadLine(account, parts)),
  );
  return `${lines.join("\n")}\n`;
}

/** What could not be read is no change. */
const isUnread = ({ finding: { verdict } }: ManualPart): boolean => verdict === "forbidden" || verdict === "error";

const unreadLine = (account: string, parts: readonly ManualPart[]): string =>
  `Not compared: ${parts.length} ${parts.length === 1 ? "object" : "objects"} of account ${account}. \`npx pulumi-modelplatform drift\` says why.`;

/** Until then the state has what was recorded before. `isPart`: more differs, and a whole `up` would revert that. */
function nextStep(accepted: readonly AcceptedPart[], rest: readonly RestOfDrift[], isPart: boolean): string {
  const urns = new Set(accepted.flatMap(({ finding }) => finding.urn ?? []));
  const flags = isPart ? [...urns].map((urn): [string, string] => ["--target", urn]) : [];
  const command = quotedCommand([...ownCommand, "up", "--refresh"], { flags });
  const reverted = rest.filter(({ urn }) => !isPart || urns.has(urn)).map(({ what }) => what);
  const effect =
    reverted.length === 0
      ? "sends nothing and records what is accepted"
      : `records what is accepted, and reverts ${firstOf(reverted, { most: 3, joint: "; " })}`;
  return `Next: commit it, and run ${command}, which ${effect}.${isPart ? " Without --target, it reverts what else differs." : ""}`;
}

const count = (number: number): string => `${number} ${number === 1 ? "change" : "changes"}`;

/** How to accept what is left after all. */
export const allowHint = ({ allow }: Pick<ManualPart, "allow">): string =>
  allow === undefined ? "" : `; to accept it, add --allow ${allow}`;

/** The place comes first, as compilers print it. */
function leftLine({ finding, path, place, reason, value, ...part }: ManualPart): string {
  const subject = `${path === undefined ? "" : `\`${path}\` of `}${shortName(finding)}`;
  const expectedText = value === undefined ? "" : `; it would have to be ${JSON.stringify(value)}`;
  const advice = allowHint(part);
  return `  ${placeText(place)}${subject} ${reason}${expectedText}${advice}`;
}

export const shortName = ({ type, urn, name }: Finding): string =>
  `${type} ${urn === null ? name : urn.split("::").slice(3).join("::")}`;

const placeText = (place: SourceLocation | undefined): string =>
  place ? `${place.file}:${place.line}:${place.column}: ` : "";

/** What a forge takes of the text of a pull request, with room for what a pipeline adds. */
const longest = 30_000;

/** What the pull request accepts and leaves, as Markdown in which texts from the service have no effect. */
export function bodyOf({ accepted, left }: RewriteResult): string {
  const parts = [
    ...section("Accepted: the program matches the live state", accepted.map(acceptedItem)),
    ...section("Left to you", left.map(leftItem)),
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

function acceptedItem({ finding, path, place }: AcceptedPart): string {
  const change = finding.changes.find((each) => each.path === path);
  const changeText = change ? `: ${value(change.recorded)} → ${value(change.live)}` : ` is ${finding.verdict}`;
  return `- ${path === undefined ? "" : `${code(path)} of `}${code(shortName(finding))}${changeText}${placeCode(place)}`;
}

function leftItem({ finding, path, place, reason, allow, ...rest }: ManualPart): string {
  const expectedText = "value" in rest ? `; it would have to be ${value(rest.value)}` : "";
  const advice = allow === undefined ? "" : ` (${code(`--allow ${allow}`)})`;
  return `- ${path === undefined ? "" : `${code(path)} of `}${code(shortName(finding))} ${escapeProse(reason)}${expectedText}${advice}${placeCode(place)}`;
}

const value = (of: unknown): string => (of === undefined ? "unset" : code(truncate(JSON.stringify(of))));

const truncate = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);

const placeCode = (place: SourceLocation | undefined): string =>
  place ? ` (${code(`${place.file}:${place.line}`)})` : "";
