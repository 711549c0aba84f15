import { type Cell, cells } from "./cells";
import { commands, tellingCommands } from "./commands";
import { fates } from "./fates";
import { variants } from "./kinds";
import { Model } from "./model";
import { readRecorded } from "./record";
import { layouts } from "./subject";

/** The page `docs/ownership-matrix.md`: what each command does to each fate of a resource, as the rules have it. */
export function page(): string {
  const all = cells();
  const columns = new Map<string, string[]>();
  for (const command of commands) {
    const column = fates.map((fate) => symbolOf(all.find((cell) => cell.command === command && cell.fate === fate)!));
    const key = column.join();
    columns.set(key, [...(columns.get(key) ?? []), command.title]);
  }
  const legend = [...columns.values()].map((titles, index) => `| ${letter(index)} | ${titles.map(code).join(", ")} |`);
  const letters = [...columns].map((_, index) => letter(index));
  const rows = fates.map(
    ({ title }, row) => `| ${title} | ${[...columns.keys()].map((key) => key.split(",")[row]).join(" | ")} |`,
  );
  const reasons = new Set(
    all.flatMap(({ command, fate, reason }) => (reason ? [`${command.title}: ${fate.title}: ${reason}`] : [])),
  );
  return [
    "<!-- Written by `npm run matrix`: do not edit. -->",
    "# What a command does to an object",
    "",
    "What each command does to an object, for every situation it can be in.",
    `${commands.length} commands and ${fates.length} situations make ${all.length} cells, of which ${reasons.size} cannot exist. Every night`,
    `each is tried on the built-in engine, with dynamic resources and with the plugin, which do the same. Part of those of ${tellingCommands.length} commands is tried in every test run; the kinds (${variants.length} with their ways to an id) and the layouts of provider processes (${layouts.join(", ")})`,
    "are spread over them so that each two meet. With `MATRIX=whole` the same table runs with real processes, and on the Pulumi CLI where it is on PATH.",
    "",
    "`·` nothing changes; `+` created; `~` changed; `−` deleted; `±` replaced; `↤` removed from the state, and left alone; `↦` recorded, and left alone;",
    "`✗` the command fails, with the effect beside it; `?` it is left open, and nothing is lost; blank: no such cell.",
    "",
    ...table(["", ...letters], rows),
    "",
    "| Column | Commands |",
    "|---|---|",
    ...legend,
    "",
    ...tried(all),
  ].join("\n");
}

/** What the last recorded runs have shown, by engine. */
function tried(all: readonly Cell[]): string[] {
  const recorded = readRecorded();
  if (recorded.length === 0) return [];
  const possible = all.filter(({ reason }) => reason === undefined).length;
  const rows = [...new Set(recorded.map(({ engine }) => engine))].map((engine) => {
    const runs = recorded.filter((each) => each.engine === engine);
    const dates = [...new Set(runs.map(({ date }) => date))].sort();
    const asTold = runs.flatMap((each) => each.asTold).length;
    const otherwise = runs.flatMap((each) => Object.keys(each.otherwise)).length;
    return `| ${engine} | ${dates.join(", ")} | ${runs.length} | ${asTold + otherwise} of ${possible} | ${otherwise} |`;
  });
  const wrong = recorded.flatMap(({ engine, command, otherwise }) =>
    Object.entries(otherwise).map(([fate, fault]) => `| ${engine} | ${code(command)} | ${fate} | ${fault} |`),
  );
  return [
    "## Tried last",
    "",
    "Each of these cells did what the table says: live objects, entries of the state, requests that change something, the exit code, and",
    "what one `up --refresh` and a preview after it make of it. What is not tried on an engine needs a stack of its own there.",
    "",
    ...table(["engine", "date", "commands", "cells", "otherwise"], rows),
    ...(wrong.length > 0 ? ["", ...table(["engine", "command", "fate", "otherwise"], wrong)] : []),
    "",
  ];
}

const letter = (index: number): string => String.fromCharCode("A".charCodeAt(0) + index);

const code = (title: string): string => `\`${title}\``;

const table = (head: readonly string[], rows: readonly string[]): string[] => [
  `| ${head.join(" | ")} |`,
  `|${head.map(() => "---").join("|")}|`,
  ...rows,
];

function symbolOf({ command, subjects: [subject] }: Cell): string {
  if (subject === undefined) return " ";
  const model = new Model(subject.variant, subject.fate);
  const before = model.now();
  const { live, kept, entries, writes, fails } = model.command(command.action);
  if (live === undefined || kept === undefined || entries === undefined) return "?";
  const ended = before.live - kept;
  const began = live - kept;
  const effect = ended > 0 && began > 0 ? "±" : ended > 0 ? "−" : began > 0 ? "+" : (writes ?? 0) > 0 ? "~" : "";
  const recorded = entries < before.entries ? "↤" : entries > before.entries ? "↦" : "·";
  return `${fails ? "✗" : ""}${effect || (fails && recorded === "·" ? "" : recorded)}`;
}
