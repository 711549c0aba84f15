import { type ChildProcess, spawn } from "node:child_process";
import { constants, setPriority } from "node:os";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { outOfFilesMessage } from "../../io/files/disk-error";
import { compiledPrograms, lazySdk } from "./lazy-sdk";

interface ChildOptions {
  /** The command. Default: this process's own Node.js. */
  command?: string | undefined;
  args: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** One call per line of output. */
  onLine: (line: string, stream: "stdout" | "stderr") => void;
  /** One call per request to check types. Without it, a process of Node.js checks them itself. */
  onRequest?: ((line: string) => void) | undefined;
  /** Leaves the input open for `write`. */
  takesInput?: boolean;
}

/** File descriptor of the process's end. */
const fd = 3;

/** Marks that the pipe exists: children of the process may inherit its arguments, but not this. */
const variable = "MODELPLATFORM_LIFELINE";

/** A process that listens for `disconnect` may finish its work first, for a while. */
const watcher = `
  import { Socket } from "node:net";
  import { isMainThread } from "node:worker_threads";
  const end = () => {
    if (!process.emit("disconnect")) process.exit(1);
    setTimeout(() => process.exit(1), 10_000).unref();
  };
  if (isMainThread && process.env.${variable}) {
    delete process.env.${variable};
    new Socket({ fd: ${fd} }).on("error", () => undefined).on("close", end).resume().unref();
  }
`;

/**
 * A pipe from the engine to each of its Node.js processes. Nothing is ever written to it: it closes when the engine
 * ends in any way, and the process ends too. The SDK's own processes would notice by a failing call alone, and one that
 * waits for calls makes none.
 */
const lifeline = {
  args: [`--import=data:text/javascript,${encodeURIComponent(watcher)}`],
  env: { [variable]: "1" },
  stdio: ["ignore", "pipe", "pipe", "pipe"],
} as const;

/** The descriptor after the lifeline, which is the last of every Node.js process. */
const requests = lifeline.stdio.length;

export interface ChildExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

const living = new Set<Child>();

/** Every exit ends the children too; if this process is killed, its Node.js processes end on their own. */
function takeChildrenAlong(): void {
  for (const child of living) child.signal("SIGKILL");
}

function startNode({ args, cwd, env, onRequest, takesInput = false }: ChildOptions): ChildProcess {
  const compiled = compiledPrograms(env);
  const known = compiled && { ...compiled, requests: onRequest && requests };
  const [, ...others] = lifeline.stdio;
  const child = spawn(process.execPath, [...lifeline.args, ...lazySdk(known), ...args], {
    ...{ cwd, env: { ...env, ...lifeline.env }, detached: true },
    stdio: [takesInput ? "pipe" : "ignore", ...others, ...(onRequest ? (["pipe"] as const) : [])],
  });
  // Writes to an ended process are lost; its exit reports that.
  child.stdin?.on("error", () => undefined);
  return child;
}

/**
 * A process in a process group of its own: the terminal's ^C does not reach it, and
 * its own children end with it.
 */
export class Child {
  /** Resolves when the process has ended and its output is read to the end. */
  readonly exited: Promise<ChildExit>;
  private readonly process: ChildProcess;

  constructor(options: ChildOptions) {
    const { command, args, cwd, env, onRequest } = options;
    this.process =
      command === undefined
        ? startNode(options)
        : // Windows runs scripts only through a shell.
          spawn(command, args, {
            ...{ shell: /\.(cmd|bat)$/i.test(command), cwd, env },
            ...{ stdio: ["ignore", "pipe", "pipe"], detached: true },
          });
    for (const stream of ["stdout", "stderr"] as const) {
      const source = this.process[stream];
      if (source)
        createInterface({ input: source, crlfDelay: Infinity }).on("line", (line) => options.onLine(line, stream));
    }
    // A process that cannot be started for lack of files has no streams at all.
    const requestStream = this.process.stdio?.[requests] as Readable | undefined;
    if (requestStream && onRequest)
      createInterface({ input: requestStream, crlfDelay: Infinity }).on("line", onRequest);
    if (living.size === 0) process.on("exit", takeChildrenAlong);
    living.add(this);
    this.exited = new Promise((resolve, reject) => {
      this.process.once("error", (cause) => {
        const message = outOfFilesMessage(cause);
        reject(message === undefined ? cause : new Error(message, { cause }));
      });
      this.process.once("close", (code, signal) => resolve({ code, signal }));
    });
    const forget = () => {
      living.delete(this);
      if (living.size === 0) process.off("exit", takeChildrenAlong);
    };
    this.exited.then(forget, forget);
  }

  lowerPriority(): void {
    try {
      if (this.process.pid !== undefined) setPriority(this.process.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    } catch {
      // It has already ended.
    }
  }

  /** Lost if the process has ended. */
  write(text: string): void {
    this.process.stdin?.write(text);
  }

  /** Signals the whole group. A process that has already exited is not an error. */
  signal(signal: NodeJS.Signals): void {
    const pid = this.process.pid;
    if (pid === undefined || !living.has(this)) return;
    try {
      process.kill(-pid, signal);
    } catch {
      this.process.kill(signal);
    }
  }

  /** Asks the process to end, and kills it after `graceMs`. */
  async end(graceMs: number): Promise<ChildExit> {
    this.signal("SIGTERM");
    const timer = setTimeout(() => this.signal("SIGKILL"), graceMs);
    try {
      return await this.exited;
    } finally {
      clearTimeout(timer);
    }
  }
}
