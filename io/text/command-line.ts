import { printable } from "./printable";

/** Command lines that people copy out of a text into a POSIX shell. Each of them is written here. */

/** How this package's own command begins. */
export const ownCommand: readonly string[] = ["npx", "pulumi-modelplatform"];

/** What follows the first words, and may have been named by anybody. */
export interface CommandRest {
  /** They are not taken for flags. */
  args?: readonly string[];
  /** What the reader is to put in place of an argument, in words. */
  placeholder?: string;
  flags?: readonly (readonly [flag: string, value: string])[];
  /** The environment of this command alone. */
  variables?: Readonly<Record<string, string>>;
}

/** One line, or undefined where a word has characters that are not seen as they are copied. */
export function commandLine(words: readonly string[], rest: CommandRest = {}): string | undefined {
  return everyWord(words, rest).every(isPrintable) ? line(words, rest) : undefined;
}

/** The line in backticks, for a sentence. `…` replaces a word that cannot be copied, which the text says. */
export function quotedCommand(words: readonly string[], rest: CommandRest = {}): string {
  const canQuote = (word: string): boolean => isPrintable(word) && !word.includes("`");
  if (everyWord(words, rest).every(canQuote)) return `\`${line(words, rest)}\``;
  const quotable = (word: string): string => (canQuote(word) ? word : "…");
  const { args = [], flags = [], variables = {} } = rest;
  const written = line(words.map(quotable), {
    ...rest,
    args: args.map(quotable),
    flags: flags.map(([flag, value]) => [flag, quotable(value)]),
    variables: Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, quotable(value)])),
  });
  return `\`${written}\` (\`…\` is a name with characters that cannot be copied from here)`;
}

const everyWord = (words: readonly string[], { args = [], flags = [], variables = {} }: CommandRest): string[] => [
  ...words,
  ...args,
  ...flags.map(([, value]) => value),
  ...Object.values(variables),
];

const isPrintable = (word: string): boolean => printable(word) === word;

function line(words: readonly string[], { args = [], placeholder, flags = [], variables = {} }: CommandRest): string {
  const front = [...Object.entries(variables).map(([name, value]) => `${name}=${quote(value)}`), ...words.map(quote)];
  const own = [...args.map(quote), ...(placeholder === undefined ? [] : [`<${placeholder}>`])];
  const options = flags.map(([flag, value]) => `${flag}${value.startsWith("-") ? "=" : " "}${quote(value)}`);
  const areFlags = args.some((arg) => arg.startsWith("-"));
  return [...front, ...(areFlags ? [...options, "--", ...own] : [...own, ...options])].join(" ");
}

const quote = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
