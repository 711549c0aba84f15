import { printableJson } from "../../../text/printable";
import type { FiguresFormat } from "./format";

export const json: FiguresFormat = { render: (figures) => `${printableJson(figures, 2)}\n` };
