import { type Choice, type ChoiceSource, type Takes, takes } from "../cli/checkout/takes";

const columns: readonly [choice: Choice, heading: string][] = [
  ["address", "Addresses"],
  ["key", "Keys and key commands"],
  ["program", "Programs that run"],
  ["path", "Files that are written"],
];

const inWords: Readonly<Record<ChoiceSource, string>> = {
  flags: "flags",
  environment: "environment",
  project: "**project**",
  "trusted project": "project with `--trust-project`",
};

/** What each command takes from where; commands that take the same share a row. */
export function checkoutTable(commands: Readonly<Record<string, Takes>> = takes): string {
  const rows = new Map<string, string[]>();
  for (const [name, declared] of Object.entries(commands)) {
    const cells = columns.map(([choice]) => declared[choice].map((source) => inWords[source]).join(", ") || "–");
    const row = [...cells, declared.note ?? ""].join(" | ");
    rows.set(row, [...(rows.get(row) ?? []), `\`${name}\``]);
  }
  return [
    `| Command | ${columns.map(([, heading]) => heading).join(" | ")} | |`,
    `| --- | ${columns.map(() => "---").join(" | ")} | --- |`,
    ...[...rows].map(([row, names]) => `| ${names.join(", ")} | ${row} |`),
  ].join("\n");
}
