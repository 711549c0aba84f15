import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../../../tests/e2e/engines";
import { contestants, steps } from "./contestants";
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

const marks = ["<!-- peers:begin -->", "<!-- peers:end -->"] as const;

/** Writes the tables into the page of figures, with the machine and the day. */
export function writePage(scenarios: readonly PeerScenario[], results: readonly PeerResult[]): void {
  const file = join(repository, "docs/dev/measured/performance.md");
  const page = readFileSync(file, "utf8");
  const [before, rest] = page.split(marks[0]) as [string, string];
  const after = rest.split(marks[1])[1]!;
  const absent = contestants.flatMap(({ title, missing }) => (missing === undefined ? [] : [`${title}: ${missing}.`]));
  const text = [
    `On ${new Date().toISOString().slice(0, 10)}: ${machine()}, ${versions()}. Processor time of all processes but the service's, medians; requests, and in brackets how many of them write; memory of all processes together.`,
    ...absent.map((each) => `Not compared: ${each}`),
    ...scenarios.map((scenario) => tableOf(scenario, results)),
  ];
  writeFileSync(file, `${before}${marks[0]}\n${text.filter(Boolean).join("\n\n")}\n${marks[1]}${after}`);
}
