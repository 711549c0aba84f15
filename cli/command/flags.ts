import { Option } from "commander";
import type { Formats } from "../../io/text/report-format";
import type { CliContext } from "./context";
import { CommandError, usageError } from "./failure";

/** For `addHelpText("after", …)`: how the command is called, one call per line. */
export const example = (...lines: string[]): string => `\nExample:\n${lines.map((line) => `  $ ${line}`).join("\n")}\n`;

export const stackFlag = ["-s, --stack <name>", "the stack (default: the selected one, or the only one)"] as const;
export const jsonFlag = ["-j, --json", "print JSON"] as const;
export const yesFlag = ["-y, --yes", "do not ask"] as const;

/** Parses a flag that takes one or more known words, separated by commas or in flags of their own. */
export const listOf =
  <T extends string>(flag: string, known: readonly T[]) =>
  (text: string, before: T[] | undefined): T[] => {
    const words = text.split(",").map((part) => part.trim());
    const unknown = words.find((part) => !known.includes(part as T));
    if (unknown !== undefined)
      throw usageError(`${flag} does not know ${JSON.stringify(unknown)}; there are ${known.join(", ")}.`);
    return [...new Set([...(before ?? []), ...(words as T[])])];
  };

type Names = Readonly<Record<string, unknown>>;

const formatOption = (formats: Names, more = ""): Option =>
  new Option("--format <format>", `how the report is written${more} (default: text)`).choices(Object.keys(formats));

/** `--format` of a command that writes one. */
export const formatFlag = (formats: Names): Option =>
  formatOption(formats).argParser((name) => {
    if (Object.hasOwn(formats, name)) return name;
    throw usageError(`--format does not know ${JSON.stringify(name)}; there are ${Object.keys(formats).join(", ")}.`);
  });

/** `--format` of a command that writes one or more. */
export const formatsFlag = (formats: Names): Option =>
  formatOption(formats, "; may be repeated").argParser(listOf("--format", Object.keys(formats)));

/** For `addHelpText("after", …)`: whom each format serves. */
export const formatsHelp = (formats: Formats<never, never>): string => {
  const width = Math.max(...Object.keys(formats).map(({ length }) => length));
  const rows = Object.entries(formats).map(([name, { purpose }]) => `  ${name.padEnd(width)}  for ${purpose}`);
  return `\nFormats:\n${rows.join("\n")}\n`;
};

/** Folders of programs, as `--program` names them; one without a stack is that of all stacks that no other names. */
export type ProgramFolders = readonly { stack: string | undefined; folder: string }[];

/** `--program folder`, or `--program stack=folder` for each stack. */
export const programFlag = (description: string): Option =>
  new Option("--program <[stack=]folder>", `${description}; may be repeated, as stack=folder`).argParser(
    (text: string, before: ProgramFolders = []): ProgramFolders => {
      const cut = text.indexOf("=");
      const [stack, folder] = cut < 0 ? [undefined, text] : [text.slice(0, cut), text.slice(cut + 1)];
      if (stack === "" || folder === "")
        throw usageError("--program takes a folder, or a stack and its folder: acme/shop/prod=infra.");
      return [...before, { stack, folder }];
    },
  );

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
