import { type Command, InvalidArgumentError, Option } from "commander";
import type { Formats as ReportFormats } from "../../io/text/report-format";
import type { CliContext } from "./context";
import { CommandError, usageError } from "./failure";

/** For `addHelpText("after", …)`: how the command is called, one call per line. */
export const example = (...lines: string[]): string => `\nExample:\n${lines.map((line) => `  $ ${line}`).join("\n")}\n`;

type CamelCase<Text extends string> = Text extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Text;

type LongName<Words extends string> = Words extends `${string}--${infer Name} ${string}`
  ? Name
  : Words extends `${string}--${infer Name}`
    ? Name
    : never;

/** `-o, --output <file>` is parsed as `output`, `--no-select` as `select`. */
type ParsedName<Words extends string> =
  LongName<Words> extends `no-${infer Name}` ? CamelCase<Name> : CamelCase<LongName<Words>>;

/** `Parsed`, such as `{ output?: string }`, is what the flag adds to a command's options. */
type Flag<Parsed = object> = Option & { readonly parsed?: Parsed };

type PlainValue<Words extends string> = Words extends `${string}${"<" | "["}${string}` ? string : boolean;

type Parser<Value, Before> = (text: string, before: Before) => Value;

/** What commander parses the flags of a list into, or of the list that a function returns. */
export type FlagsOf<List> = List extends (...args: never[]) => infer Returned
  ? FlagsOf<Returned>
  : List extends readonly Flag[]
    ? Intersection<NonNullable<List[number]["parsed"]>>
    : never;

type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (each: infer All) => void
  ? All
  : never;

/**
 * Declares a flag once: its name and the type of its value follow from `words`, and from `value` where there is one,
 * which parses the text or lists the words that the flag takes. `fallback` is its default.
 *
 *     const flags = [flag("--output <file>", "where to write"), flag("--page <n>", "which page", positiveInteger, 1)];
 *     type Parsed = FlagsOf<typeof flags>; // { output?: string; page: number }
 */
export function flag<Words extends string, const Value = PlainValue<Words>>(
  words: Words,
  description: string,
  value?: Parser<Value, Value | undefined> | readonly Value[],
): Flag<{ [Name in ParsedName<Words>]?: Value }>;
export function flag<Words extends string, const Value = string>(
  words: Words,
  description: string,
  value: Parser<Value, Value> | readonly Value[] | undefined,
  fallback: NoInfer<Value>,
): Flag<{ [Name in ParsedName<Words>]: Value }>;
export function flag(
  words: string,
  description: string,
  value?: Parser<unknown, unknown> | readonly string[],
  fallback?: unknown,
): Flag {
  const option = new Option(words, description).default(fallback);
  if (typeof value === "function") return option.argParser(value);
  return value ? option.choices(value) : option;
}

export const addFlags = (command: Command, flags: readonly Flag[]): Command =>
  flags.reduce((each, option) => each.addOption(option), command);

/** The flags under a heading of their own in the help. */
export const withHelpGroup = <List extends readonly Flag[]>(heading: string, flags: List): List =>
  flags.map((each) =>
    // What is looked up on demand stays so.
    Object.defineProperties(new Option(each.flags), Object.getOwnPropertyDescriptors(each)).helpGroup(heading),
  ) as readonly Flag[] as List;

/** The flags whose parsed name is none of `names`. */
export const without = <F extends Flag, const Name extends string>(
  flags: readonly F[],
  ...names: Name[]
): (F extends Flag<infer Parsed> ? (keyof Parsed extends Name ? never : F) : never)[] =>
  flags.filter((option) => !(names as string[]).includes(option.attributeName())) as never;

/** Parses a flag that may be repeated. */
export const collect = (text: string, before: string[] = []): string[] => [...before, text];

export const repeatable = <Words extends string>(words: Words, description: string) =>
  flag(words, `${description}; may be repeated`, collect);

/** Parses a whole number of at least 1. */
export function positiveInteger(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError("It must be a whole number of at least 1.");
  return Number(text);
}

export const stackFlag = flag("-s, --stack <name>", "the stack (default: the selected one, or the only one)");
export const jsonFlag = flag("-j, --json", "print JSON");
export const yesFlag = flag("-y, --yes", "do not ask");

/** Parses a flag that takes one or more known words, separated by commas or in flags of their own. */
export const listOf =
  <T extends string>(flag: string, known: () => readonly T[]) =>
  (text: string, before: T[] | undefined): T[] => {
    const words = text.split(",").map((part) => part.trim());
    const unknown = words.find((part) => !known().includes(part as T));
    if (unknown !== undefined)
      throw usageError(`${flag} does not know ${JSON.stringify(unknown)}; there are ${known().join(", ")}.`);
    return [...new Set([...(before ?? []), ...(words as T[])])];
  };

type Formats<Name extends string> = Readonly<Record<Name, unknown>>;

/** Names the words that a flag takes in its help, with any parser. They are looked up once they count. */
const withChoices = <F extends Flag>(option: F, known: () => readonly string[]): F =>
  Object.defineProperty(option, "argChoices", { get: known });

/** `--format` of a command that writes one. */
export const formatFlag = <Name extends string>(formats: Formats<Name>) => {
  const names = Object.keys(formats) as Name[];
  const parse = (text: string): Name => {
    const name = names.find((each) => each === text);
    if (name !== undefined) return name;
    throw usageError(`--format does not know ${JSON.stringify(text)}; there are ${names.join(", ")}.`);
  };
  return withChoices(flag("--format <format>", "how the report is written (default: text)", parse), () => names);
};

/** A flag that takes one or more known words; its help names them. */
export const listFlag = <Words extends string, Name extends string>(
  words: Words,
  description: string,
  known: () => readonly Name[],
) => withChoices(flag(words, description, listOf(words.split(" ")[0]!, known)), known);

/** `--format` of a command that writes one or more. */
export const formatsFlag = (formats: Formats<string>) =>
  listFlag("--format <format>", "how the report is written; may be repeated (default: text)", () =>
    Object.keys(formats),
  );

/** For `addHelpText("after", …)`: whom each format serves. */
export const formatsHelp = (formats: ReportFormats<never, never>): string => {
  const width = Math.max(...Object.keys(formats).map(({ length }) => length));
  const rows = Object.entries(formats).map(([name, { purpose }]) => `  ${name.padEnd(width)}  for ${purpose}`);
  return `\nFormats:\n${rows.join("\n")}\n`;
};

/** Folders of programs, as `--program` names them; one without a stack is that of all stacks that no other names. */
export type ProgramFolders = readonly { stack: string | undefined; folder: string }[];

/** `--program folder`, or `--program stack=folder` for each stack. */
export const programFlag = (description: string) =>
  flag("--program <[stack=]folder>", `${description}; may be repeated, as stack=folder`, foldersIn);

function foldersIn(text: string, before: ProgramFolders = []): ProgramFolders {
  const cut = text.indexOf("=");
  const [stack, folder] = cut < 0 ? [undefined, text] : [text.slice(0, cut), text.slice(cut + 1)];
  if (stack === "" || folder === "")
    throw usageError("--program takes a folder, or a stack and its folder: acme/shop/prod=infra.");
  return [...before, { stack, folder }];
}

/** The folder of a stack's program, whose short or full name counts; undefined where `--program` names none. */
export const programOf = (folders: ProgramFolders = [], stack: string): string | undefined =>
  (
    folders.find((each) => each.stack !== undefined && `/${stack}`.endsWith(`/${each.stack}`)) ??
    folders.find((each) => each.stack === undefined)
  )?.folder;

/** Resolves when the answer is yes. */
export async function confirm(question: string, yes: boolean, context: CliContext): Promise<void> {
  if (yes) return;
  if (!context.isTTY) throw usageError("Changing a state needs --yes when there is no terminal.");
  const answer = await context.prompt(`${question} (yes/no) `);
  if (!/^y(es)?$/i.test(answer?.trim() ?? "")) throw new CommandError("Not confirmed: nothing was changed.");
}
