import { writeSync } from "node:fs";
import {
  type CheckRequest,
  CompilerCache,
  type CompilerModule,
  checkKeyParts,
  fingerprint,
  keyOf,
  type Member,
  observeReads,
  textOf,
} from "./compiler-memory";
import type { CompileCache } from "./lazy-sdk";

const opened = new Map<string, CompilerModule>();

/** The compiler of this file, loaded by `load`, with its remembered answers. */
export function openCompiler(load: () => CompilerModule, file: string, compiled: CompileCache): CompilerModule {
  let compiler = opened.get(file);
  if (!compiler) {
    const place = { folder: compiled.folder, compiler: file, program: process.cwd() };
    const memory = new CompilerCache({ ...place, of: "run" });
    process.once("exit", () => memory.save());
    const checks = compiled.requests === undefined ? undefined : new Checks(place, compiled.requests);
    opened.set(file, (compiler = rememberingCompiler(load, memory, checks)));
  }
  return compiler;
}

/** The compiler, if it has what `ts-node` calls. The error has no stack: its callers do not help the user. */
function withRequiredMembers(compiler: CompilerModule): CompilerModule {
  if (typeof compiler["createLanguageService"] === "function") return compiler;
  const error = new Error(
    `TypeScript ${String(compiler["version"])} of this project cannot compile programs. Install one that can: \`npm install --save-dev typescript@5\`.`,
  );
  throw Object.assign(error, { stack: error.message });
}

/** Sends files to a separate process that checks their types. */
class Checks {
  private readonly memory: CompilerCache;

  constructor(
    private readonly place: { folder: string; compiler: string; program: string },
    private readonly requests: number,
  ) {
    this.memory = new CompilerCache({ ...place, of: "check" });
  }

  /** Requests a check unless an earlier one found no errors. */
  request(subject: Pick<CheckRequest, "settings" | "files" | "file">): void {
    const { folder, compiler } = this.place;
    const request: CheckRequest = { folder, compiler, ...subject, text: fingerprint("text", subject.file) };
    if (this.memory.recall(keyOf(checkKeyParts(request))) !== undefined) return;
    writeSync(this.requests, `${JSON.stringify(request)}\n`);
  }
}

interface ServiceHost {
  getCompilationSettings(): { emitDecoratorMetadata?: boolean };
  getScriptFileNames(): string[];
  getCustomTransformers?(): object | undefined;
}

/** Members of the service that check and emit one file. */
interface Service {
  getEmitOutput(file: string): unknown;
  getCompilerOptionsDiagnostics(): unknown[];
  getSyntacticDiagnostics(file: string): unknown[];
  getSemanticDiagnostics(file: string): unknown[];
}

interface Transpiled {
  outputText: string;
  sourceMapText?: string;
  diagnostics?: unknown[];
}

/**
 * The compiler that the SDK's `ts-node` uses to check and emit a program. It is loaded only for the first question
 * without a remembered answer, and answers everything from then on.
 */
function rememberingCompiler(
  load: () => CompilerModule,
  memory: CompilerCache,
  checks: Checks | undefined,
): CompilerModule {
  let loaded: CompilerModule | undefined;
  const loadCompiler = (): CompilerModule => (loaded ??= withRequiredMembers(load()));
  const lazyMember =
    (name: string): Member =>
    (...args) =>
      (loadCompiler()[name] as Member)(...args);
  const cachedCall = (name: string, question: unknown[], args: unknown[] = question): unknown =>
    memory.answer([name, ...question], () => lazyMember(name)(...args));
  const transpile = (text: string, options: object): Transpiled =>
    memory.answer(
      ["transpileModule", text, options],
      () => lazyMember("transpileModule")(text, options) as Transpiled,
      ({ diagnostics }) => diagnostics?.length === 0,
    );
  const own: CompilerModule = {
    sys: observeReads(() => loadCompiler()["sys"] as Record<string, Member>, memory),
    parseConfigFileTextToJson: (file: string, text: string) => cachedCall("parseConfigFileTextToJson", [file, text]),
    readConfigFile: (file: string, read: Member) => cachedCall("readConfigFile", [file], [file, read]),
    parseJsonConfigFileContent: (json: unknown, host: unknown, ...rest: unknown[]) =>
      cachedCall("parseJsonConfigFileContent", [json, ...rest], [json, host, ...rest]),
    transpileModule: (text: string, options: { transformers?: unknown }) =>
      options.transformers === undefined ? transpile(text, options) : lazyMember("transpileModule")(text, options),
    createLanguageService: (host: ServiceHost) => {
      const loadService = (): Service => lazyMember("createLanguageService")(host) as Service;
      return checks && canTranspile(host)
        ? transpilingService(loadService, { host, checks, transpile })
        : loadService();
    },
    ...Object.fromEntries(forErrors.map((name) => [name, lazyMember(name)])),
  };
  return new Proxy(own, {
    get: (_, name) => {
      if (typeof name !== "string" || name in own) return own[name as string];
      return constants.includes(name) ? memory.answer([name], () => loadCompiler()[name]) : loadCompiler()[name];
    },
    has: (_, name) => name in loadCompiler(),
    set: (_, name, value) => Reflect.set(loadCompiler(), name, value),
  });
}

/** Members that are plain values. */
const constants = ["version", "JsxEmit", "ModuleKind", "ScriptTarget"];

/** Members that `ts-node` reads at its start and calls only for errors. */
const forErrors = ["findConfigFile", "formatDiagnostics", "formatDiagnosticsWithColorAndContext"];

/** Decorator metadata and custom transformers need types. */
const canTranspile = (host: ServiceHost): boolean =>
  host.getCompilationSettings().emitDecoratorMetadata !== true && host.getCustomTransformers?.() === undefined;

interface TranspilingOptions {
  host: ServiceHost;
  checks: Checks;
  transpile: (text: string, options: object) => Transpiled;
}

/**
 * Emits each file by itself and has its types checked in a separate process. Files that cannot be transpiled, and
 * everything after a question that only the full service answers, are checked here, as `ts-node` expects.
 */
function transpilingService(whole: () => Service, { host, checks, transpile }: TranspilingOptions): Service {
  let loaded: Service | undefined;
  const loadCompiler = (): Service => (loaded ??= whole());
  const settings = host.getCompilationSettings();
  const emit = (fileName: string): unknown => {
    const options = { fileName, compilerOptions: settings, reportDiagnostics: true };
    const { outputText, sourceMapText, diagnostics = [] } = transpile(textOf(fileName), options);
    if (diagnostics.length > 0) return loadCompiler().getEmitOutput(fileName);
    const name = fileName.replace(/\.\w+$/, ".js");
    const outputFiles = [
      { name: `${name}.map`, text: sourceMapText },
      { name, text: outputText },
    ];
    return { emitSkipped: false, outputFiles };
  };
  const own: Service = {
    getEmitOutput: (file) => (loaded || /\.d\.[cm]?ts$/.test(file) ? loadCompiler().getEmitOutput(file) : emit(file)),
    getCompilerOptionsDiagnostics: () => loaded?.getCompilerOptionsDiagnostics() ?? [],
    getSyntacticDiagnostics: (file) => loaded?.getSyntacticDiagnostics(file) ?? [],
    getSemanticDiagnostics(file) {
      if (loaded) return loaded.getSemanticDiagnostics(file);
      checks.request({ settings, files: host.getScriptFileNames(), file });
      return [];
    },
  };
  return new Proxy(own, {
    get: (_, name) => (name in own ? own[name as keyof Service] : loadCompiler()[name as keyof Service]),
  });
}
