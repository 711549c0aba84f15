import { EOL } from "node:os";
import { createInterface } from "node:readline";
import {
  type CheckRequest,
  CompilerCache,
  type CompilerModule,
  changedText,
  checkKeyParts,
  keyOf,
  type Member,
  observeReads,
  type TypeAnswer,
  textFingerprint,
} from "./compiler-memory";

interface Diagnostic {
  code: number;
}

interface Service {
  getCompilerOptionsDiagnostics(): Diagnostic[];
  getSyntacticDiagnostics(file: string): Diagnostic[];
  getSemanticDiagnostics(file: string): Diagnostic[];
}

/** Diagnostics about a project's file list, which `ts-node` ignores as well. */
const ignored = [6059, 18002, 18003, ...(process.env["TS_NODE_IGNORE_DIAGNOSTICS"] ?? "").split(",").map(Number)];

/** The types of one program with one set of options, as `ts-node` would check them. */
class CheckedProgram {
  private readonly files = new Set<string>();
  /** Fingerprints by file. */
  private readonly texts = new Map<string, string>();
  private readonly memory: CompilerCache;
  private readonly compiler: CompilerModule;
  private readonly service: Service;

  constructor({ compiler, folder, settings }: CheckRequest) {
    this.memory = new CompilerCache({ folder, compiler, program: process.cwd(), of: "check" });
    this.compiler = require(compiler) as CompilerModule;
    this.service = this.call("createLanguageService", this.host(settings)) as Service;
  }

  private call(name: string, ...args: unknown[]): unknown {
    return (this.compiler[name] as Member)(...args);
  }

  private host(settings: object): object {
    const sys = observeReads(() => this.compiler["sys"] as Record<string, Member>, this.memory);
    const snapshots = new Map<string, unknown>();
    const { ScriptSnapshot } = this.compiler as { ScriptSnapshot: { fromString: Member } };
    const snapshot = (file: string): unknown => {
      const text = sys["readFile"]!(file) as string | undefined;
      this.texts.set(file, textFingerprint(text));
      return text === undefined ? undefined : ScriptSnapshot.fromString(text);
    };
    const { fileExists, readFile, readDirectory, getDirectories, directoryExists } = sys;
    return {
      ...{ fileExists, readFile, readDirectory, getDirectories, directoryExists },
      getScriptFileNames: () => [...this.files],
      getScriptVersion: () => "1",
      getScriptSnapshot(file: string) {
        if (!snapshots.has(file)) snapshots.set(file, snapshot(file));
        return snapshots.get(file);
      },
      // As `tsc` does: of comments, only what can be wrong is read.
      jsDocParsingMode: (this.compiler["JSDocParsingMode"] as Record<string, number> | undefined)?.[
        "ParseForTypeErrors"
      ],
      getNewLine: () => EOL,
      getCurrentDirectory: () => process.cwd(),
      getCompilationSettings: () => settings,
      getDefaultLibFileName: () => this.call("getDefaultLibFilePath", settings),
    };
  }

  include(files: readonly string[]): void {
    for (const file of files) this.files.add(file);
  }

  errorsOf(request: CheckRequest): string {
    const { file } = request;
    const diagnostics = [
      ...this.service.getCompilerOptionsDiagnostics(),
      ...this.service.getSyntacticDiagnostics(file),
      ...this.service.getSemanticDiagnostics(file),
    ].filter(({ code }) => !ignored.includes(code));
    if (this.texts.get(file) !== request.text) return changedText(file);
    if (diagnostics.length === 0) this.memory.keep(keyOf(checkKeyParts(request)), true);
    const place = {
      getNewLine: () => EOL,
      getCurrentDirectory: () => process.cwd(),
      getCanonicalFileName: (name: string) => name,
    };
    return this.call("formatDiagnostics", diagnostics, place) as string;
  }

  save(): void {
    this.memory.save();
  }
}

const programs = new Map<string, CheckedProgram>();

function programOf(request: CheckRequest): CheckedProgram {
  const key = keyOf([request.compiler, request.settings]);
  const program = programs.get(key) ?? new CheckedProgram(request);
  programs.set(key, program);
  return program;
}

let pendingRequests: CheckRequest[] = [];

/** All pending requests form one program, which is read once. */
function answerAll(): void {
  const requests = pendingRequests;
  pendingRequests = [];
  for (const request of requests) programOf(request).include([...request.files, request.file]);
  const answers = requests.map((request): TypeAnswer => ({ errors: programOf(request).errorsOf(request) }));
  for (const program of programs.values()) program.save();
  process.stdout.write(answers.map((answer) => `${JSON.stringify(answer)}\n`).join(""));
}

createInterface({ input: process.stdin, crlfDelay: Infinity }).on("line", (line) => {
  if (pendingRequests.length === 0) setImmediate(answerAll);
  pendingRequests.push(JSON.parse(line) as CheckRequest);
});
