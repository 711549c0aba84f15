import { printableJson } from "../../text/printable";
import type { CostFormat } from "./format";

/** The report as it is. */
export const json: CostFormat = { render: (report) => `${printableJson(report, 2)}\n` };
