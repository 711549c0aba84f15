import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { packageRoot } from "../io/files/package";
import { countAccent } from "./accent";
import { runScript, type Script, UsageError } from "./script";

/** What makes code hard to take over, as counts. */
interface Figures {
  files: number;
  lines: number;
  /** Lines of imports, those of a list that is broken into lines included. */
  importLines: number;
  longestFile: number;
  /** Words of the accent, per thousand lines. */
  accent: number;
}

const rows: readonly [label: string, figure: keyof Figures][] = [
  ["files", "files"],
  ["lines", "lines"],
  ["lines of imports", "importLines"],
  ["lines of the longest file", "longestFile"],
  ["words of the accent per 1,000 lines", "accent"],
];

const isSource = (name: string): boolean => /(?<!\.(?:d|test))\.([cm]?[jt]s|tsx)$/.test(name);

/** Every source that is written by hand below a folder, without tests. */
const sourcesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    return entry.isFile() && isSource(entry.name) && !/node_modules|provider\/sdk/.test(path) ? [path] : [];
  });

const parseSource = (path: string): ts.SourceFile =>
  ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);

const lineCount = (source: ts.SourceFile): number => source.getLineStarts().length - 1;

function importLinesIn(source: ts.SourceFile): number {
  const lineOf = (position: number): number => source.getLineAndCharacterOfPosition(position).line;
  return source.statements
    .filter(ts.isImportDeclaration)
    .reduce((lines, node) => lines + lineOf(node.end) - lineOf(node.getStart(source)) + 1, 0);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** The figures of what is written below folders. */
export function figuresOf(...folders: readonly string[]): Figures {
  const sources = folders.flatMap(sourcesBelow).map(parseSource);
  const lines = sum(sources.map(lineCount));
  return {
    files: sources.length,
    lines,
    importLines: sum(sources.map(importLinesIn)),
    longestFile: Math.max(0, ...sources.map(lineCount)),
    accent: Math.round((sum(sources.map(countAccent)) / Math.max(lines, 1)) * 10_000) / 10,
  };
}

/** A column for each folder. */
function tableOf(folders: readonly string[]): string {
  const columns = [...folders.map((folder) => figuresOf(folder)), figuresOf(...folders)];
  return [
    `| | ${folders.join(" | ")} | all |`,
    `| --- | ${columns.map(() => "---").join(" | ")} |`,
    ...rows.map(([label, figure]) => `| ${label} | ${columns.map((figures) => figures[figure]).join(" | ")} |`),
  ].join("\n");
}

/** Files and functions that five flows pass, which no count of lines shows. */
function printHops(): number {
  console.log();
  const { status } = spawnSync(process.execPath, [join("measure", "bench", "run.cjs"), "hops"], { stdio: "inherit" });
  return status ?? 1;
}

const script = {
  command: "npm run figures",
  about: "Counts what makes code hard to take over, and without a folder also the hops of five flows.",
  takes: {
    form: "<folder>…",
    about: "folders to count; the rooms without a name",
    least: 0,
    most: Number.POSITIVE_INFINITY,
  },
} satisfies Script;

function main(folders: readonly string[], rooms: readonly string[]): number {
  process.chdir(packageRoot);
  const missing = folders.filter((folder) => !existsSync(folder));
  if (missing.length > 0) throw new UsageError(`There is no folder ${missing.join(", ")} below ${packageRoot}.`);
  console.log(tableOf(folders.length > 0 ? folders : rooms));
  return folders.length === 0 ? printHops() : 0;
}

if (require.main === module) {
  const { rooms } = require(join(packageRoot, "tools", "rooms.cjs")) as { rooms: readonly string[] };
  void runScript(script, ({ args }) => main(args, rooms));
}
