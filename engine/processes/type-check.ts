import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { Child, type ChildExit } from "./child";
import type { CheckRequest, TypeAnswer } from "./compiler-memory";
import { NativeCheck, nativeCompiler } from "./native-check";

const script = join(__dirname, "type-check-process.js");

interface TypeCheckOptions {
  /** Where the program runs. */
  folder: string;
  env: NodeJS.ProcessEnv;
  /** Called once when an operation has waited for the check for a while. */
  onLongWait?: () => void;
  /** Called once if the native compiler fails and the project's own takes over. */
  onFallback?: (text: string) => void;
  /** The native compiler's file; null: none. Default: that of this platform. */
  native?: string | null | undefined;
  /** Calls back after `ms` unless the returned function is called before. */
  after?: (ms: number, callback: () => void) => () => void;
}

/** Milliseconds after which a wait is reported. */
const reportWaitAfter = 2_000;

const timer = (ms: number, callback: () => void): (() => void) => {
  const started = setTimeout(callback, ms);
  return () => clearTimeout(started);
};

/**
 * Checks a program's types beside it: with the native compiler where it finds the same as the project's own, else with
 * this one, in a process that the first request starts.
 */
export class TypeCheck {
  private child: Child | undefined;
  private open = 0;
  private readonly errors: string[] = [];
  /** Why the remaining requests get no response. */
  private broken: string | undefined;
  private waiting: (() => void)[] = [];
  private hasReportedWait = false;

  private readonly native: NativeCheck;

  constructor(private readonly options: TypeCheckOptions) {
    const { folder, env, after = timer, onFallback, native = nativeCompiler() } = options;
    this.native = new NativeCheck({
      ...{ compiler: native, folder, env, after },
      onAnswer: (errors) => this.onAnswer({ errors }),
      onHandOver: (requests, reason) => {
        if (reason !== undefined) onFallback?.(fallbackText(reason));
        for (const request of requests) this.send(JSON.stringify(request));
      },
    });
  }

  request(line: string): void {
    this.open += 1;
    const request = readRequest(line);
    if (request && this.native.takes(request)) this.native.request(request);
    else this.send(line);
  }

  private send(line: string): void {
    this.child ??= this.start();
    this.child.write(`${line}\n`);
  }

  private start(): Child {
    const { folder, env } = this.options;
    const output: string[] = [];
    const child = new Child({
      args: [script],
      takesInput: true,
      ...{ cwd: folder, env },
      onLine: (line, stream) =>
        stream === "stdout" ? this.onAnswer(JSON.parse(line) as TypeAnswer) : output.push(line),
    });
    child.lowerPriority();
    child.exited.then(
      (exit) => this.onEnd(endOf(exit, output)),
      (error: Error) => this.onEnd(`The check of the program's types could not be started: ${error.message}`),
    );
    return child;
  }

  private onAnswer({ errors }: TypeAnswer): void {
    this.open -= 1;
    if (errors !== "" && !this.errors.includes(errors)) this.errors.push(errors);
    this.wake();
  }

  private onEnd(reason: string): void {
    if (this.open > 0) this.broken = reason;
    this.wake();
  }

  private wake(): void {
    if (this.isBusy) return;
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  /** Whether there is something to wait for. */
  private get isBusy(): boolean {
    return this.open > 0 && this.broken === undefined;
  }

  /**
   * The errors of all requests, as the compiler prints them; undefined if there are none. A check that did not finish
   * is an error.
   */
  async fault(): Promise<string | undefined> {
    // Requests that the program sent before its last call may be in flight.
    await setImmediate();
    if (this.isBusy) await this.whenSettled();
    const errors = [...this.errors.map((each) => each.trimEnd()), ...(this.broken === undefined ? [] : [this.broken])];
    return errors.length === 0 ? undefined : errors.join("\n");
  }

  private async whenSettled(): Promise<void> {
    const { after = timer, onLongWait } = this.options;
    const forget = this.hasReportedWait ? undefined : after(reportWaitAfter, () => onLongWait?.());
    this.hasReportedWait = true;
    await new Promise<void>((resolve) => this.waiting.push(resolve));
    forget?.();
  }

  end(): void {
    this.native.end();
    this.child?.signal("SIGKILL");
  }
}

/** Any program can write to the pipe: text that is not a request is left to the process, whose end then reports it. */
function readRequest(line: string): CheckRequest | undefined {
  try {
    return JSON.parse(line) as CheckRequest;
  } catch {
    return undefined;
  }
}

const fallbackText = (reason: string): string =>
  `The native compiler ${reason}, so the types are checked with the project's own compiler.`;

function endOf({ code, signal }: ChildExit, stderrLines: readonly string[]): string {
  const end = signal === null ? `with code ${code}` : `by ${signal}`;
  const why = stderrLines.find((line) => /^\w*Error\b/.test(line));
  return `The check of the program's types was ended ${end}${why === undefined ? "" : ` (${why})`}, so that it is not known whether they are right.`;
}
