import type { ReportFormat } from "./format";
import { json } from "./json";

/** By the name that `--format` takes. */
export const formats: Readonly<Record<string, ReportFormat>> = { json };
