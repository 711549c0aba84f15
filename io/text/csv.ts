import { printable } from "./printable";

/** Rows for spreadsheets, by RFC 4180. */
export const csvText = (rows: readonly (readonly string[])[]): string =>
  rows.map((fields) => `${fields.map(field).join(",")}\r\n`).join("");

/** A spreadsheet takes these beginnings for a formula, some of them in full width too, and a number for what it is. */
const isFormula = (text: string): boolean => /^\s*[=+\-@|%＝＋－＠]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text);

const neutralizeFormula = (text: string): string => (isFormula(text) ? `'${text}` : text);

/** Some spreadsheets begin a new cell after a semicolon, so the text after one is escaped like a cell. */
function field(raw: string): string {
  const safe = printable(raw)
    .split(/(?<=;)/)
    .map(neutralizeFormula)
    .join("");
  return /[",;\s]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
