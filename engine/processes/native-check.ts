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

/** Checks types with the native compiler: a run for each group of requests that no earlier run has covered. */
export class NativeCheck {
  private pending: CheckRequest[] = [];
  private readonly roots = new Map<string, Set<string>>();
  private readonly found = new Map<string, Findings>();
  private running: Child | undefined;
  private isAtWork = false;
  private isOver = false;

  constructor(private readonly options: NativeCheckOptions) {}

  /** Whether it answers as the project's compiler would. */
  takes({ compiler, settings }: CheckRequest): boolean {
    if (this.isOver || !this.options.compiler || !isCompared(compiler)) return false;
    return nativeOptions(settings as CompilerSettings, this.options.folder) !== undefined;
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
    while (this.pending.length > 0 && !this.isOver) {
      const requests = this.pending.splice(0);
      try {
        for (const request of requests) this.rootsOf(request).add(request.file);
        for (const request of requests) this.options.onAnswer(await this.errorsOf(request));
      } catch (error) {
        this.handOver(requests, error);
      }
    }
    this.isAtWork = false;
  }

  private handOver(requests: readonly CheckRequest[], error: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    const reason = error instanceof NotAnswered ? error.reason : String(error);
    this.options.onHandOver([...requests, ...this.pending.splice(0)], reason);
  }

  private rootsOf({ settings, files }: CheckRequest): Set<string> {
    const key = keyOf([settings]);
    const roots = this.roots.get(key) ?? new Set<string>();
    this.roots.set(key, roots);
    for (const file of files) roots.add(file);
    return roots;
  }

  private async errorsOf(request: CheckRequest): Promise<string> {
    const { file, settings, text } = request;
    const key = keyOf([settings]);
    const isSame = (): boolean => fingerprint("text", file) === text;
    let found = this.found.get(key);
    if (!found?.files.has(file)) {
      found = await this.run(request);
      this.found.set(key, found);
    }
    if (!found.files.has(file)) throw new NotAnswered();
    return isSame() ? (found.errors.get(file) ?? "") : changedText(file);
  }

  private async run(request: CheckRequest): Promise<Findings> {
    const { compiler, folder, env, after } = this.options;
    const compilerOptions = nativeOptions(request.settings as CompilerSettings, folder);
    const config = join(request.folder, `check-${randomUUID()}.json`);
    replaceFile(config, JSON.stringify({ compilerOptions, files: [...this.rootsOf(request)] }), { durable: false });
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
      return readFindings(output!, { folder, asked: this.rootsOf(request) });
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
