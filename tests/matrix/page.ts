import { type Cell, cells } from "./cells";
import { commands } from "./commands";
import { fates } from "./fates";
import { variants } from "./kinds";
import { Model } from "./model";
import { readRecorded } from "./record";
import { situations } from "./situations";
import { layouts } from "./subject";

/** `docs/dev/measured/ownership-matrix.md`: what becomes of an object, by command and situation. */
export function page(): string {
  const all = cells();
  const sections = new Map<string, string[]>();
  for (const command of commands) {
    const rows = outcomesOf(all.filter((cell) => cell.command === command)).join("\n");
    sections.set(rows, [...(sections.get(rows) ?? []), code(command.title)]);
  }
  return [
    "<!-- Written by `npm run matrix`: do not edit. -->",
    "# What each command does to an object",
    "",
    "What each command does to an object, for every situation it can be in. Search this page for your command, and below it for the situation.",
    "Commands with the same effect share a section; `it` is the object, `another` is an unrelated resource. Situations that a section leaves out",
    "cannot occur there. Settings of an account that somebody else has changed since stay as they are when they leave the program.",
    "",
    ...[...sections].flatMap(([rows, titles]) => [
      `## ${titles.join(", ")}`,
      "",
      ...table(["The object", "Situations"], [rows]),
      "",
    ]),
    "## How this is tested",
    "",
    `${commands.length} commands and ${fates.length} situations. Every night, each is tried on the built-in engine, with dynamic resources and with the`,
    `plugin. The ${variants.length} kinds of objects and the layouts of provider processes (${layouts.join(", ")})`,
    "are spread over them, so that each two meet. `MATRIX=whole` runs the table with real processes, and on the Pulumi CLI where there is one.",
    "",
    ...tried(all),
  ].join("\n");
}

/** A row for each outcome of a command, with the situations that end so. */
function outcomesOf(cells: readonly Cell[]): string[] {
  const found = new Map<string, string[]>();
  for (const cell of cells) {
    const outcome = outcomeOf(cell);
    if (outcome === undefined) continue;
    const situation = situations[cell.fate.title];
    if (situation === undefined) throw new Error(`tests/matrix/situations.ts has no words for "${cell.fate.title}"`);
    found.set(outcome, [...(found.get(outcome) ?? []), situation]);
  }
  return [...found].map(([outcome, some]) => `| ${outcome} | ${some.join("<br>")} |`);
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
    "Each of these cells did what the table says: live objects, entries of the state, requests that change something, the exit code, and",
    "what one `up --refresh` and a preview after it make of it. What is not tried on an engine needs a stack of its own there.",
    "",
    ...table(["engine", "date", "commands", "cells", "otherwise"], rows),
    ...(wrong.length > 0 ? ["", ...table(["engine", "command", "situation", "otherwise"], wrong)] : []),
    "",
  ];
}

const code = (title: string): string => `\`${title}\``;

const table = (head: readonly string[], rows: readonly string[]): string[] => [
  `| ${head.join(" | ")} |`,
  `|${head.map(() => "---").join("|")}|`,
  ...rows,
];

/**
 * What becomes of the object, and of its entry in the state; undefined where the situation cannot be. A sentence above
 * the tables says that settings keep what somebody else has set since.
 */
function outcomeOf({ command, subjects }: Cell): string | undefined {
  const [subject] = subjects;
  if (subject === undefined) return undefined;
  const model = new Model({ ...subject.variant, keepsForeignChanges: false }, subject.fate);
  const before = model.now();
  const { live, kept, entries, writes, fails } = model.command(command.action);
  if (live === undefined || kept === undefined || entries === undefined) return "is in doubt; no object is lost";
  const effect = effectOf({ ended: before.live - kept, began: live - kept, writes: writes ?? 0 });
  const recorded =
    entries < before.entries
      ? "stays live, and leaves the state"
      : entries > before.entries
        ? "is recorded as it is"
        : "";
  if (fails) return `**the command fails**, and the object ${effect || recorded || "stays as it is"}`;
  return effect || recorded || "stays as it is";
}

function effectOf({ ended, began, writes }: { ended: number; began: number; writes: number }): string {
  if (ended > 0 && began > 0) return "is replaced";
  if (ended > 0) return "is deleted";
  if (began > 0) return "is created";
  return writes > 0 ? "is updated" : "";
}
