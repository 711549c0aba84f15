import { clean } from "../../engine/display/text";
import { printableJson } from "../../io/text/printable";

const borderless = Object.fromEntries(
  [
    "top",
    "top-mid",
    "top-left",
    "top-right",
    "bottom",
    "bottom-mid",
    "bottom-left",
    "bottom-right",
    "left",
    "left-mid",
    "mid",
    "mid-mid",
    "right",
    "right-mid",
  ].map((part) => [part, ""]),
);

/** Rows below headings, columns two spaces apart. */
export function listing(headings: string[], rows: string[][]): string {
  const Table = require("cli-table3") as typeof import("cli-table3");
  const table = new Table({
    chars: { ...borderless, middle: "  " },
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [] },
  });
  table.push(headings, ...rows.map((row) => row.map(clean)));
  return `${table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")}\n`;
}

export const jsonText = (document: unknown): string => `${printableJson(document, 2)}\n`;
