import { Writable } from "node:stream";
import { isatty } from "node:tty";
import { setFlagsFromString } from "node:v8";
import { describeSystemError } from "../io/files/disk-error";
import { manifest } from "../io/files/package";
import { systemTime } from "../provider/api/time";
import { untrustedCheckout } from "./checkout/checkout";
import { type CliContext, exitCodes, type Output } from "./command/context";
import { interruptedError } from "./command/failure";
import { run } from "./program";

function processContext(lost: (error: Error) => void): CliContext {
  return {
    stdout: outputOf(process.stdout, lost),
    stderr: outputOf(process.stderr, lost),
    env: process.env,
    cwd: process.cwd(),
    checkout: untrustedCheckout,
    isTTY: isatty(0) && isatty(1),
    clock: { now: Date.now, every },
    time: systemTime,
    signals: signalsOf(process, endInterrupted),
    // Opened by its first reader: most commands have none.
    stdin: { [Symbol.asyncIterator]: () => process.stdin[Symbol.asyncIterator]() },
    prompt: ask,
    openCanvas,
    loadEngine: async () =>
      (require("./operation/embedded-engine") as typeof import("./operation/embedded-engine")).embeddedEngine(),
    exitCode: 0,
    exit,
  };
}

function outputOf(stream: NodeJS.WriteStream, lost: (error: Error) => void): Output {
  // Neither a reader that went away (`| head`, a closed terminal) nor a full disk may end an operation half-way.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE" && error.code !== "EIO") lost(error);
  });
  return {
    write: (text) => void stream.write(text),
    get isTTY() {
      return Boolean(stream.isTTY);
    },
    get columns() {
      return stream.isTTY ? stream.columns || 80 : Number.POSITIVE_INFINITY;
    },
    get rows() {
      return stream.rows || 24;
    },
  };
}

function every(ms: number, callback: () => void): () => void {
  const timer = setInterval(callback, ms).unref();
  return () => clearInterval(timer);
}

/** What has nothing to say about what it leaves ends here, wherever it is. */
function endInterrupted(): never {
  process.stderr.write(`error: ${interruptedError().message}\n`);
  return exit(exitCodes.interrupted);
}

function exit(code: number): never {
  // An exit waits for every thread, and one may be reading a pipe that nobody writes into; a signal waits for none.
  if (code === exitCodes.interrupted && process.getActiveResourcesInfo().some((name) => name.startsWith("FSReq")))
    process.removeAllListeners("SIGINT").kill(process.pid, "SIGINT");
  return process.exit(code);
}

/** The source of signals, and of the end of the parent. */
interface SignalSource {
  on(signal: NodeJS.Signals, hear: () => void): unknown;
  off(signal: NodeJS.Signals, hear: () => void): unknown;
  readonly pid: number;
  readonly ppid: number;
  readonly env: { readonly [name: string]: string | undefined };
}

/** Signals go to those who listen. Where nobody does, `end` is called: no signal is left to the system. */
export function signalsOf(source: SignalSource, end: () => void, repeat = every): CliContext["signals"] {
  const listeners = new Set<() => void>();
  const heed = interruptions(() => (listeners.size === 0 ? end() : listeners.forEach((each) => each())), {
    parent: () => source.ppid,
    env: source.env,
    every: repeat,
  });
  const toggle = (how: "on" | "off"): void => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) source[how](signal, heed);
  };
  toggle("on");
  let works = 0;
  return {
    leave: async (work) => {
      // The system ends no first process of a container.
      const isLeft = source.pid !== 1 && listeners.size === 0;
      if (isLeft && works++ === 0) toggle("off");
      return work().finally(() => {
        if (isLeft && --works === 0) toggle("on");
      });
    },
    listen: (callback) => {
      // `nohup` has the system ignore it, which a listener would undo: only what has something to end listens.
      if (listeners.size === 0) source.on("SIGHUP", heed);
      listeners.add(callback);
      return () => {
        listeners.delete(callback);
        if (listeners.size === 0) source.off("SIGHUP", heed);
      };
    },
  };
}

/**
 * What a signal and the end of the parent come to. npx passes a SIGTERM on to the shell between it and this process,
 * and the shell to nobody: then the end of the shell is the signal. Where there was one before, it ends by that, too.
 */
export function interruptions(callback: () => void, { parent, env, every: repeat }: ParentWatch): () => void {
  let isOver = env["npm_command"] === undefined;
  const started = parent();
  const end = repeat(1000, () => {
    if (isOver || parent() === started) return;
    isOver = true;
    end();
    callback();
  });
  return () => {
    isOver = true;
    callback();
  };
}

interface ParentWatch {
  /** Process id of the parent. */
  parent(): number;
  env: { readonly [name: string]: string | undefined };
  every(ms: number, callback: () => void): () => void;
}

function ask(question: string, { hidden = false } = {}): Promise<string | undefined> {
  const { createInterface } = require("node:readline") as typeof import("node:readline");
  process.stdout.write(question);
  // Readline echoes what is typed: to nowhere, if nobody may see it.
  const output = hidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : process.stdout;
  const reader = createInterface({ input: process.stdin, output, terminal: true, prompt: "" });
  return new Promise<string | undefined>((answer, refuse) => {
    reader.on("SIGINT", () => refuse(interruptedError()));
    reader.on("close", () => answer(undefined));
    reader.on("line", answer);
  }).finally(() => {
    reader.close();
    if (hidden) process.stdout.write("\n");
  });
}

async function openCanvas(on: "stdout" | "stderr" = "stdout"): ReturnType<CliContext["openCanvas"]> {
  const { createLogUpdate } = await import("log-update");
  const update = createLogUpdate(process[on]);
  return {
    draw: (text) => update(text),
    erase: () => {
      update.clear();
      update.done();
    },
  };
}

const { version } = manifest();

/** Runs this process's command line, and ends the process with its exit code. */
export function start(): void {
  deferOptimization();
  keepMemoryPrivate();
  const losses: Error[] = [];
  const context = processContext((error) => losses.push(error));
  void run(process.argv.slice(2), context, version).then(async (code) => {
    process.exitCode = code;
    await hearSignals();
    if (losses.length > 0) reportLoss(losses[0]);
    // Pipes may still be taking what was written.
    process.stdout.write("", () => process.stderr.write("", () => process.exit()));
  });
}

/** A redirected output that lacks its end is not a result. */
function reportLoss(cause: unknown): void {
  const { reason } = describeSystemError(cause);
  process.stderr.write(`error: the output cannot be written to its end: ${reason}. The command itself has ended.\n`);
  process.exitCode ||= exitCodes.error;
}

/**
 * Keys are in the environment and in memory: a diagnostic report leaves the environment out, where Node.js can, and a
 * stray SIGUSR1 opens no inspector, which everybody on the machine could connect to.
 */
function keepMemoryPrivate(): void {
  Object.assign(process.report ?? {}, { excludeEnv: true });
  process.on("SIGUSR1", () => undefined);
}

/** A signal that has come while a command worked without a pause is heard between two turns of the event loop. */
async function hearSignals(): Promise<void> {
  for (let turns = 0; turns < 2; turns += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** The newest major version of Node.js whose engine is known to have the flag: it complains of one it lacks. */
const newestKnown = 25;

/**
 * Puts off that the engine optimizes WebAssembly, which is the parser of HTTP answers: it would do so after a dozen
 * of them, in twice the time that a short command takes for everything else. A long one still gets there.
 */
export function deferOptimization(
  version: string = process.versions.node,
  set: (flag: string) => void = setFlagsFromString,
): void {
  if (Number.parseInt(version, 10) <= newestKnown) set("--wasm-tiering-budget=100000000");
}
