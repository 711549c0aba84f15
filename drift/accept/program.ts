import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import type ts from "typescript";
import { ceilings, readBoundedSync, readTextSync } from "../../io/files/read";
import { isIn, nameFrom, realPath } from "../../io/paths";
import { jsonValue } from "../../io/text/parse-problem";
import { omitUndefined } from "../../provider/core/values/values";

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
interface Start {
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
  const bytes = readBoundedSync(file, ceilings.settings);
  const text = bytes.toString("utf8");
  if (Buffer.from(text).equals(bytes)) return text;
  throw new Error(`${file} is not text in UTF-8, so it is left as it is. Save it in UTF-8.`);
}

/** The program's own tsconfig and its path; nothing if there is none. */
function ownSettings(ts: Compiler, folder: string): { settings: ts.CompilerOptions; folder: string } {
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
    const named = (jsonValue(readTextSync(file, ceilings.settings), file) as { main?: unknown }).main;
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

/** A place in the program, for users: lines and columns are counted from 1. */
export interface SourceLocation {
  /** Relative to the program's folder, with `/`. */
  file: string;
  line: number;
  column: number;
}

/** The text of the program's files as it is to be: what is not here is as it is on disk. */
type Texts = ReadonlyMap<string, string>;

export interface RewriteOptions extends Start {
  /** As Pulumi.yaml names it. */
  project: string;
  /** Kinds of resources that the package has a class for. */
  kinds: readonly string[];
}

/**
 * The program's own files with their names resolved. Packages are not read: of those that matter, only the names are
 * known.
 */
export class Program {
  readonly checker: ts.TypeChecker;
  readonly files: readonly ts.SourceFile[];

  constructor(
    readonly options: RewriteOptions,
    readonly texts: Texts,
    private readonly program: ts.Program,
  ) {
    this.checker = program.getTypeChecker();
    this.files = program.getSourceFiles().filter(({ fileName }) => !isStandIn(fileName));
  }

  get ts(): Compiler {
    return this.options.ts;
  }

  get folder(): string {
    return this.options.folder;
  }

  /** The file that the program begins with. */
  get entry(): ts.SourceFile {
    return this.program.getSourceFile(entryOf(this.options))!;
  }

  /** The same program with other texts; files whose text is the same are not parsed again. */
  with(texts: Texts): Program {
    return open(this.options, texts, this.program);
  }

  placeOf(node: ts.Node): SourceLocation {
    const file = node.getSourceFile();
    const { line, character } = file.getLineAndCharacterOfPosition(node.getStart(file));
    return { file: this.nameOf(file), line: line + 1, column: character + 1 };
  }

  nameOf({ fileName }: ts.SourceFile): string {
    return nameFrom(this.folder, fileName);
  }

  /** The name of a class of this package or of Pulumi's that a stand-in declares; undefined for any other symbol. */
  standIn(symbol: ts.Symbol | undefined): string | undefined {
    const file = symbol?.declarations?.[0]?.getSourceFile().fileName;
    return file !== undefined && isStandIn(file) ? symbol!.name : undefined;
  }
}

/** Reads the program. Throws an error that names the place of what does not parse. */
export const readProgram = (options: RewriteOptions, texts: Texts = new Map()): Program =>
  open({ ...options, folder: realPath(options.folder) }, texts);

const standInFolder = "/modelplatform-stand-ins";
const isStandIn = (file: string): boolean => file.startsWith(`${standInFolder}/`);

/** Stubs for packages, whose declarations would take seconds to read and add nothing. */
function standIns(kinds: readonly string[]): Readonly<Record<string, string>> {
  const classes = [...kinds, "Provider"].map(
    (kind) => `export declare class ${kind} { constructor(name: string, args?: any, opts?: any); name: any; }`,
  );
  return {
    "pulumi-modelplatform": classes.join("\n"),
    "@pulumi/pulumi": "export declare class Config { constructor(name?: string); get: any; require: any; }",
  };
}

/** The plugin's classes have the same names. */
const standInOf = (name: string): string | undefined =>
  ({ "pulumi-modelplatform/plugin": "pulumi-modelplatform" })[name] ?? name;

function open(options: RewriteOptions, texts: Texts, before?: ts.Program): Program {
  const { ts, folder, kinds } = options;
  const packages = standIns(kinds);
  const entry = entryOf(options);
  const settings: ts.CompilerOptions = {
    ...pathsOf(options),
    noLib: true,
    types: [],
    allowJs: true,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.CommonJS,
    moduleResolution: ts.ModuleResolutionKind.Node10,
    esModuleInterop: true,
  };
  const textOf = (file: string): string | undefined =>
    isStandIn(file)
      ? packages[file.slice(standInFolder.length + 1, -".d.ts".length).replace("+", "/")]
      : (texts.get(file) ?? (existsSync(file) ? sourceText(file) : undefined));
  const host: ts.CompilerHost = {
    getSourceFile: (file, version) => {
      const text = textOf(file);
      if (text === undefined) return undefined;
      const known = before?.getSourceFile(file);
      return known?.text === text ? known : ts.createSourceFile(file, text, version, true);
    },
    getDefaultLibFileName: () => "lib.d.ts",
    writeFile: () => {},
    getCurrentDirectory: () => folder,
    getCanonicalFileName: (file) => file,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => "\n",
    fileExists: (file) => textOf(file) !== undefined,
    readFile: textOf,
    resolveModuleNameLiterals: (names, from, _, compilerOptions) =>
      names.map(({ text }) => ({ resolvedModule: resolved(text, from, compilerOptions) })),
  };

  function resolved(
    name: string,
    from: string,
    compilerOptions: ts.CompilerOptions,
  ): ts.ResolvedModuleFull | undefined {
    const standIn = standInOf(name);
    if (standIn !== undefined && Object.hasOwn(packages, standIn))
      return {
        resolvedFileName: `${standInFolder}/${standIn.replace("/", "+")}.d.ts`,
        extension: ts.Extension.Dts,
        isExternalLibraryImport: false,
      };
    const { resolvedModule } = ts.resolveModuleName(name, from, compilerOptions, host);
    const isOwn = resolvedModule && !resolvedModule.isExternalLibraryImport && !isFromPackage(resolvedModule);
    if (!isOwn || resolvedModule.resolvedFileName.endsWith(".json")) return undefined;
    return { ...resolvedModule, resolvedFileName: realPath(resolvedModule.resolvedFileName) };
  }

  const program = ts.createProgram([entry], settings, host, before);
  const [error] = program.getSourceFiles().flatMap((file) => program.getSyntacticDiagnostics(file));
  if (error)
    throw new Error(`The program does not parse: ${diagnosticText(ts, folder, error)} Correct it, and run this again.`);
  return new Program(options, texts, program);
}

const isFromPackage = ({ resolvedFileName }: ts.ResolvedModuleFull): boolean =>
  resolvedFileName.split("/").includes("node_modules") || resolvedFileName.endsWith(".d.ts");

/** How the program's own tsconfig names its modules. */
function pathsOf(options: RewriteOptions): ts.CompilerOptions {
  const { baseUrl, paths, pathsBasePath } = ownSettings(options.ts, startFolder(options)).settings;
  return omitUndefined({ baseUrl, paths, pathsBasePath });
}

function diagnosticText(ts: Compiler, folder: string, { file, start = 0, messageText }: ts.Diagnostic): string {
  const text = ts.flattenDiagnosticMessageText(messageText, " ");
  if (!file) return text;
  const { line, character } = file.getLineAndCharacterOfPosition(start);
  return `${nameFrom(folder, file.fileName) || basename(file.fileName)}:${line + 1}:${character + 1}: ${text}`;
}

/**
 * What the compiler says against the program's own files, by the program's own settings; `texts` are files as they are
 * to be.
 */
export function typeErrors(options: RewriteOptions, texts: Texts): string[] {
  const { ts: compiler, folder } = options;
  const settings = settingsOf(compiler, startFolder(options));
  const host = compiler.createCompilerHost(settings);
  const { readFile, getSourceFile } = host;
  const textOf = (file: string): string | undefined => (texts.size === 0 ? undefined : texts.get(realPath(file)));
  host.readFile = (file) => textOf(file) ?? readFile(file);
  host.getSourceFile = (file, version, ...rest) => {
    const text = textOf(file);
    return text === undefined ? getSourceFile(file, version, ...rest) : compiler.createSourceFile(file, text, version);
  };
  const program = compiler.createProgram([entryOf(options)], settings, host);
  return program
    .getSourceFiles()
    .filter((file) => !file.isDeclarationFile && !program.isSourceFileFromExternalLibrary(file))
    .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
    .filter(({ category }) => category === compiler.DiagnosticCategory.Error)
    .map((diagnostic) => diagnosticText(compiler, folder, diagnostic));
}

/** As Pulumi runs a program: by its tsconfig, or by these settings where there is none. */
function settingsOf(compiler: Compiler, folder: string): ts.CompilerOptions {
  const usual = {
    target: compiler.ScriptTarget.ES2020,
    module: compiler.ModuleKind.CommonJS,
    moduleResolution: compiler.ModuleResolutionKind.Node10,
    esModuleInterop: true,
  };
  const { settings } = ownSettings(compiler, folder);
  const own = settings["configFilePath"] === undefined ? usual : settings;
  return { ...own, noEmit: true, skipLibCheck: true };
}
