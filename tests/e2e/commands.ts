import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type Engine, repository } from "./engines";

/** How a command of an engine ended. */
export interface Ended {
  /** Null where a signal ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
  /** Both, as a person sees them. */
  output: string;
}

/** A command of an engine that is under way. */
export interface Running {
  ended: Promise<Ended>;
  signal(signal: NodeJS.Signals): void;
  /** What has been printed so far. */
  output(): string;
}

/** Runs `engine` with `args`; its Node.js processes report to `rollCall`, a folder. */
export function start(
  engine: Engine,
  args: readonly string[],
  place: { cwd: string; env: NodeJS.ProcessEnv; rollCall: string; nodeOptions?: string },
): Running {
  const env = {
    ...place.env,
    ROLL_CALL: place.rollCall,
    NODE_OPTIONS: `--require "${join(repository, "tests/e2e/roll-call.cjs")}" ${place.nodeOptions ?? ""}`,
  };
  const child = spawn(engine.command, [...engine.args, ...args], {
    cwd: place.cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let seen = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => void (seen += chunk.toString("utf8")));
  return { ended: endOf(child), signal: (signal) => void child.kill(signal), output: () => seen };
}

async function endOf(child: ChildProcess): Promise<Ended> {
  const code = new Promise<number | null>((done, failed) => child.once("close", done).once("error", failed));
  const [stdout, stderr, ended] = await Promise.all([text(child.stdout!), text(child.stderr!), code]);
  return { code: ended, stdout, stderr, output: stdout + stderr };
}

/** Living Node.js processes that reported to `rollCall`, whose script has `name` in its path. */
export const living = (rollCall: string, name = ""): number[] => reporting(rollCall, (text) => text.includes(name));

/**
 * Living dynamic providers of the SDK that nobody has called, so that they have loaded nothing of this package: they
 * wait for ever where the CLI is killed before it calls them.
 */
export const uncalled = (rollCall: string): number[] =>
  reporting(rollCall, (text) => /dynamic-provider/.test(text) && !text.endsWith("\nserves"));

function reporting(rollCall: string, isMeant: (text: string) => boolean): number[] {
  const all = readdirSync(rollCall).filter((pid) => isMeant(readFileSync(join(rollCall, pid), "utf8")));
  return all.map(Number).filter(isAlive);
}

/** A process that has ended and was not waited for is not alive, nor is one that is ending: its memory is released. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" && process.platform !== "linux";
  }
}
