import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import type ts from "typescript";
import { isIn, nameFrom, realPath } from "../../io/paths/containment";

/** The program's own compiler, so that it parses what will run. */
export type Compiler = typeof ts;

/** Loads `typescript` as the program in `folder` would. Throws an error that says what to install. */
export function compilerOf(folder: string): Compiler {
  const require = createRequire(join(folder, "package.json"));
  const install = "Install one in it: `npm install --save-dev typescript@5`.";
  let compiler: Partial<Compiler>;
  try {
    compiler = require("typescript") as Partial<Compiler>;
  } catch (cause) {
    throw new Error(`The program in ${folder} has no \`typescript\`, which is needed to read and edit it. ${install}`, {
      cause,
    });
  }
  if (typeof compiler.createProgram === "function" && typeof compiler.forEachChild === "function")
    return compiler as Compiler;
  throw new Error(
    `The \`typescript\` of ${folder} (${compiler.version ?? "no version"}) offers no compiler API to read the program with. ${install}`,
  );
}

/** Where a program begins. */
export interface Start {
  ts: Compiler;
  /** Absolute. */
  folder: string;
  /** Entry point relative to the folder, as Pulumi.yaml says it. */
  main?: string | undefined;
}

/** The folder that Pulumi starts the program in, where its packages and settings are. */
export function startFolder({ folder, main }: Omit<Start, "ts">): string {
  const start = resolve(folder, main ?? ".");
  return statSync(start, { throwIfNoEntry: false })?.isDirectory() ? start : dirname(start);
}

/** The text of a file. Throws an error where writing it again would not give the same bytes. */
export function sourceText(file: string): string {
  const bytes = readFileSync(file);
  const text = bytes.toString("utf8");
  if (Buffer.from(text).equals(bytes)) return text;
  throw new Error(`${file} is not text in UTF-8, so it is left as it is. Save it in UTF-8.`);
}

/** What the program's own tsconfig says, and where it is; nothing where there is none. */
export function ownSettings(ts: Compiler, folder: string): { settings: ts.CompilerOptions; folder: string } {
  const file = ts.findConfigFile(folder, ts.sys.fileExists);
  if (file === undefined) return { settings: {}, folder };
  const { config } = ts.readConfigFile(file, ts.sys.readFile) as { config?: unknown };
  const host = { ...ts.sys, readDirectory: () => [] };
  return { settings: ts.parseJsonConfigFileContent(config ?? {}, host, dirname(file)).options, folder: dirname(file) };
}

const endings = [".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs"];

/** What Pulumi runs: `main` of the project or of package.json, else `index`. */
export function startedFile({ folder, main }: Omit<Start, "ts">): string {
  const start = resolve(folder, main ?? ".");
  const packageMain = (): string[] => {
    const file = join(start, "package.json");
    if (!existsSync(file)) return [];
    const named = (JSON.parse(readFileSync(file, "utf8")) as { main?: unknown }).main;
    return typeof named === "string" ? [resolve(start, named)] : [];
  };
  const bases = [start, ...packageMain(), join(start, "index")];
  const candidates = bases.flatMap((base) => [
    ...(endings.some((ending) => base.endsWith(ending)) ? [base] : []),
    ...endings.map((ending) => `${base.replace(/\.[cm]?js$/, "")}${ending}`),
  ]);
  const sources = [...candidates.filter((path) => isTypeScript(path)), ...candidates];
  const existing = sources.find((path) => existsSync(path));
  if (existing === undefined)
    throw new Error(
      `There is no program in ${folder}: neither \`main\` in Pulumi.yaml or package.json nor index.ts leads to one. Change to the folder of a TypeScript or JavaScript program.`,
    );
  return realPath(existing);
}

const isTypeScript = (path: string): boolean => /\.[cm]?tsx?$/.test(path);

/** The file that the program begins with, as people write it. Throws an error where only a compiled one is there. */
export function entryOf(start: Start): string {
  const started = startedFile(start);
  if (isTypeScript(started)) return started;
  const { settings, folder } = ownSettings(start.ts, dirname(started));
  const { outDir, rootDir = folder } = settings;
  if (outDir === undefined || !isIn(started, outDir)) return started;
  const source = join(rootDir, nameFrom(realPath(outDir), started).replace(/js$/, "ts"));
  if (existsSync(source)) return realPath(source);
  throw new Error(
    `The program runs ${nameFrom(realPath(start.folder), started)}, which is compiled, and its source is not in the \`rootDir\` of tsconfig.json. Set it there.`,
  );
}
