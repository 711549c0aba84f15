import { setImmediate as turn } from "node:timers/promises";
import { anything, matches, matchesCharacter, matchesOtherThan, type PatternStep } from "../../io/text/glob";
import { lastSegment } from "../../provider/core/values/names";
import { parsePath, pathText } from "../../provider/core/values/values";
import type { Change, Finding, Suppression } from "./finding-document";
import { countText, worstSeverity } from "./verdict";

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
