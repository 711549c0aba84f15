import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../../../tests/e2e/engines";
import { type Contestant, contestants, steps } from "./contestants";
import type { PeerScenario } from "./ground";
import { machine, mediansOf, type PeerResult, versions } from "./results";

/** One scenario as a Markdown table: processor time, requests, of those writes, and the memory at its most. */
export function tableOf(scenario: PeerScenario, results: readonly PeerResult[]): string {
  const rows = contestants.flatMap(({ title }) => {
    const medians = steps.map((step) => mediansOf(results, scenario.title, title, step));
    if (medians.every((one) => one === undefined)) return [];
    const cells = medians.map((one) => (one ? `${one.processor.toFixed(1)} s, ${one.requests} (${one.writes})` : "–"));
    const memory = Math.max(...medians.map((one) => one?.memory ?? 0));
    return [
      `| ${[title, ...cells, `${memory} MB`, Math.min(...medians.map((one) => one?.rounds ?? 0))].join(" | ")} |`,
    ];
  });
  if (rows.length === 0) return "";
  const head = ["", ...steps, "memory", "rounds"];
  return [`### ${scenario.title}`, "", `| ${head.join(" | ")} |`, `|${" --- |".repeat(head.length)}`, ...rows].join(
    "\n",
  );
}

/** Writes a text between the marks of a bench in a page of `docs`. */
export function writeBetweenMarks(page: string, bench: string, text: string): void {
  const file = join(repository, page);
  const [begin, end] = [`<!-- ${bench}:begin -->`, `<!-- ${bench}:end -->`];
  const [before, rest] = readFileSync(file, "utf8").split(begin) as [string, string];
  writeFileSync(file, `${before}${begin}\n${text}\n${end}${rest.split(end)[1]!}`);
}

/** Which of the contestants are not at hand, and why, a line each. */
export const absentOf = (all: readonly Contestant[]): string[] =>
  all.flatMap(({ title, missing }) => (missing === undefined ? [] : [`Not compared: ${title}: ${missing}.`]));

/** Writes the tables into the page of figures, with the machine and the day. */
export function writePage(scenarios: readonly PeerScenario[], results: readonly PeerResult[]): void {
  const text = [
    `On ${new Date().toISOString().slice(0, 10)}: ${machine()}, ${versions()}. Processor time of all processes but the service's, medians; requests, and in brackets how many of them write; memory of all processes together.`,
    ...absentOf(contestants),
    ...scenarios.map((scenario) => tableOf(scenario, results)),
  ];
  writeBetweenMarks("docs/dev/measured/performance.md", "peers", text.filter(Boolean).join("\n\n"));
}
