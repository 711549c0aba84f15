import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import { allSpecs } from "../../provider/resources/index";
import { earlyStarts } from "../entry-points";
import { imports, isLocal, resolved } from "../imports";
import { root } from "../rooms";
import { longTitlesIn, sharedTypeNames } from "../source-names";
import { files, filesBelow, layerOf, written } from "./sources";

const tests = join(root, "tests");

/** Names of types that several files export, with the reason. */
const sharedNames: Readonly<Record<string, string>> = {
  EmbeddedStack: "a program's stack is the engine's with this package's kinds, under the name of the Automation API",
};

test("exported type names are unique", () => {
  const written = files.filter((file) => layerOf(file) !== "provider/sdk" && !/\.test\.ts$/.test(file));
  const shared = sharedTypeNames(written);
  expect([...shared].filter(([name]) => !(name in sharedNames))).toEqual([]);
  expect(Object.keys(sharedNames).filter((name) => !shared.has(name))).toEqual([]);
});

// Entry points of the package are public as a whole.
test("an export has an importer: a source, a test or the package's users", () => {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    exports: Record<string, { default?: string }>;
  };
  const entries = new Set(
    Object.values(exports).flatMap(({ default: path }) => path?.replace(/^\.\/dist\/(.*)\.js$/, "$1.ts") ?? []),
  );
  const importers = new Map<string, string[]>();
  for (const file of [...files, ...filesBelow(tests), ...filesBelow(join(root, "examples"))]) {
    const text = readFileSync(file, "utf8");
    for (const [, target] of text.matchAll(/(?:from|import\(|require\()\s*["'](\.[^"']*)["']/g)) {
      const path = resolve(dirname(file), target!);
      importers.set(path, [...(importers.get(path) ?? []), text]);
    }
  }
  const exported = /^export (?:async |abstract )?(?:const|function\*?|class|interface|type|enum) (\w+)/gm;
  const unused = files
    .filter((file) => layerOf(file) !== "provider/sdk" && !entries.has(relative(root, file)))
    .flatMap((file) => {
      const texts = importers.get(file.replace(/\.ts$/, "")) ?? [];
      const names = [...readFileSync(file, "utf8").matchAll(exported)].map(([, name]) => name!);
      const isUsed = (name: string) => texts.some((text) => new RegExp(`\\b${name}\\b|export \\* from`).test(text));
      return names.filter((name) => !isUsed(name)).map((name) => `${relative(root, file)} ${name}`);
    });
  expect(unused).toEqual([]);
});

test("options are read by their typed accessor, so that none can be misspelt", () => {
  const options = new Set(allSpecs.flatMap(({ fields }) => fields.behaviours.map(({ name }) => name)));
  const literal = files
    .filter((file) => ["provider/core", "provider/lifecycle"].includes(layerOf(file)))
    .flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/\["(\w+)"\]/g)].flatMap(([, name = ""]) =>
        options.has(name) ? [`${relative(root, file)} reads ["${name}"]`] : [],
      ),
    );
  expect(literal).toEqual([]);
});

test("members of the schema library are named where used: the build takes those alone", () => {
  const users = new Set(
    imports.filter((entry) => isLocal(entry) && resolved(entry) === "provider/core/zod").map(({ file }) => file),
  );
  const found = files
    .filter((file) => users.has(relative(root, file)))
    .flatMap((file) => {
      const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
      const elsewhere: string[] = [];
      const visit = (node: ts.Node): void => {
        if (ts.isIdentifier(node) && node.text === "z" && !ts.isImportSpecifier(node.parent) && !isOwner(node))
          elsewhere.push(`${relative(root, file)}: ${node.parent.getText(source)}`);
        ts.forEachChild(node, visit);
      };
      visit(source);
      return elsewhere;
    });
  expect(found).toEqual([]);
});

/** Whether the name is followed by a dot and a member's. */
const isOwner = (node: ts.Node): boolean =>
  (ts.isPropertyAccessExpression(node.parent) && node.parent.expression === node) ||
  (ts.isQualifiedName(node.parent) && node.parent.left === node);

/** Lines of every function, without those of the functions inside it: a factory is as long as what it does itself. */
function functionsOf(file: string): { where: string; lines: number }[] {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const lineOf = (position: number): number => source.getLineAndCharacterOfPosition(position).line + 1;
  const found: { where: string; lines: number }[] = [];
  const visit = (node: ts.Node): number => {
    let inner = 0;
    ts.forEachChild(node, (child) => void (inner += visit(child)));
    if (!ts.isFunctionLike(node) || !("body" in node) || !node.body) return inner;
    const [first, lines] = [lineOf(node.getStart(source)), lineOf(node.end) - lineOf(node.getStart(source)) + 1];
    found.push({ where: `${relative(root, file)}:${first}`, lines: lines - inner });
    return lines;
  };
  visit(source);
  return found;
}

test("no function is longer than 60 lines", () => {
  const long = files
    .filter((file) => layerOf(file) !== "provider/sdk")
    .flatMap(functionsOf)
    .filter(({ lines }) => lines > 60);
  expect(long).toEqual([]);
});

test("titles of tests have at most 80 characters", () => {
  const titles = filesBelow(tests, /\.ts$/).flatMap((file) =>
    longTitlesIn(file).map((title) => `${relative(tests, file)}: ${title}`),
  );
  expect(titles).toEqual([]);
});

test("what starts a program is the last statement of its file", () => {
  const early = written.flatMap((file) =>
    earlyStarts(file, readFileSync(file, "utf8")).map((statement) => `${relative(root, file)}: ${statement}`),
  );
  expect(early).toEqual([]);
});

test.each([
  "if (require.main === module) process.exitCode = run();",
  "require.main === module && run();",
  "if (!module.parent) run();",
  "if (import.meta.main) await run();",
  "if (import.meta.url === `file://${process.argv[1]}`) run();",
  "if (basename(process.argv[1]) === 'release.mjs') { run(); }",
  "const isMain = require.main === module;\nif (isMain) run();",
  "void main();",
  "process.exitCode = await main(process.argv.slice(2));",
  "main().catch((error) => console.error(error));",
  "try {\n  main();\n} catch {}",
])("a start is seen in %j", (start) => {
  expect(earlyStarts("script.mts", `function run() {}\n${start}\n// The end.\n`)).toEqual([]);
  for (const below of ["const limit = 3;", "function more() {}", "interface More {}", "export { run };"])
    expect(earlyStarts("script.mts", `${start}\n${below}\n`)).toHaveLength(1);
});

/** Columns of a line; one that is wider holds a string, or a part of one, with little beside it. */
const columns = 120;
const besideText = 60;

test("no line is wider than 120 columns, except to hold a single string", () => {
  expect(written.filter((file) => !file.includes("/fixtures/")).flatMap(wideLines)).toEqual([]);
});

function wideLines(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const lines = text.split("\n");
  if (!lines.some(({ length }) => length > columns)) return [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const texts = textsOf(source).map((node) => ({ begin: node.getStart(source), end: node.end }));
  const starts = source.getLineStarts();
  return lines.flatMap((line, index) => {
    if (line.length <= columns) return [];
    const from = starts[index]!;
    const held = texts.map(({ begin, end }) => Math.min(end, from + line.length) - Math.max(begin, from));
    return line.trim().length - Math.max(0, ...held) <= besideText ? [] : [`${relative(root, file)}:${index + 1}`];
  });
}

function textsOf(node: ts.Node): ts.Node[] {
  const isText = ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || ts.isRegularExpressionLiteral(node);
  const inside: ts.Node[] = [];
  if (!isText) ts.forEachChild(node, (child) => void inside.push(...textsOf(child)));
  return isText ? [node] : inside;
}
