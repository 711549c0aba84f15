import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../../tests/e2e/engines";

/** Where in a page the text of a bench stands: between `<!-- marks:begin -->` and `<!-- marks:end -->`. */
export interface Place {
  page: string;
  marks: string;
}

/** What stands before the text, and what after it. */
export function around(content: string, { page, marks }: Place): readonly [string, string] {
  const found = new RegExp(`^(.*<!-- ${marks}:begin -->\n).*?(<!-- ${marks}:end -->.*)$`, "s").exec(content);
  if (found === null) throw new Error(`${page} has no \`<!-- ${marks}:begin -->\` with its end: put both there.`);
  return [found[1]!, found[2]!];
}

const fileOf = ({ page }: Place): string => join(repository, page);

/** Refuses a page without the marks, before minutes are spent on its text. */
export const findMarks = (place: Place): unknown => around(readFileSync(fileOf(place), "utf8"), place);

export function writeAt(place: Place, text: string): void {
  const [before, after] = around(readFileSync(fileOf(place), "utf8"), place);
  writeFileSync(fileOf(place), `${before}${text}\n${after}`);
}

/** Cells of a row may be counts. */
export const tableOf = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
