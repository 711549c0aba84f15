import { printable } from "./printable";

const encodeCharacter = (text: string): string =>
  text.replace(/[^\p{L}\p{N}\p{M} ,/.-]|(?<=www)\./giu, (character) => `&#${character.codePointAt(0)};`);

/**
 * Text that Markdown, HTML and the mentions of a forge leave alone: an empty comment keeps `@` and `#` from
 * what follows. Code in backticks stays code.
 */
export const escapeProse = (text: string): string =>
  printable(text)
    .split("`")
    .map((part, index, parts) => {
      if (index % 2 === 1 && index < parts.length - 1) return code(part);
      return encodeCharacter(index % 2 === 1 ? `\`${part}` : part).replace(/&#(64|35);/g, "$&<!-- -->");
    })
    .join("");

/** Code whose every character stands for itself, also in a table and next to backticks. */
export const code = (text: string): string => `<code>${encodeCharacter(printable(text))}</code>`;

/** A table of cells that are Markdown already. */
export const table = (heading: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heading, heading.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
