/** Names, reasons and values in a report are what others have written. Here they become text that says something and does nothing. */

// Control and zero-width characters, line separators, what turns the direction of text, and halves of surrogate pairs.
const unprintable =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

const escapeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

// Runners of CI look for this anywhere in a line and take what follows for a command to themselves.
const command = "##[";
const disarmed = "\\u0023#[";

/** `text` on one line with nothing unseen in it: what would move the cursor, hide text or turn it is spelled out, such as `\u001b`. */
export const printable = (text: string): string =>
  text.replace(unprintable, (character) => short[character] ?? escapeOf(character)).replaceAll(command, disarmed);

/** Lines of which none begins with `::`, which runners of CI take for a command too. */
export const withoutCommands = (lines: string): string => lines.replace(/^(\s*)::/gm, "$1: :");

/** `document` as JSON that does no harm where it is printed or put into a page: the same data, with more of it escaped than JSON asks for. */
export const printableJson = (document: unknown, indent?: number): string =>
  JSON.stringify(document, null, indent)
    .replace(unprintable, (character) => (character === "\n" ? character : escapeOf(character)))
    .replaceAll(command, disarmed)
    .replaceAll("<", "\\u003c");
