import { printableJson } from "../../../io/text/printable";
import type { FiguresWriter } from "./format";

export const json: FiguresWriter = (figures) => `${printableJson(figures, 2)}\n`;
