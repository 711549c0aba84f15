import { CompilerMemory, keyOf } from "./compiler-memory";
import { look, textLook } from "./looks";

/** A compiler by the names of its members. */
type CompilerModule = Record<string, unknown>;

type Member = (...args: unknown[]) => unknown;

const opened = new Map<string, CompilerModule>();

/** The compiler of this file, which `load` loads, with what it has answered to earlier processes of the program. */
export function openCompiler(load: () => CompilerModule, file: string, folder: string): CompilerModule {
  let compiler = opened.get(file);
  if (!compiler) {
    const memory = new CompilerMemory(folder, file, process.cwd());
    process.once("exit", () => memory.save());
    opened.set(file, (compiler = rememberingCompiler(load, memory)));
  }
  return compiler;
}

/** The compiler, if it has what `ts-node` calls; nobody is helped by the calls that led to this error. */
function usable(compiler: CompilerModule): CompilerModule {
  if (typeof compiler["createLanguageService"] === "function") return compiler;
  const error = new Error(
    `TypeScript ${String(compiler["version"])} of this project cannot compile programs. Install one that can: \`npm install --save-dev typescript@5\`.`,
  );
  throw Object.assign(error, { stack: error.message });
}

interface ServiceHost {
  getCompilationSettings(): object;
}

/** Members of the service that check and emit one file. */
interface Service {
  getEmitOutput(file: string): unknown;
  getCompilerOptionsDiagnostics(): unknown[];
  getSyntacticDiagnostics(file: string): unknown[];
  getSemanticDiagnostics(file: string): unknown[];
}

/**
 * The compiler that the SDK's `ts-node` asks to check and emit a program, without loading it where every answer is
 * remembered. It is loaded for the first question that nobody has asked before, and asked everything from then on.
 */
function rememberingCompiler(load: () => CompilerModule, memory: CompilerMemory): CompilerModule {
  let loaded: CompilerModule | undefined;
  const real = (): CompilerModule => (loaded ??= usable(load()));
  const later =
    (name: string): Member =>
    (...args) =>
      (real()[name] as Member)(...args);
  const asked = (name: string, question: unknown[], args: unknown[] = question): unknown =>
    memory.answer([name, ...question], () => later(name)(...args));
  const own: CompilerModule = {
    sys: observed(() => real()["sys"] as Record<string, Member>, memory),
    parseConfigFileTextToJson: (file: string, text: string) => asked("parseConfigFileTextToJson", [file, text]),
    readConfigFile: (file: string, read: Member) => asked("readConfigFile", [file], [file, read]),
    parseJsonConfigFileContent: (json: unknown, host: unknown, ...rest: unknown[]) =>
      asked("parseJsonConfigFileContent", [json, ...rest], [json, host, ...rest]),
    transpileModule: (text: string, options: { transformers?: unknown }) =>
      options.transformers === undefined
        ? memory.answer(["transpileModule", text, options], () => later("transpileModule")(text, options), isClean)
        : later("transpileModule")(text, options),
    createLanguageService: (host: ServiceHost) =>
      rememberingService(() => later("createLanguageService")(host) as Service, host, memory),
    ...Object.fromEntries(forErrors.map((name) => [name, later(name)])),
  };
  return new Proxy(own, {
    get: (_, name) => {
      if (typeof name !== "string" || name in own) return own[name as string];
      return constants.includes(name) ? memory.answer([name], () => real()[name]) : real()[name];
    },
    has: (_, name) => name in real(),
    set: (_, name, value) => Reflect.set(real(), name, value),
  });
}

/** Of what is not checked, syntax alone can be wrong. */
const isClean = (answer: unknown): boolean => (answer as { diagnostics?: unknown[] }).diagnostics?.length === 0;

/** Members that are plain values. */
const constants = ["version", "JsxEmit", "ModuleKind", "ScriptTarget"];

/** What `ts-node` takes hold of at its start, and calls for errors alone. */
const forErrors = ["findConfigFile", "formatDiagnostics", "formatDiagnosticsWithColorAndContext"];

/** The compiler's way to the disk, with a note of each look. */
function observed(sys: () => Record<string, Member>, memory: CompilerMemory): Record<string, unknown> {
  const noted =
    (name: string, note: (path: string, answer: unknown) => void = () => {}) =>
    (path: string, ...rest: unknown[]) => {
      const answer = sys()[name]!(path, ...rest);
      note(path, answer);
      return answer;
    };
  const own: Record<string, unknown> = {
    readFile: noted("readFile", (path, text) => memory.see("text", path, textLook(text as string | undefined))),
    fileExists: noted("fileExists", (path) => memory.see("file", path)),
    directoryExists: noted("directoryExists", (path) => memory.see("folder", path)),
    getDirectories: noted("getDirectories", (path) => memory.see("entries", path)),
    // Which files a project includes makes no difference to one that is asked for by name.
    readDirectory: noted("readDirectory"),
  };
  return new Proxy(own, { get: (_, name) => (name in own ? own[name as string] : sys()[name as string]) });
}

/**
 * Emits what is remembered of a file as it is now, for which the compiler had no complaint. What it does complain of is
 * not remembered, so that it complains again.
 */
function rememberingService(load: () => Service, host: ServiceHost, memory: CompilerMemory): Service {
  let loaded: Service | undefined;
  const real = (): Service => (loaded ??= load());
  const settings = host.getCompilationSettings();
  const emitted = new Map<string, { key: string; output: unknown; known: boolean; faults: number }>();
  const diagnosed =
    (name: "getSyntacticDiagnostics" | "getSemanticDiagnostics") =>
    (file: string): unknown[] => {
      const emit = emitted.get(file);
      if (emit?.known) return [];
      const found = real()[name](file);
      if (!emit) return found;
      emit.faults += found.length;
      if (name === "getSemanticDiagnostics" && emit.faults === 0) memory.keep(emit.key, emit.output);
      return found;
    };
  const own: Service = {
    getEmitOutput(file) {
      const text = look("text", file);
      memory.see("text", file, text);
      const key = keyOf(["getEmitOutput", file, text, settings]);
      const known = memory.recall<unknown>(key);
      const output = known ? known.answer : real().getEmitOutput(file);
      emitted.set(file, { key, output, known: known !== undefined, faults: 0 });
      return output;
    },
    getCompilerOptionsDiagnostics: () =>
      memory.answer(
        ["getCompilerOptionsDiagnostics", settings],
        () => real().getCompilerOptionsDiagnostics(),
        (found) => found.length === 0,
      ),
    getSyntacticDiagnostics: diagnosed("getSyntacticDiagnostics"),
    getSemanticDiagnostics: diagnosed("getSemanticDiagnostics"),
  };
  return new Proxy(own, {
    get: (_, name) => (name in own ? own[name as keyof Service] : real()[name as keyof Service]),
  });
}
