import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { processorOfChildren } from "../machine";
import type { Counts, RequestCounter } from "./requests";

export interface Measured extends Counts {
  seconds: number;
  /** Seconds of the processor, of all processes together. */
  processor: number;
  /** Megabytes of all processes together, at their most. */
  memory: number;
}

export interface PeerCommand {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
}

/** Least milliseconds between two looks at the memory. */
const every = 200;
/** A look at a process of gigabytes takes the system a tenth of a second, which must not become part of the figures. */
const share = 0.02;

/** Runs a command that has to go well, and what it starts. */
export async function measure({ command, args, cwd, env }: PeerCommand, counter: RequestCounter): Promise<Measured> {
  counter.take();
  const began = performance.now();
  const spent = processorOfChildren();
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let memory = 0;
  let timer: NodeJS.Timeout;
  const look = (): void => {
    const start = performance.now();
    memory = Math.max(memory, memoryOf(child.pid!));
    timer = setTimeout(look, Math.max(every, (performance.now() - start) / share));
  };
  timer = setTimeout(look, every);
  const closed = new Promise<number | null>((done, failed) => child.once("close", done).once("error", failed));
  const [out, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  clearTimeout(timer);
  const seconds = (performance.now() - began) / 1000;
  if (code !== 0)
    throw new Error(`${[command, ...args].join(" ")} ended with ${code}:\n${(out + errors).slice(-3000)}`);
  return { seconds, processor: processorOfChildren() - spent, memory, ...counter.take() };
}

/** Megabytes that a process and its descendants hold, pages that they share counted once: Linux alone tells. */
function memoryOf(root: number): number {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    const parent = / [A-Z] (\d+) /.exec(contentOf(`/proc/${name}/stat`).replace(/\(.*\)/s, ""))?.[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const belongs = (pid: number | undefined): boolean =>
    pid === root || (pid !== undefined && belongs(parents.get(pid)));
  const kilobytes = [...parents.keys()]
    .filter(belongs)
    .map((pid) => Number(/^Pss:\s+(\d+)/m.exec(contentOf(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0));
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1024;
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
