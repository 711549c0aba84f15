/** Makes names, reasons and values of others safe to print. */

// Control and format characters (zero width, direction of text, tags), line separators, fillers
// that nobody sees, halves of surrogate pairs.
const unseen =
  "\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u3164\\uffa0\\ufffe\\uffff\\u{e0000}-\\u{e0fff}";
const unprintable = new RegExp(`[${unseen}]`, "gu");

const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** As JSON and TypeScript spell it, so that their texts keep their meaning. */
const escapeOf = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
  ).join("");

// Runners of CI look for `##[…]`, `##vso[…]` and `##teamcity[…]` anywhere in a line and run it as a command.
const command = /##(?=[A-Za-z]*\[)/g;
const disarmed = "\\u0023#";

/**
 * `text` on one line. Characters that would move the cursor, hide text or turn it are spelled out, such as `\u001b`.
 */
export const printable = (text: string): string =>
  text.replace(unprintable, (character) => short[character] ?? escapeOf(character)).replace(command, disarmed);

/** Lines of which none begins with `::`, which runners of CI run as a command too. Colours do not count. */
export const withoutCommands = (lines: string): string =>
  lines.replace(/^((?:[^\S\r\n\u2028\u2029]|\u001b\[[0-9;]*m)*)::/gm, "$1: :");

/** `document` as JSON that is safe to print or to put into a page: the same data, with more of it escaped. */
export const printableJson = (document: unknown, indent?: number): string =>
  JSON.stringify(document, null, indent)
    .replace(unprintable, (character) => (character === "\n" ? character : escapeOf(character)))
    .replace(command, disarmed)
    .replaceAll("<", "\\u003c");

// The styles that palettes use; none that conceals.
const style = /^\u001b\[(?:[0-79]|[2-5]\d|9\d|10\d)?(?:;(?:[0-79]|[2-5]\d|9\d|10\d))*m$/;
const styleOrUnprintable = new RegExp(`\\u001b\\[[0-9;]*m|\\r\\n|[${unseen}]`, "gu");
const layout: ReadonlySet<string> = new Set(["\n", "\r\n", "\t"]);

/**
 * Lines of output as they may reach a terminal or a runner: line breaks of either kind and tabs stay, styles stay if
 * `styled`, and nothing moves the cursor, hides text or is a command. JSON and TypeScript keep their meaning. The last
 * guard before a stream.
 */
export function sanitizeOutput(lines: string, { styled = false } = {}): string {
  if (!/[^\n\x20-\x7e]|##|::/.test(lines)) return lines;
  const visible = lines.replace(styleOrUnprintable, (match) => {
    if (layout.has(match) || (styled && style.test(match))) return match;
    return match.startsWith("\u001b") ? escapeOf("\u001b") + match.slice(1) : escapeOf(match);
  });
  return withoutCommands(visible.replace(command, disarmed));
}
