import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type FileBackend, openBackend } from "../../engine/state/backend";
import { layoutOf } from "../../engine/state/layout";
import type { LockHolder } from "../../engine/state/lock";
import { type LockDeps, StackLock } from "../../engine/state/lock";
import { nodeFiles } from "../../io/files/durable";
import { temporaryFolder } from "./temporary-folder";

interface MachineOptions {
  /** Its kernel's boot with the container's namespace; undefined where the system does not tell. */
  kernel?: string | undefined;
  clock?: string;
}

/** Machines and containers that share the folder of a state. Their time passes while somebody waits. */
export class Neighborhood {
  readonly folder = temporaryFolder();
  readonly layout = layoutOf(this.folder, "demo", "dev");
  /** Seconds that were spent waiting for a lock. */
  waited = 0;
  private passed = 0;
  private heartbeats: { machine: LockingMachine; pid: number; seconds: number; beat: () => Promise<void> }[] = [];
  private readonly plans: { at: number; what: () => unknown }[] = [];

  machine(hostname: string, options: MachineOptions = {}): LockingMachine {
    return new LockingMachine(this, hostname, options);
  }

  locks(): string[] {
    return readdirSync(this.layout.locks).sort();
  }

  holders(): LockHolder[] {
    return this.locks()
      .filter((name) => name.endsWith(".json"))
      .map((name) => JSON.parse(readFileSync(join(this.layout.locks, name), "utf8")));
  }

  /** A lock file of another program, with the note that the CLI's storage library keeps beside it. */
  place(name: string, content: unknown): void {
    mkdirSync(this.layout.locks, { recursive: true });
    const text = typeof content === "string" ? content : JSON.stringify(content);
    writeFileSync(join(this.layout.locks, name), text);
    writeFileSync(join(this.layout.locks, `${name}.attrs`), "{}");
  }

  backendOf(machine: LockingMachine, pid: number): FileBackend {
    const { files: _, clock: __, ...lock } = machine.process(pid).around;
    return openBackend(`file://${this.folder}`, { home: join(this.folder, "home"), env: {}, lock });
  }

  after(seconds: number, what: () => unknown): void {
    this.plans.push({ at: this.passed + seconds, what });
  }

  async pass(seconds: number): Promise<void> {
    for (let end = this.passed + seconds; this.passed < end; ) {
      this.passed += 1;
      for (const { what } of this.plans.filter(({ at }) => at === this.passed)) await what();
      const due = this.heartbeats.filter(({ machine, pid, seconds }) => {
        return machine.runs(pid) && this.passed % seconds === 0;
      });
      for (const { beat } of due) await beat();
    }
  }

  beat(heartbeat: (typeof this.heartbeats)[number]): () => void {
    this.heartbeats.push(heartbeat);
    return () => {
      this.heartbeats = this.heartbeats.filter((other) => other !== heartbeat);
    };
  }
}

/** A machine, or a container with processes of its own. */
export class LockingMachine {
  private readonly kernel: string | undefined;
  private clock: string;
  private readonly started = new Map<number, string>();
  private suspended = false;
  private starts = 0;

  constructor(
    private readonly all: Neighborhood,
    private readonly hostname: string,
    options: MachineOptions,
  ) {
    this.kernel = "kernel" in options ? options.kernel : "boot-1 pid:[1]";
    this.clock = options.clock ?? "2026-01-03T00:00:00Z";
  }

  /** A process that is to hold a lock. */
  process(pid: number): { around: Omit<LockDeps, "isUnfinished"> } {
    if (!this.started.has(pid)) this.started.set(pid, String((this.starts += 1)));
    const { all, kernel, hostname } = this;
    const identity = kernel === undefined ? undefined : { kernel, started: this.started.get(pid)! };
    return {
      around: {
        files: nodeFiles,
        identity,
        clock: () => new Date(this.clock),
        holder: { pid, username: "ada", hostname },
        fateOf: (other, of) => {
          if (of === undefined || kernel === undefined || of.kernel !== kernel) return "unknown";
          return this.started.get(other) === of.started ? "runs" : "ended";
        },
        every: (ms, beat) => all.beat({ machine: this, pid, seconds: ms / 1000, beat }),
        pause: async (ms) => {
          all.waited += ms / 1000;
          await all.pass(ms / 1000);
        },
      },
    };
  }

  start(pid: number): StackLock {
    return new StackLock(this.all.layout, this.process(pid).around);
  }

  kill(pid: number): void {
    this.started.delete(pid);
  }

  suspend(): void {
    this.suspended = true;
  }

  resume(): void {
    this.suspended = false;
  }

  setClock(time: string): void {
    this.clock = time;
  }

  runs(pid: number): boolean {
    return this.started.has(pid) && !this.suspended;
  }
}
