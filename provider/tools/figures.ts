import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";

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
}

const rows: readonly [label: string, figure: keyof Figures][] = [
  ["files", "files"],
  ["lines", "lines"],
  ["entries of the largest folder", "largestRoom"],
  ["conditional spreads per 1,000 lines", "conditionalSpreads"],
  ["functions with more than four parameters", "longParameterLists"],
  ["nested ternaries", "nestedTernaries"],
  ["type names exported more than once", "sharedTypeNames"],
];

const isSource = (name: string): boolean => /(?<!\.test|\.d)\.tsx?$/.test(name);

/** Sources below a folder; generated ones are left out. */
function sourcesBelow(folder: string): { paths: string[]; largestRoom: number } {
  const rooms = new Map<string, number>();
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    if (/node_modules|provider\/sdk/.test(path)) return [];
    rooms.set(entry.parentPath, (rooms.get(entry.parentPath) ?? 0) + 1);
    return entry.isFile() && isSource(entry.name) ? [path] : [];
  });
  return { paths, largestRoom: Math.max(0, ...rooms.values()) };
}

const unwrapped = (node: ts.Expression): ts.Expression =>
  ts.isParenthesizedExpression(node) ? unwrapped(node.expression) : node;

function isConditionalSpread(node: ts.Node): boolean {
  if (!ts.isSpreadAssignment(node)) return false;
  const spread = unwrapped(node.expression);
  return (
    ts.isConditionalExpression(spread) ||
    (ts.isBinaryExpression(spread) && spread.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken)
  );
}

const isNestedTernary = (node: ts.Node): boolean =>
  ts.isConditionalExpression(node) &&
  [node.whenTrue, node.whenFalse].some((branch) => ts.isConditionalExpression(unwrapped(branch)));

const isExportedType = (node: ts.Node): node is ts.InterfaceDeclaration | ts.TypeAliasDeclaration =>
  (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) &&
  (node.modifiers ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);

/** The figures of the TypeScript below a folder. */
export function figuresOf(folder: string): Figures {
  const { paths, largestRoom } = sourcesBelow(folder);
  const typeNames = new Map<string, Set<string>>();
  const counts = { lines: 0, spreads: 0, longParameterLists: 0, nestedTernaries: 0 };
  for (const path of paths) {
    const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
    counts.lines += source.getLineStarts().length - 1;
    const visit = (node: ts.Node): void => {
      if (isConditionalSpread(node)) counts.spreads++;
      if (ts.isFunctionLike(node) && node.parameters.length > 4) counts.longParameterLists++;
      if (isNestedTernary(node)) counts.nestedTernaries++;
      if (isExportedType(node)) typeNames.set(node.name.text, (typeNames.get(node.name.text) ?? new Set()).add(path));
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
    sharedTypeNames: [...typeNames.values()].filter((files) => files.size > 1).length,
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

if (require.main === module) {
  process.chdir(resolve(__dirname, "..", ".."));
  const folders = process.argv.slice(2);
  console.log(tableOf(folders.length > 0 ? folders : ["provider", "tests"]));
}
