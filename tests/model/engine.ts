import type { EngineState } from "../../protocol/engine-state";
import type { Values } from "../values";
import { EngineRun } from "./engine-run";
import type { HeldResource } from "./invariants";
import { PendingOperations } from "./pending";
import type { ServedProcess } from "./process";
import { inStack, type Program, type StackName } from "./program";
import type { Refusal } from "./refusals";

/** What the engine records of a resource. */
export interface RecordedEntry extends HeldResource {
  inputs: Values;
  initErrors: readonly string[];
}

export interface ModelFlags {
  refresh?: boolean;
  runProgram?: boolean;
  continueOnError?: boolean;
  /** One step at a time, as with `--parallel 1`. */
  serial?: boolean;
  /** URNs; without them, everything. */
  targets?: readonly string[];
  replace?: readonly string[];
}

/** What a command reports while it runs, so that a test can look on and step in. */
export interface Watcher {
  /** Before a call of a provider. */
  calling(call: string, entry: RecordedEntry | undefined): void;
  /** A call came back; false: the engine is gone before it can record that. */
  returned(call: string, entry: RecordedEntry | undefined): boolean;
  /** A registration comes back to the program: the state holds the object. */
  registered(entry: RecordedEntry): Promise<void>;
  /** A delete was obeyed, or left out because the program retains the object. */
  forgotten(entry: RecordedEntry): void;
}

/** What has gone wrong in a command; empty where nothing has. */
export interface CommandOutcome {
  errors: readonly Refusal[];
  /** Steps other than `same`, as `create urn`. */
  steps: readonly string[];
}

const copied = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/**
 * Pulumi's engine, as far as providers see it: the calls of each command, in its order, and what it keeps of their
 * answers. Read from the engine's step generator, deployment executor and steps; resources do not depend on each other.
 * Only providers see how the stack is called by now: the URNs of its own entries keep one name.
 */
export class ModelEngine {
  state: RecordedEntry[] = [];
  readonly pending = new PendingOperations();

  constructor(
    public stack: StackName,
    readonly now: () => number,
    /** The Pulumi CLI does not answer questions about its state. */
    private readonly isAsked: boolean,
  ) {}

  /** Whether a run may have changed or deleted the object, and none has looked since. */
  isUncertain = (urn: string): boolean => this.isAsked && this.pending.isUncertain(urn);

  /** Whether the state says that a create under one of the URNs began, and not what it came to. */
  isCreating = (urns: readonly string[]): boolean => this.isAsked && this.pending.isCreating(urns);

  /** What providers of a run that begins now can ask about the state. */
  view(): EngineState | undefined {
    if (!this.isAsked) return undefined;
    return this.pending.view(
      () => this.state,
      (urn) => inStack(urn, this.stack),
    );
  }

  /** What `up` would do, without doing it; the state stays as it is. */
  async preview(program: Program, process: ServedProcess, watcher: Watcher): Promise<CommandOutcome> {
    const { state } = this;
    const operations = this.pending.list();
    this.state = copied(state);
    const outcome = await this.command(program, process, watcher, {}, async (run) => run.up(true));
    this.state = state;
    this.pending.reset(operations);
    return outcome;
  }

  up(program: Program, process: ServedProcess, watcher: Watcher, flags: ModelFlags = {}): Promise<CommandOutcome> {
    return this.command(program, process, watcher, flags, async (run) => {
      if (flags.refresh && !flags.runProgram) await run.refresh();
      await run.up(false);
    });
  }

  refresh(process: ServedProcess, watcher: Watcher, flags: ModelFlags = {}): Promise<CommandOutcome> {
    return this.command([], process, watcher, flags, (run) => run.refresh());
  }

  destroy(process: ServedProcess, watcher: Watcher, flags: ModelFlags = {}): Promise<CommandOutcome> {
    return this.command([], process, watcher, flags, async (run) => {
      if (flags.refresh) await run.refresh();
      await run.deleteRest(() => false);
    });
  }

  private async command(
    program: Program,
    process: ServedProcess,
    watcher: Watcher,
    flags: ModelFlags,
    work: (run: EngineRun) => Promise<void>,
  ): Promise<CommandOutcome> {
    const run = new EngineRun(this, program, process, watcher, flags);
    this.pending.startRun();
    try {
      await work(run);
    } catch (error) {
      run.failed(error);
    }
    await Promise.allSettled(run.chains);
    this.pending.prune(this.state);
    return { errors: run.errors, steps: run.steps };
  }
}
