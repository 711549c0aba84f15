import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One change behind a program's back. */
export interface Drift {
  stack: string;
  kind: string;
  /** Of the resource in the stack; of an object that no stack manages, its id. */
  name: string;
  what: "changed" | "missing" | "unmanaged";
  path: string;
  /** Undefined: nothing is there. */
  recorded?: unknown;
  live?: unknown;
  /** Where the state says that the resource is declared, and by whom that was called, as `file:line`. */
  places?: readonly string[];
  /** Type of the component that it is in. */
  parent?: string;
}

/** What is left to a person. */
export interface Refused {
  name: string;
  path: string;
  /** `file:line`, or empty. */
  place: string;
  reason: string;
}

/** A program in one of the styles that people write, what drifts, and what `accept` makes of it. */
export interface CorpusCase {
  title: string;
  style: string;
  stacks: string[];
  drift: Drift[];
  allow: string[];
  only: string[];
  /** Why no engine runs it; undefined: one does. */
  dry: string | undefined;
  left: Refused[];
  /** By name, before and after; the patch between them is the one that the corpus shows. */
  files: Record<string, { before: string; after: string }>;
}

/**
 * A case is written as the patch that a person would write: `+` and `-` before the lines that change, a blank before
 * the others.
 * `@` lines say what drifts, `@at` where the state has a resource, and `@in` the type of its parent, `@dry` why
 * no engine runs it; `!` lines say what is left, and where.
 */
export function parseCorpus(text: string, style: string): CorpusCase[] {
  return text
    .split(/^=== /m)
    .slice(1)
    .map((part) => {
      const [title = "", ...lines] = part.split("\n");
      return parseCase(title, lines, style);
    });
}

function parseCase(title: string, lines: readonly string[], style: string): CorpusCase {
  const found: CorpusCase = {
    title,
    style,
    stacks: ["dev"],
    drift: [],
    allow: [],
    only: [],
    dry: undefined,
    left: [],
    files: {},
  };
  const places = new Map<string, string[]>();
  const parents = new Map<string, string>();
  let newline = "\n";
  let file = "index.ts";
  const bodies: Record<string, string[]> = {};
  for (const line of lines) {
    const word = /^@(\w+) (.*)$/.exec(line);
    if (word?.[1] === "stacks") found.stacks = word[2]!.split(" ");
    else if (word?.[1] === "allow") found.allow = word[2]!.split(" ");
    else if (word?.[1] === "only") found.only = word[2]!.split(" ");
    else if (word?.[1] === "dry") found.dry = word[2]!;
    else if (word?.[1] === "at") places.set(word[2]!.split(" ")[0]!, word[2]!.split(" ").slice(1));
    else if (word?.[1] === "in") parents.set(word[2]!.split(" ")[0]!, word[2]!.split(" ")[1]!);
    else if (word?.[1] === "newline") newline = "\r\n";
    else if (line.startsWith("@ ")) found.drift.push(parseDrift(line.slice(2)));
    else if (line.startsWith("! ")) found.left.push(parseRefused(line.slice(2)));
    else if (line.startsWith("--- ")) file = line.slice(4);
    else (bodies[file] ??= []).push(line);
  }
  for (const drift of found.drift) {
    if (places.has(drift.name)) drift.places = places.get(drift.name)!;
    if (parents.has(drift.name)) drift.parent = parents.get(drift.name)!;
  }
  for (const [name, body] of Object.entries(bodies)) {
    while (body.at(-1) === "") body.pop();
    const of = (mark: string): string =>
      body
        .flatMap((line) =>
          line === "" || " \\".includes(line[0]!) || line[0] === mark ? [`${line.slice(1)}${newline}`] : [],
        )
        .join("");
    if (body.length > 0) found.files[name] = { before: of("-"), after: of("+") };
  }
  return found;
}

/** `[prod] Deployment chat maxReplicaCount: 2 -> 4`, `User ada missing`, `User eve unmanaged: {…}`. */
function parseDrift(text: string): Drift {
  const match = /^(?:\[(\w+)\] )?(\w+) ([\w-]+) (.+)$/.exec(text);
  if (!match) throw new Error(`the corpus has no such drift: ${text}`);
  const [, stack = "dev", kind = "", name = "", rest = ""] = match;
  if (rest === "missing") return { stack, kind, name, what: "missing", path: "" };
  const unmanaged = /^unmanaged: (.*)$/.exec(rest);
  if (unmanaged) return { stack, kind, name, what: "unmanaged", path: "", live: JSON.parse(unmanaged[1]!) };
  const [, path = "", recorded = "", live = ""] = /^(.+?): (.*) -> (.*)$/.exec(rest) ?? [];
  return {
    ...{ stack, kind, name, what: "changed", path },
    ...(recorded !== "-" && { recorded: JSON.parse(recorded) as unknown }),
    ...(live !== "-" && { live: JSON.parse(live) as unknown }),
  };
}

/** `chat maxReplicaCount @ index.ts:7: is computed`. */
function parseRefused(text: string): Refused {
  const [, name = "", path = "", place = "", reason = ""] = /^(\S+)(?: (\S+))? @ ?(\S*): (.*)$/.exec(text) ?? [];
  return { name, path, place, reason };
}

const folder = join(__dirname, "corpus");

export const corpus: readonly CorpusCase[] = readdirSync(folder)
  .sort()
  .flatMap((name) => parseCorpus(readFileSync(join(folder, name), "utf8"), name.replace(/\.txt$/, "")));
