import { csv } from "./csv";
import type { ReportFormat } from "./format";
import { html } from "./html";
import { json } from "./json";
import { junit } from "./junit";
import { markdown } from "./markdown";
import { ndjson } from "./ndjson";
import { sarif } from "./sarif";
import { text } from "./text";

/** By the name that `--format` takes. */
export const formats: Readonly<Record<string, ReportFormat>> = {
  text,
  json,
  ndjson,
  markdown,
  sarif,
  junit,
  csv,
  html,
};
