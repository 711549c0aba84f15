import { setImmediate as turn } from "node:timers/promises";
import { anything, matches, matchesCharacter, matchesOtherThan, type PatternStep } from "../../io/text/glob";
import { dayOf } from "../../provider/core/values/grouping";
import { accountOf, lastSegment } from "../../provider/core/values/names";
import { omitUndefined, parsePath, pathText } from "../../provider/core/values/values";
import { z } from "../../provider/core/zod";
import type { Change, DriftReport, Finding, StaleEntry, Suppression } from "./document";
import { originKey, recordedTwice, shortHash } from "./finding";
import { formerSubstanceOf, substanceOf } from "./substance";
import { countText, worstSeverity } from "./verdict";
import { latestExpiry, longestAcceptance } from "./verdicts";

/** Findings that a team has accepted for a while. */
const Entry = z.strictObject({
  origin: z.string(),
  name: z.string(),
  /** Absent: the finding as a whole, which has no changes. */
  path: z.string().optional(),
  /** Hash of what was decided on: another live value, rule or reason counts again. */
  live: z.string(),
  owner: z.string().min(1),
  reason: z.string().min(1),
  /** Last day on which it holds, UTC. */
  expires: z.iso.date(),
});

const BaselineFile = z.strictObject({ version: z.literal(1), entries: z.array(Entry) });

type Entry = z.infer<typeof Entry>;

export interface Baseline {
  /** Another one for another baseline. */
  key: string;
  suppressor: Suppressor;
  /**
   * Entries whose time is over, those that nothing matched in the accounts that were read, and those that would accept
   * more than somebody has seen. Asked once all findings have been shown to the suppressor.
   */
  stale(accounts: ReadonlySet<string>): StaleEntry[];
}

/** Reads a baseline. Throws an error that names the entry at fault. `where` is how errors call the file. */
export function openBaseline(document: unknown, where: string, now: number, allowError: boolean): Baseline {
  const parsed = BaselineFile.safeParse(document);
  if (!parsed.success)
    throw new Error(
      `${where} is not a baseline: ${parsed.error.issues.map(({ path, message }) => `\`${path.join(".") || "document"}\`: ${message}`).join("; ")}. Write one with \`drift baseline\`.`,
    );
  const { entries } = parsed.data;
  const tooLong = entries.find(({ expires }) => expires > latestExpiry(now));
  if (tooLong)
    throw new Error(
      `${where} accepts \`${tooLong.name}\` until ${tooLong.expires}, which is more than ${longestAcceptance} days from now. Give a day up to ${latestExpiry(now)}.`,
    );
  const today = dayOf(now);
  const current = new Map(entries.filter(({ expires }) => expires >= today).map((entry) => [keyOf(entry), entry]));
  const matched = new Set<Entry>();
  const wide = new Set<Entry>();

  return {
    key: hashOf([entries, allowError]),
    suppressor: (finding, change) => {
      const entry = current.get(keyOf(entryKey(finding, change, substanceOf)));
      const wider = entry ?? current.get(keyOf(entryKey(finding, change, formerSubstanceOf)));
      if (wider && !entry) wide.add(wider);
      if (!entry) return undefined;
      matched.add(entry);
      if ((change ?? finding).severity === "error" && !allowError) return undefined;
      return { by: "baseline", owner: entry.owner, reason: entry.reason, expires: entry.expires };
    },
    stale: (accounts) => {
      const whyStale = (entry: Entry): StaleEntry["why"] | undefined => {
        if (entry.expires < today) return "expired";
        if (wide.has(entry) && !matched.has(entry)) return "wide";
        return !matched.has(entry) && accounts.has(accountOf(entry.name) ?? "") ? "unmatched" : undefined;
      };
      return entries.flatMap((entry) => {
        const why = whyStale(entry);
        const { name, path, owner, reason, expires } = entry;
        return why ? [omitUndefined({ name, path, owner, reason, expires, why })] : [];
      });
    },
  };
}

/**
 * A baseline that accepts the findings of a report that are not suppressed yet; those of severity `error` only if that
 * is allowed.
 */
export function baselineOf(
  { findings }: DriftReport,
  { allowError, ...terms }: { owner: string; reason: string; expires: string; allowError: boolean },
): z.infer<typeof BaselineFile> {
  const accepted = findings.filter(
    ({ suppressed, verdict, ruleId }) =>
      (verdict !== "in-sync" || ruleId === recordedTwice) && (!suppressed || suppressed.by === "baseline"),
  );
  const entries = accepted.flatMap((finding) => {
    const parts = finding.changes.length > 0 ? finding.changes : [undefined];
    return parts
      .filter((change) => allowError || (change ?? finding).severity !== "error")
      .map((change) => ({ ...entryKey(finding, change, substanceOf), ...terms }));
  });
  return { version: 1, entries };
}

function entryKey(
  finding: Finding,
  change: Change | undefined,
  substance: typeof substanceOf,
): Pick<Entry, "origin" | "name" | "path" | "live"> {
  const { origin, name } = finding;
  return omitUndefined({ origin, name, path: change?.path, live: hashOf(substance(finding, change)) });
}

/** What accepting a finding, or one of its changes, rests on: the object, the field, its value, the reason. */
export const acceptanceKey = (finding: Finding, change: Change | undefined): string =>
  keyOf(entryKey(finding, change, substanceOf));

const keyOf = ({ origin, name, path, live }: Pick<Entry, "origin" | "name" | "path" | "live">): string =>
  JSON.stringify([originKey(origin), name, path, live]);

const hashOf = (value: unknown): string => shortHash(JSON.stringify(inOrder(value)));

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, inOrder(member)]),
  );
}

/** Why a change, or a finding without changes, does not count; undefined where it does. */
export type Suppressor = (finding: Finding, change: Change | undefined) => Suppression | undefined;

/**
 * The findings after suppression. The patterns may be any number, of anybody's writing: the signal is looked at after
 * each finding.
 */
export async function applySuppressions(
  findings: readonly Finding[],
  suppressors: readonly Suppressor[],
  signal: AbortSignal,
): Promise<Finding[]> {
  const judged: Finding[] = [];
  for (const finding of findings) {
    if (suppressors.length > 0) await turn();
    signal.throwIfAborted();
    judged.push(suppress(finding, suppressors));
  }
  return judged;
}

/**
 * The finding after suppression: suppressed if nothing of it counts, else without the changes that do not count. An
 * already suppressed finding is unchanged.
 */
function suppress(finding: Finding, suppressors: readonly Suppressor[]): Finding {
  if (finding.suppressed) return finding;
  const why = (change: Change | undefined): Suppression | undefined => {
    for (const suppressor of suppressors) {
      const suppressed = suppressor(finding, change);
      if (suppressed) return suppressed;
    }
    return undefined;
  };
  if (finding.changes.length === 0) return withReason(finding, why(undefined));
  const judged = finding.changes.map((change) => ({ change, suppressed: why(change) }));
  const counted = judged.flatMap(({ change, suppressed }) => (suppressed ? [] : [change]));
  if (counted.length === 0) return withReason(finding, judged[0]!.suppressed);
  if (counted.length === finding.changes.length) return finding;
  return {
    ...finding,
    changes: counted,
    severity: worstSeverity(counted.map(({ severity }) => severity)),
    reason: finding.reason.replace(countText(finding.changes), countText(counted)),
  };
}

const withReason = (finding: Finding, suppressed: Suppression | undefined): Finding =>
  suppressed ? { ...finding, suppressed } : finding;

/**
 * What an ignore file leaves out: gitignore syntax on `account/type/id`, and on `account/type/id#path` for a single
 * field. A pattern for a field leaves out what is below it, too; one without `#` is about objects only.
 */
export function ignoreFile(text: string): Suppressor {
  const rules = ignoreRules(text);
  const [objects, fields] = [rules.filter(({ line }) => !isOfField(line)), rules.filter(({ line }) => isOfField(line))];
  return ({ account, type, name }, change) => {
    const object = `${account}/${type}/${lastSegment(name)}`;
    const segments = change ? parsePath(change.path) : [];
    const places = segments.map((_, index) => `${object}#${pathText(segments.slice(0, index + 1))}`);
    const rule = [ruleFor(objects, object), ...places.map((place) => ruleFor(fields, place))].find(Boolean);
    return rule && { by: "ignore", owner: null, reason: `matches ${JSON.stringify(rule.line)}`, expires: null };
  };
}

/** A line that begins with `#` is a comment. */
const isOfField = (line: string): boolean => /^[^#].*#/.test(line);

/** A line of an ignore file. */
interface IgnoreRule {
  /** The line as it was written. */
  line: string;
  /** It takes back what lines above it ignore. */
  negated: boolean;
  /** It is about folders alone. */
  folder: boolean;
  pattern: readonly PatternStep[];
}

/** The rules of a text in gitignore syntax; blank lines, comments and what is no pattern are none. */
export const ignoreRules = (text: string): IgnoreRule[] => text.split(/\r?\n/).flatMap((line) => ruleOf(line) ?? []);

/**
 * The rule that ignores `path`, if one does: the last that matches, and before it the last that matches a folder above,
 * out of which nothing is taken back.
 */
export function ruleFor(rules: readonly IgnoreRule[], path: string): IgnoreRule | undefined {
  const segments = path.split("/");
  for (let depth = 1; depth <= segments.length; depth += 1) {
    const [place, isFolder] = [segments.slice(0, depth).join("/"), depth < segments.length];
    const last = rules.findLast(({ folder, pattern }) => (isFolder || !folder) && matches(pattern, place));
    if (last && !last.negated) return last;
  }
  return undefined;
}

function ruleOf(line: string): IgnoreRule | undefined {
  const written = withoutTrailingBlanks(line);
  if (written === "" || written.startsWith("#") || /^(?:[^\\]|\\.)*\\$/s.test(written)) return undefined;
  const negated = written.startsWith("!");
  const body = negated ? written.slice(1) : written;
  const folder = body.endsWith("/");
  const inner = (folder ? body.slice(0, -1) : body).replace(/^\//, "");
  if (inner === "") return undefined;
  const anchored = (folder ? body.slice(0, -1) : body).includes("/");
  return { line, negated, folder, pattern: [...(anchored ? [] : anyFolders), ...pathPattern(inner)] };
}

/** Trailing blanks count after a backslash. */
function withoutTrailingBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && (line[end - 1] === " " || line[end - 1] === "\t") && line[end - 2] !== "\\") end -= 1;
  return line.slice(0, end);
}

const inName = matchesOtherThan("/");
const anyFolders: readonly PatternStep[] = [{ optional: 2 }, { many: anything }, { one: matchesCharacter("/") }];

/** The steps of a pattern, folder by folder: `*` is any text within one, `**` alone any number of folders. */
export function pathPattern(pattern: string): PatternStep[] {
  const folders = pattern.split("/");
  return folders.flatMap((folder, index): readonly PatternStep[] => {
    const isLast = index === folders.length - 1;
    if (folder !== "**") return [...nameTokens(folder), ...(isLast ? [] : [{ one: matchesCharacter("/") }])];
    return isLast ? [{ one: anything }, { many: anything }] : anyFolders;
  });
}

function nameTokens(name: string): PatternStep[] {
  const tokens: PatternStep[] = [];
  for (let place = 0; place < name.length; place += 1) {
    const character = name[place]!;
    const [members, end] = character === "[" ? classAt(name, place) : [undefined, place];
    if (members) tokens.push({ one: members });
    else if (character === "*") tokens.push({ many: inName });
    else if (character === "?") tokens.push({ one: inName });
    else tokens.push({ one: matchesCharacter(character === "\\" ? name[++place]! : character) });
    place = members ? end : place;
  }
  return tokens;
}

/** `[a-z]`, `[!a-z]`; a bracket without its end is a letter like others. */
function classAt(name: string, start: number): [((character: string) => boolean) | undefined, number] {
  const end = name.indexOf("]", start + 1);
  if (end < 0) return [undefined, start];
  const negated = /[!^]/.test(name[start + 1]!);
  const inside = name.slice(start + (negated ? 2 : 1), end);
  const ranges = [...inside.matchAll(/\\?(.)(?:-\\?(.))?/gs)].map(([, from, to]) => [from!, to ?? from!] as const);
  const isMember = (character: string): boolean => ranges.some(([from, to]) => from <= character && character <= to);
  return [(character) => character !== "/" && isMember(character) !== negated, end];
}
