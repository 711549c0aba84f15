import { Option } from "commander";
import type { Formats } from "../../io/text/format";
import { usageFailure } from "./failure";
import { listOf } from "./list-of";

type Names = Readonly<Record<string, unknown>>;

const formatOption = (formats: Names, more = ""): Option =>
  new Option("--format <format>", `how the report is written${more} (default: text)`).choices(Object.keys(formats));

/** `--format` of a command that writes one. */
export const formatFlag = (formats: Names): Option =>
  formatOption(formats).argParser((name) => {
    if (Object.hasOwn(formats, name)) return name;
    throw usageFailure(`--format does not know ${JSON.stringify(name)}; there are ${Object.keys(formats).join(", ")}.`);
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
