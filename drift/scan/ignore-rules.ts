import { anything, is, isNot, matches, type PatternStep } from "../../io/text/pattern";

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
  return { line, negated, folder, pattern: [...(anchored ? [] : anyFolders), ...tokensOf(inner)] };
}

/** Blanks at the end count where a backslash stands before them. */
function withoutTrailingBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && (line[end - 1] === " " || line[end - 1] === "\t") && line[end - 2] !== "\\") end -= 1;
  return line.slice(0, end);
}

const inName = isNot("/");
const anyFolders: readonly PatternStep[] = [{ optional: 2 }, { many: anything }, { one: is("/") }];

/** The tokens of a pattern, folder by folder: `**` alone is any number of folders. */
function tokensOf(pattern: string): PatternStep[] {
  const folders = pattern.split("/");
  return folders.flatMap((folder, index): readonly PatternStep[] => {
    const isLast = index === folders.length - 1;
    if (folder !== "**") return [...nameTokens(folder), ...(isLast ? [] : [{ one: is("/") }])];
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
    else tokens.push({ one: is(character === "\\" ? name[++place]! : character) });
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
