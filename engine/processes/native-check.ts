import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { ceilings, readTextSync } from "../../io/files/read";
import { removeFile, replaceFile } from "../../io/files/write";
import { Child } from "./child";
import { type CheckRequest, changedText, fingerprint, keyOf } from "./compiler-memory";
import { type CompilerSettings, nativeOptions } from "./native-options";

/** The native compiler of this platform; undefined if none is installed. */
export function nativeCompiler(platform: string = process.platform, arch: string = process.arch): string | undefined {
  try {
    const manifest = require.resolve(`@typescript/typescript-${platform}-${arch}/package.json`);
    const file = join(dirname(manifest), "lib", platform === "win32" ? "tsc.exe" : "tsc");
    return existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}

/** The project's compilers that find the same errors: those that the two have been compared with. */
const comparedWith = /^5\.9\./;

function isCompared(compiler: string): boolean {
  try {
    const { version } = JSON.parse(readTextSync(join(dirname(compiler), "../package.json"), ceilings.settings));
    return comparedWith.test(version);
  } catch {
    return false;
  }
}

/** What one run of the compiler has found. */
interface Findings {
  /** Text of the errors by file. */
  errors: ReadonlyMap<string, string>;
  /** All files that it has read. */
  files: ReadonlySet<string>;
}

/** Another compiler has to answer. */
class NotAnswered extends Error {
  /** `reason`: what went wrong; absent if nothing did. */
  constructor(readonly reason?: string) {
    super(reason ?? "left to the project's compiler");
  }
}

interface NativeCheckOptions {
  /** The compiler's file. Without it, nothing is taken. */
  compiler: string | null | undefined;
  /** Where the program runs. */
  folder: string;
  env: NodeJS.ProcessEnv;
  /** Calls back after `ms` unless the returned function is called before. */
  after: (ms: number, callback: () => void) => () => void;
  /** Gets the errors of each request, or an empty text. */
  onAnswer: (errors: string) => void;
  /** Gets what is left to another compiler, from now on, and why, unless all is well. */
  onHandOver: (requests: readonly CheckRequest[], reason: string | undefined) => void;
}

/** Milliseconds after which a run counts as hung. */
const limitMs = 60_000;

/** A program with one set of options. */
interface CheckedProgram {
  /** Of the native compiler. */
  options: object;
  roots: Set<string>;
  /** Of the last run. */
  found?: Findings;
}

/** Checks types with the native compiler: a run for each group of requests that no earlier run has covered. */
export class NativeCheck {
  private pending: CheckRequest[] = [];
  /** By compiler and options; undefined where these are left to the project's compiler. */
  private readonly programs = new Map<string, CheckedProgram | undefined>();
  private running: Child | undefined;
  private isAtWork = false;
  private isOver = false;

  constructor(private readonly options: NativeCheckOptions) {}

  /** Whether it answers as the project's compiler would. */
  takes(request: CheckRequest): boolean {
    return !this.isOver && this.programOf(request) !== undefined;
  }

  private programOf({ compiler, settings }: CheckRequest): CheckedProgram | undefined {
    const key = keyOf([compiler, settings]);
    if (!this.programs.has(key)) {
      const { folder, compiler: native } = this.options;
      const options = native && isCompared(compiler) ? nativeOptions(settings as CompilerSettings, folder) : undefined;
      this.programs.set(key, options && { options, roots: new Set() });
    }
    return this.programs.get(key);
  }

  request(request: CheckRequest): void {
    this.pending.push(request);
    if (!this.isAtWork) setImmediate(() => void this.work());
    this.isAtWork = true;
  }

  end(): void {
    this.isOver = true;
    this.running?.signal("SIGKILL");
  }

  private async work(): Promise<void> {
    try {
      for (let next = this.pending[0]; next && !this.isOver; next = this.pending[0]) {
        for (const request of this.pending)
          for (const file of [...request.files, request.file]) this.programOf(request)!.roots.add(file);
        const errors = await this.errorsOf(next);
        this.pending.shift();
        this.options.onAnswer(errors);
      }
    } catch (error) {
      this.handOver(error);
    }
    this.isAtWork = false;
  }

  private handOver(error: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    const reason = error instanceof NotAnswered ? error.reason : String(error);
    this.options.onHandOver(this.pending.splice(0), reason);
  }

  private async errorsOf(request: CheckRequest): Promise<string> {
    const { file, folder, text } = request;
    const program = this.programOf(request)!;
    if (!program.found?.files.has(file)) program.found = await this.run(program, folder);
    if (!program.found.files.has(file)) throw new NotAnswered();
    return fingerprint("text", file) === text ? (program.found.errors.get(file) ?? "") : changedText(file);
  }

  /** `kept`: the folder for its configuration. */
  private async run({ options: compilerOptions, roots }: CheckedProgram, kept: string): Promise<Findings> {
    const { compiler, folder, env, after } = this.options;
    const config = join(kept, `check-${randomUUID()}.json`);
    replaceFile(config, JSON.stringify({ compilerOptions, files: [...roots] }), { durable: false });
    const [output, complaints]: string[][] = [[], []];
    const child = new Child({
      ...{ command: compiler!, args: ["-p", config, "--pretty", "false"], cwd: folder, env },
      onLine: (line, stream) => (stream === "stdout" ? output! : complaints!).push(line),
    });
    this.running = child;
    child.lowerPriority();
    let isHung = false;
    const forget = after(limitMs, () => {
      isHung = true;
      child.signal("SIGKILL");
    });
    try {
      const { code, signal } = await child.exited;
      if (isHung) throw new NotAnswered(`did not end within ${limitMs / 1000} s`);
      if (signal !== null || (code ?? 3) > 2) throw new NotAnswered(`ended ${endText(code, signal, complaints!)}`);
      return readFindings(output!, { folder, asked: roots });
    } catch (error) {
      throw error instanceof NotAnswered ? error : new NotAnswered(`could not be started (${String(error)})`);
    } finally {
      forget();
      removeFile(config);
    }
  }
}

function endText(code: number | null, signal: NodeJS.Signals | null, complaints: readonly string[]): string {
  const [first] = complaints;
  return `${signal === null ? `with code ${code}` : `by ${signal}`}${first === undefined ? "" : ` (${first})`}`;
}

const diagnostic = /^(.+?)\(\d+,\d+\): error TS(\d+): /;

/**
 * Reads the compiler's output: errors, each with lines that are indented, then the files that it has read. Errors of no
 * file, or of the form of a file that nobody asked for, keep it from looking for others.
 */
export function readFindings(
  lines: readonly string[],
  { folder, asked }: { folder: string; asked: ReadonlySet<string> },
): Findings {
  const errors = new Map<string, string>();
  const files = new Set<string>();
  let last: string | undefined;
  for (const line of lines) {
    const [, named, code] = diagnostic.exec(line) ?? [];
    if (named !== undefined) {
      last = resolve(folder, named);
      if (code!.length === 4 && code!.startsWith("1") && !asked.has(last)) throw new NotAnswered();
      errors.set(last, `${errors.get(last) ?? ""}${line}\n`);
    } else if (/^\s/.test(line) && last !== undefined) errors.set(last, `${errors.get(last)}${line}\n`);
    else if (isAbsolute(line)) {
      files.add(resolve(line));
      last = undefined;
    } else if (line.startsWith("error TS")) throw new NotAnswered();
    else throw new NotAnswered(`printed ${JSON.stringify(line.slice(0, 80))}`);
  }
  if (files.size === 0) throw new NotAnswered("printed nothing");
  return { errors, files };
}
