import fc from "fast-check";
import type { Draw } from "../../core/answering-service";

/** How a file is written. */
export interface SourceStyle {
  quote: '"' | "'";
  indent: string;
  newline: "\n" | "\r\n";
  /** Each member on a line of its own. */
  lines: boolean;
  /** A comma behind the last member. */
  comma: boolean;
  /** Comments around members. */
  remarks: boolean;
  semicolon: ";" | "";
}

export const look: fc.Arbitrary<SourceStyle> = fc.record({
  quote: fc.constantFrom('"', "'"),
  indent: fc.constantFrom("  ", "    ", "\t"),
  newline: fc.constantFrom("\n", "\r\n"),
  lines: fc.boolean(),
  comma: fc.boolean(),
  remarks: fc.boolean(),
  semicolon: fc.constantFrom(";", ""),
});

/** `value` between quotes, or as a template. */
export function textLiteral(value: string, quote: '"' | "'" | "`"): string {
  const inner = JSON.stringify(value).slice(1, -1);
  if (quote === '"') return `"${inner}"`;
  const plain = inner.replaceAll('\\"', '"');
  return quote === "'"
    ? `'${plain.replaceAll("'", "\\'")}'`
    : `\`${plain.replaceAll("`", "\\`").replaceAll("${", "\\${")}\``;
}

/** A number, or a text, in one of the spellings that the language has for it. */
export function scalarText(draw: Draw, value: string | number | boolean | null, { quote }: SourceStyle): string {
  if (typeof value === "string") return textLiteral(value, draw(fc.constantFrom, quote, quote, quote, "`" as const));
  const plain = JSON.stringify(value);
  const isLong = typeof value === "number" && Number.isInteger(value) && value >= 1000 && plain.length < 16;
  const spelled = isLong && draw(fc.boolean) ? `${plain.slice(0, -3)}_${plain.slice(-3)}` : plain;
  return spelled === "-0" ? "0" : spelled;
}

/** What only the compiler reads around an expression. */
export function wrapped(draw: Draw, text: string): string {
  const around = draw(fc.constantFrom, "", "", "", "", "", "()", "as", "!", "satisfies");
  if (around === "") return text;
  if (around === "()") return `(${text})`;
  return around === "!" ? `(${text})!` : `(${text} ${around} any)`;
}

/** Members between brackets; `indent` is that of the line on which the bracket opens. */
export function bracketed(
  [open, close]: readonly [string, string],
  members: readonly { text: string; remark: string }[],
  { lines, indent: step, newline, comma, remarks }: SourceStyle,
  indent: string,
): string {
  if (members.length === 0) return `${open}${close}`;
  const last = members.length - 1;
  if (!lines) {
    const texts = members.map(({ text, remark }) => (remarks ? `/* ${remark} */ ${text}` : text));
    return `${open} ${texts.join(", ")}${comma ? "," : ""} ${close}`;
  }
  const rows = members.map(({ text, remark }, index) => {
    const above = remarks && index % 2 === 0 ? `${indent}${step}// ${remark}${newline}` : "";
    const behind = remarks && index % 2 === 1 ? ` // ${remark}` : "";
    return `${above}${indent}${step}${text}${index < last || comma ? "," : ""}${behind}${newline}`;
  });
  return `${open}${newline}${rows.join("")}${indent}${close}`;
}
