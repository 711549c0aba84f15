import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { compiledPrograms } from "./compiled";
import { lazySdk } from "./lazy-sdk";
import { lifeline } from "./lifeline";

interface ChildOptions {
  /** The command. Default: this process's own Node.js. */
  command?: string | undefined;
  args: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** One call per line of output. */
  onLine: (line: string, stream: "stdout" | "stderr") => void;
}

export interface ChildExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

const living = new Set<Child>();

/** Every exit ends the children too; if this process is killed, its Node.js processes end on their own. */
function takeChildrenAlong(): void {
  for (const child of living) child.signal("SIGKILL");
}

/**
 * A process in a process group of its own: the terminal's ^C does not reach it, and
 * its own children end with it.
 */
export class Child {
  /** Resolves when the process is gone and its output is read to the end. */
  readonly exited: Promise<ChildExit>;
  private readonly process: ChildProcess;

  constructor(options: ChildOptions) {
    const { command, args, cwd, env } = options;
    this.process =
      command === undefined
        ? spawn(process.execPath, [...lifeline.args, ...lazySdk(compiledPrograms(env)), ...args], {
            ...{ cwd, env: { ...env, ...lifeline.env } },
            ...{ stdio: [...lifeline.stdio], detached: true },
          })
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
    if (living.size === 0) process.on("exit", takeChildrenAlong);
    living.add(this);
    this.exited = new Promise((resolve, reject) => {
      this.process.once("error", reject);
      this.process.once("close", (code, signal) => resolve({ code, signal }));
    });
    const forget = () => {
      living.delete(this);
      if (living.size === 0) process.off("exit", takeChildrenAlong);
    };
    this.exited.then(forget, forget);
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
