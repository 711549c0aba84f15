import { printableJson } from "../../../io/text/printable";
import type { CostWriter } from "./format";

/** The report as it is. */
export const json: CostWriter = (report) => `${printableJson(report, 2)}\n`;
