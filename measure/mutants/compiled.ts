import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ts from "typescript";

/** A copy of the repository in which suites of compiled code meet a mutant: they start what is in its `dist`. */
export interface CompiledCopy {
  root: string;
  /** Compiles the changed text of a source. Returns what undoes that. */
  put(file: string, text: string): () => void;
  remove(): void;
}

/** What a copy does not have: packages are linked, and the history is of no use. */
const left = ["node_modules", ".git"];

export function compiledCopy(root: string): CompiledCopy {
  const copy = mkdtempSync(join(tmpdir(), "mutants-"));
  // With their times, so that what is built stays younger than its sources.
  for (const name of readdirSync(root).filter((each) => !left.includes(each)))
    cpSync(join(root, name), join(copy, name), { recursive: true, preserveTimestamps: true });
  linkPackages(join(root, "node_modules"), join(copy, "node_modules"));
  return {
    root: copy,
    put(file, text) {
      const output = join(copy, "dist", file.replace(/\.ts$/, ".js"));
      const before = readFileSync(output, "utf8");
      writeFileSync(output, compiled(text, file));
      return () => writeFileSync(output, before);
    },
    remove: () => rmSync(copy, { recursive: true, force: true }),
  };
}

/** Each package by a link of its own, so that the package itself is the copy and not the original. */
function linkPackages(from: string, to: string): void {
  mkdirSync(to);
  for (const name of readdirSync(from))
    if (name !== "pulumi-modelplatform") symlinkSync(join(from, name), join(to, name));
  symlinkSync("..", join(to, "pulumi-modelplatform"));
}

/** As the build does, but for types. */
const compiled = (text: string, fileName: string): string =>
  ts.transpileModule(text, {
    fileName,
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.NodeNext },
  }).outputText;
