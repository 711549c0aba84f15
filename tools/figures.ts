import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { packageRoot } from "../io/files/package";
import { runScript, type Script, UsageError } from "./script";

/** What makes code hard to take over, as counts. */
interface Figures {
  files: number;
  lines: number;
  /** Entries of the folder that has the most. */
  largestRoom: number;
  /** `...(condition && { … })` and its forms with `?:`, per thousand lines. */
  conditionalSpreads: number;
  /** Functions that take more than four parameters. */
  longParameterLists: number;
  /** `a ? b : c ? d : e`. */
  nestedTernaries: number;
  /** Names that several exported types of different files have. */
  sharedTypeNames: number;
  /** Titles of tests that are longer than a line of a report can be read at a glance. */
  longTitles: number;
}

/** Letters of a test's title. */
const longestTitle = 80;

const rows: readonly [label: string, figure: keyof Figures][] = [
  ["files", "files"],
  ["lines", "lines"],
  ["entries of the largest folder", "largestRoom"],
  ["conditional spreads per 1,000 lines", "conditionalSpreads"],
  ["functions with more than four parameters", "longParameterLists"],
  ["nested ternaries", "nestedTernaries"],
  ["type names exported more than once", "sharedTypeNames"],
  [`titles of tests over ${longestTitle} characters`, "longTitles"],
];

const isSource = (name: string): boolean => /(?<!\.d)\.([cm]?[jt]s|tsx)$/.test(name);
const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path);

/** Everything that somebody has written below a folder, tests among it. What is generated is left out. */
function sourcesBelow(folder: string): { paths: string[]; largestRoom: number } {
  const rooms = new Map<string, number>();
  const sources = readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    if (/node_modules|provider\/sdk/.test(path)) return [];
    rooms.set(entry.parentPath, (rooms.get(entry.parentPath) ?? 0) + 1);
    return entry.isFile() && isSource(entry.name) ? [path] : [];
  });
  return { paths: sources, largestRoom: Math.max(0, ...rooms.values()) };
}

const parseSource = (path: string): ts.SourceFile =>
  ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);

/** Of `test.each(…)(…)` and the like, the name that all begins with. */
function calledName(node: ts.Expression): string {
  if (ts.isIdentifier(node)) return node.text;
  return ts.isCallExpression(node) || ts.isPropertyAccessExpression(node) ? calledName(node.expression) : "";
}

/** Titles of tests of a file that are longer than they should be. */
export function longTitlesIn(path: string): string[] {
  const titles: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && calledName(node.expression) === "test") {
      const [title, work] = node.arguments;
      if (title && work && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title)))
        titles.push(ts.isStringLiteralLike(title) ? title.text : title.getText().slice(1, -1));
    }
    ts.forEachChild(node, visit);
  };
  visit(parseSource(path));
  return titles.filter(({ length }) => length > longestTitle);
}

const unwrapExpression = (node: ts.Expression): ts.Expression =>
  ts.isParenthesizedExpression(node) ? unwrapExpression(node.expression) : node;

function isConditionalSpread(node: ts.Node): boolean {
  if (!ts.isSpreadAssignment(node)) return false;
  const spread = unwrapExpression(node.expression);
  return (
    ts.isConditionalExpression(spread) ||
    (ts.isBinaryExpression(spread) && spread.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken)
  );
}

const isNestedTernary = (node: ts.Node): boolean =>
  ts.isConditionalExpression(node) &&
  [node.whenTrue, node.whenFalse].some((branch) => ts.isConditionalExpression(unwrapExpression(branch)));

/** The name of an exported type, a class included. */
function exportedTypeName(node: ts.Statement): string | undefined {
  const isType = ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node);
  const isExported = isType && node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  return isExported ? node.name?.text : undefined;
}

/** Files by the names of the types that they export, for names that several files export. */
export function sharedTypeNames(paths: readonly string[]): Map<string, string[]> {
  const files = new Map<string, string[]>();
  for (const path of paths) {
    const names = parseSource(path).statements.flatMap((node) => exportedTypeName(node) ?? []);
    for (const name of new Set(names)) files.set(name, [...(files.get(name) ?? []), path]);
  }
  return new Map([...files].filter(([, sharing]) => sharing.length > 1));
}

/** The figures of what is written below a folder. */
export function figuresOf(folder: string): Figures {
  const { paths, largestRoom } = sourcesBelow(folder);
  const counts = { lines: 0, spreads: 0, longParameterLists: 0, nestedTernaries: 0 };
  for (const path of paths) {
    const source = parseSource(path);
    counts.lines += source.getLineStarts().length - 1;
    const visit = (node: ts.Node): void => {
      if (isConditionalSpread(node)) counts.spreads++;
      if (ts.isFunctionLike(node) && node.parameters.length > 4) counts.longParameterLists++;
      if (isNestedTernary(node)) counts.nestedTernaries++;
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return {
    files: paths.length,
    lines: counts.lines,
    largestRoom,
    conditionalSpreads: Math.round((counts.spreads / Math.max(counts.lines, 1)) * 10_000) / 10,
    longParameterLists: counts.longParameterLists,
    nestedTernaries: counts.nestedTernaries,
    sharedTypeNames: sharedTypeNames(paths).size,
    longTitles: paths.filter(isTest).flatMap(longTitlesIn).length,
  };
}

/** A column for each folder. */
function tableOf(folders: readonly string[]): string {
  const columns = folders.map(figuresOf);
  return [
    `| | ${folders.join(" | ")} |`,
    `| --- | ${folders.map(() => "---").join(" | ")} |`,
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
    about: "folders to count; the rooms and the tests without a name",
    least: 0,
    most: Number.POSITIVE_INFINITY,
  },
} satisfies Script;

function main(folders: readonly string[], rooms: readonly string[]): number {
  process.chdir(packageRoot);
  const missing = folders.filter((folder) => !existsSync(folder));
  if (missing.length > 0) throw new UsageError(`There is no folder ${missing.join(", ")} below ${packageRoot}.`);
  console.log(tableOf(folders.length > 0 ? folders : [...rooms, "tests"]));
  return folders.length === 0 ? printHops() : 0;
}

if (require.main === module) {
  const { rooms } = require(join(packageRoot, "tools", "rooms.cjs")) as { rooms: readonly string[] };
  void runScript(script, ({ args }) => main(args, rooms));
}
