import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { textFingerprint } from "../../engine/processes/compiler-memory";
import type * as typeCheck from "../../engine/processes/type-check";
import { repository } from "../e2e/engines";
import { temporaryFolder } from "../state/temporary-folder";

const { TypeCheck } = require(join(repository, "dist/engine/processes/type-check.js")) as typeof typeCheck;

/** What `ts-node` sets, whatever a project says. */
const always = { sourceMap: true, inlineSourceMap: false, inlineSources: true, declaration: false, noEmit: false };

/** The options of a project, as `ts-node` reads them. */
export function settingsOf(options: object, folder: string): ts.CompilerOptions {
  const { options: read, errors } = ts.convertCompilerOptionsFromJson(options, folder, join(folder, "tsconfig.json"));
  if (errors.length > 0) throw new Error(ts.formatDiagnostics(errors, ts.createCompilerHost({})));
  return { ...read, ...always, configFilePath: join(folder, "tsconfig.json"), outDir: join(folder, "$$ts-node$$") };
}

/** A folder with these files that finds the packages of this repository. */
export function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

interface Asked {
  folder: string;
  files: readonly string[];
  options: object;
  native?: string | null;
  after?: (ms: number, callback: () => void) => () => void;
  compiler?: string;
}

/** What a check says of these files, and whether it has fallen back. */
export async function faultOf({ folder, files, options, native, after, compiler }: Asked) {
  const kept = join(temporaryFolder(), "compiled");
  mkdirSync(kept, { mode: 0o700 });
  const fallbacks: string[] = [];
  const check = new TypeCheck({
    ...{ folder, env: process.env, native, onFallback: (text: string) => void fallbacks.push(text) },
    ...(after && { after }),
  });
  const paths = files.map((name) => join(folder, name));
  for (const [index, file] of paths.entries())
    check.request(
      JSON.stringify({
        folder: kept,
        compiler: compiler ?? join(repository, "node_modules/typescript/lib/typescript.js"),
        settings: settingsOf(options, folder),
        files: paths.slice(0, index + 1),
        file,
        text: textFingerprint(readFileSync(file, "utf8")),
      }),
    );
  const fault = await check.fault();
  check.end();
  return { fault, fallbacks };
}
