import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import { entry, options } from "./compiler-options";

const root = join(__dirname, "..", "..");

const file = join(root, "tests", "types", "measured.ts");
const parsed = new Map<string, ts.SourceFile | undefined>();

/** What the compiler does for a program, counted: nothing here depends on the speed of a machine. */
function work(text: string): { errors: number; steps: number } {
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (name, ...rest) => {
    if (name === file) return ts.createSourceFile(name, text, ts.ScriptTarget.ES2022);
    if (!parsed.has(name)) parsed.set(name, getSourceFile.call(host, name, ...rest));
    return parsed.get(name);
  };
  host.fileExists = (name) => name === file || ts.sys.fileExists(name);
  const program = ts.createProgram([file], options, host);
  const errors = program.getSemanticDiagnostics().length;
  const steps =
    program.getIdentifierCount() + program.getSymbolCount() + program.getTypeCount() + program.getInstantiationCount();
  return { errors, steps };
}

test("type-checking a program costs at most 1.2 times one that imports Pulumi alone", () => {
  const pulumi = work('import * as pulumi from "@pulumi/pulumi";\nexport const text = pulumi.output("text");\n');
  const own = work(readFileSync(join(root, "examples", "quickstart", "index.ts"), "utf8"));
  expect([pulumi.errors, own.errors]).toEqual([0, 0]);
  expect(own.steps / pulumi.steps).toBeLessThanOrEqual(1.2);
  process.stderr.write(`type-checking the quickstart: ${(own.steps / pulumi.steps).toFixed(3)} of Pulumi alone\n`);
});

/** The files that a declaration file leads to, and the packages. */
function reached(from: string): { files: Set<string>; packages: Set<string> } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (path: string): void => {
    if (files.has(path)) return;
    files.add(path);
    for (const { fileName } of ts.preProcessFile(readFileSync(path, "utf8")).importedFiles) {
      if (!fileName.startsWith(".")) packages.add(fileName);
      else visit(`${resolve(dirname(path), fileName)}.d.ts`);
    }
  };
  visit(from);
  return { files, packages };
}

test("the declarations of the package lead to Pulumi's types and to no other package's", () => {
  expect(existsSync(entry)).toBe(true);
  const { files, packages } = reached(entry);
  expect([...packages]).toEqual(["@pulumi/pulumi"]);
  const rooms = new Set([...files].map((path) => relative(join(root, "dist"), path).split("/")[0]));
  expect([...rooms].sort()).toEqual(["provider"]);
});

test("programs see no private members: two copies of the package share their values", () => {
  const hidden = [...reached(entry).files].filter((path) => /\bprivate |\bprotected |^\s+#/m.test(code(path)));
  expect(hidden.map((path) => relative(root, path))).toEqual([]);
});

const code = (path: string): string => readFileSync(path, "utf8").replace(/\/\*\*[\s\S]*?\*\//g, "");
