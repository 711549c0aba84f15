import type { Document, Parser as YamlParser } from "yaml";

/** The one way in which a text of YAML is parsed: in a time that grows with its length, for any content. */

/** Of a text. A program of five thousand resources has some 520,000 tokens in 2 MB; people write some thousand. */
const most = { characters: 4 * 1024 * 1024, tokens: 600_000, aliases: 1000 } as const;

export interface YamlOptions {
  intAsBigInt?: boolean;
  stringKeys?: boolean;
}

interface YamlText {
  document: Document.Parsed;
  /** Where the text is not one document of YAML, and why; holds none of it. */
  problem: string | undefined;
  /** More than one document, of which this is the first. */
  isSeveral: boolean;
  /** The line of a place in the text. */
  lineOf(offset: number): number;
}

/** Throws for a text above a ceiling, by the name `what` and without a word of it. */
export function readYaml(text: string, what: string, options: YamlOptions = {}): YamlText {
  if (text.length > most.characters)
    throw new Error(
      `${what} has ${Math.ceil(text.length / 1024 / 1024)} MB, and at most 4 MB are read. Check the file.`,
    );
  // Takes as long to load as a small scan: most commands read no such file.
  const { Composer, LineCounter } = require("yaml") as typeof import("yaml");
  const lines = new LineCounter();
  const parser = countingParser(lines.addNewLine, (problem, offset) => {
    throw new Error(`${what} has ${problem} by line ${lines.linePos(offset).line}. Check the file, or split it.`);
  });
  // The library compares each key with all others, and quotes the line of each error.
  const composer = new Composer({ ...options, version: "1.2", uniqueKeys: false, prettyErrors: false });
  const [document, second] = quietly(() => [...composer.compose(parser.parse(text), true, text.length)]);
  const place = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `line ${line}, column ${col}`;
  };
  const problem = problemIn(document as Document.Parsed, second?.range[0]);
  return {
    document: document as Document.Parsed,
    problem: problem && `${place(problem.at)}: ${problem.code}`,
    isSeveral: second !== undefined,
    lineOf: (offset) => lines.linePos(offset).line,
  };
}

type Refuse = (problem: string, offset: number) => never;

/** Counts while it reads, so that a text above a ceiling costs no more than one below it. */
function countingParser(onNewLine: (offset: number) => void, refuse: Refuse): YamlParser {
  const { Parser } = require("yaml") as typeof import("yaml");
  let [tokens, aliases] = [0, 0];
  return new (class extends Parser {
    override *next(source: string): ReturnType<YamlParser["next"]> {
      tokens += 1;
      if (source.startsWith("*")) aliases += 1;
      if (tokens > most.tokens) refuse(`more than ${most.tokens.toLocaleString("en-US")} tokens`, this.offset);
      if (aliases > most.aliases) refuse(`more than ${most.aliases.toLocaleString("en-US")} aliases`, this.offset);
      yield* super.next(source);
    }
  })(onNewLine);
}

/**
 * A stack for each of a hundred thousand errors would take most of the time; and the library prints what it reads if
 * the environment has a variable whose name others use too.
 */
function quietly<T>(parse: () => T): T {
  const { env } = process;
  const [limit, { LOG_STREAM, LOG_TOKENS }] = [Error.stackTraceLimit, env];
  Error.stackTraceLimit = 0;
  delete env["LOG_STREAM"];
  delete env["LOG_TOKENS"];
  try {
    return parse();
  } finally {
    Error.stackTraceLimit = limit;
    Object.assign(env, omitUnset({ LOG_STREAM, LOG_TOKENS }));
  }
}

const omitUnset = (variables: Readonly<Record<string, string | undefined>>): object =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined));

function problemIn(document: Document.Parsed, second: number | undefined): { at: number; code: string } | undefined {
  const [error] = document.errors;
  if (error !== undefined) return { at: error.pos[0], code: error.code.toLowerCase().replaceAll("_", " ") };
  if (second !== undefined) return { at: second, code: "multiple docs" };
  const repeated = repeatedKey(document);
  return repeated === undefined ? undefined : { at: repeated, code: "duplicate key" };
}

/** The position of a key that its map already has. */
function repeatedKey(document: Document): number | undefined {
  const { isScalar, visit } = require("yaml") as typeof import("yaml");
  let at: number | undefined;
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        const name = isScalar(key) ? key.value : key;
        if (isScalar(key) && seen.has(name)) at ??= key.range?.[0] ?? 0;
        seen.add(name);
      }
      return at === undefined ? undefined : visit.BREAK;
    },
  });
  return at;
}
