import type { Project, ResolvedConfig } from "../state/project";
import type { PropertyMap, Snapshot } from "../state/types";
import { builtinFunctions, builtinProvider, type StackOutputs } from "./builtins";
import { Decisions } from "./decisions";
import { deleteRest } from "./deletions";
import { engineService } from "./engine-service";
import { messageOf, Reported, Stopped } from "./errors";
import type { ChangeSummary, EngineEvent, OperationKind } from "./events";
import { Executor } from "./executor";
import { Ledger } from "./ledger";
import { Monitor } from "./monitor";
import { Planner } from "./planner";
import { PluginHost, type Plugin } from "./plugins";
import { entryOf } from "./program";
import { runProgram, type Interruption } from "./program-run";
import { Providers } from "./providers";
import { refreshState } from "./refresh";
import { Registrar } from "./registrar";
import { serve } from "./server";
import { targets } from "./targets";
import { dynamicPackage, stackType } from "./urns";
import { makeSecret } from "./values";
import { complain, tell, type World } from "./world";

export interface OperationOptions {
  operation: OperationKind;
  /** Nothing is touched and nothing is recorded. */
  preview: boolean;
  project: Project;
  stack: string;
  organization: string;
  config: ResolvedConfig;
  /** Secrets in memory form. */
  snapshot: Snapshot;
  /** Makes the state durable; `snapshot` says what it is at the time of writing. Not called in a preview. */
  commit: (snapshot: () => Snapshot) => Promise<void>;
  targets: readonly string[];
  replacements: readonly string[];
  /** Read the live objects before anything else. */
  refresh: boolean;
  parallel: number;
  env: NodeJS.ProcessEnv;
  emit: (event: EngineEvent) => void;
  readStack: StackOutputs;
  /** The first interrupt: nothing new begins, providers are told, what runs is waited for and recorded. */
  signal?: AbortSignal | undefined;
  /** The second one: everything ends at once. */
  killSignal?: AbortSignal | undefined;
  clock: () => Date;
}

export interface OperationResult {
  result: "succeeded" | "failed" | "interrupted";
  changes: ChangeSummary;
  /** The stack's; secrets as signature objects. */
  outputs: PropertyMap;
  durationMs: number;
}

/** Runs one operation from the state as it is to its summary. It rejects only when it was killed, or could not tell what went wrong. */
export async function runOperation(options: OperationOptions): Promise<OperationResult> {
  const deployment = new Deployment(options);
  const started = options.clock().getTime();
  options.emit({ kind: "prelude", operation: options.operation, stack: options.stack, preview: options.preview, time: started });
  await deployment.run();
  const finished = options.clock().getTime();
  const { result, changes, outputs } = deployment.outcome();
  const durationMs = finished - started;
  options.emit({ kind: "summary", operation: options.operation, preview: options.preview, changes, outputs, result, durationMs, time: finished });
  return { result, changes, outputs, durationMs };
}

class Deployment {
  private readonly world: World;
  private readonly ledger: Ledger;
  private readonly executor: Executor;
  private readonly registrar: Registrar;
  private readonly monitor: Monitor;
  private plugins: PluginHost | undefined;
  private failed = false;
  private interrupted = false;
  /** Resolves when the operation must end early. */
  private readonly halted: Promise<void>;
  private halt!: () => void;

  constructor(private readonly options: OperationOptions) {
    const { operation, preview, project, stack, parallel, clock, emit } = options;
    const decisions = new Decisions();
    const formerUrn = (urn: string) => decisions.formerUrn(urn);
    this.ledger = new Ledger(options.snapshot, () => (preview ? Promise.resolve() : options.commit(() => this.ledger.snapshot())), clock);
    const recorded = (urn: string, id: string) => this.ledger.base.find(({ state }) => state.urn === urn && state.id === id)?.state;
    this.world = {
      ...{ project: project.name, stack, preview, decisions, clock, emit, ledger: this.ledger },
      targets: targets(options.targets),
      replacements: targets(options.replacements),
      providers: new Providers(() => this.plugin(), builtinProvider(options.readStack), recorded, formerUrn),
      fail: () => (this.failed = true),
      isEnding: () => this.executor.isStopped,
    };
    this.executor = new Executor(this.world, operation, parallel);
    this.registrar = new Registrar(this.world, new Planner(this.world), this.executor, { parallel, configOf: (pkg) => configOf(pkg, options.config) });
    this.monitor = new Monitor({
      registrar: this.registrar,
      invoke: builtinFunctions(this.executor),
      folders: { project: project.folder, program: entryOf(project).folder },
      onError: (error) => this.giveUp(error),
    });
    this.halted = new Promise((resolve) => (this.halt = resolve));
  }

  private plugin(): Plugin {
    if (this.plugins === undefined) throw new Error("no provider can run before the operation does");
    return this.plugins.start();
  }

  outcome(): Pick<OperationResult, "result" | "changes" | "outputs"> {
    const root = this.ledger.current().find(({ state }) => state.type === stackType);
    const result = this.interrupted ? "interrupted" : this.failed ? "failed" : "succeeded";
    return { result, changes: this.executor.changes, outputs: root?.state.outputs ?? {} };
  }

  /** Tells what went wrong, unless it is told already, and lets nothing new begin. */
  private giveUp(error: unknown): void {
    if (!(error instanceof Reported) && !(error instanceof Stopped)) complain(this.world, messageOf(error));
    this.failed = true;
    this.executor.stop();
    this.halt();
  }

  async run(): Promise<void> {
    const { project, env, emit, clock, killSignal, signal } = this.options;
    const onLog = (log: { severity: "debug" | "info" | "warning" | "error"; message: string; urn?: string; ephemeral: boolean }) => {
      emit({ kind: "diagnostic", ...log, time: clock().getTime() });
    };
    const server = await serve([this.monitor.service, engineService(onLog)]);
    const plugins = new PluginHost({
      ...{ folder: entryOf(project).folder, engineAddress: server.address, env, project: project.name },
      onLine: (line) => tell(this.world, "info", line),
    });
    this.plugins = plugins;
    const interrupt = () => this.interrupt();
    signal?.addEventListener("abort", interrupt, { once: true });
    if (signal?.aborted === true) interrupt();
    try {
      await unlessKilled(killSignal, () => plugins.kill(), this.work(server.address));
      await plugins.close();
    } finally {
      signal?.removeEventListener("abort", interrupt);
      this.monitor.shutdown();
      server.close();
    }
  }

  private interrupt(): void {
    this.interrupted = true;
    this.executor.stop();
    this.plugins?.interrupt();
    this.halt();
  }

  /** Every step of the operation in turn; what fails is told, and what is known is recorded all the same. */
  private async work(address: string): Promise<void> {
    try {
      await this.proceed(address);
    } catch (error) {
      this.giveUp(error);
    }
    await this.registrar.settled();
    await this.registrar.finishOutputs(this.failed || this.interrupted);
    if (!this.options.preview) await this.ledger.flush();
  }

  private async proceed(address: string): Promise<void> {
    const { operation, refresh, preview } = this.options;
    const runsProgram = operation === "up" || operation === "preview";
    this.warnOfPending();
    if (!runsProgram) this.requireTargets([]);
    if (runsProgram) this.plugins?.warm();
    if (operation === "refresh" || refresh) await refreshState(this.world, this.executor);
    if (operation === "refresh" && !preview) this.ledger.forgetPendingCreates();
    if (operation === "refresh" || this.ended) return;
    if (runsProgram) await this.runProgram(address);
    if (!this.ended) await deleteRest(this.world, this.executor);
  }

  private get ended(): boolean {
    return (this.failed && !this.options.preview) || this.interrupted || this.executor.isStopped;
  }

  private async runProgram(address: string): Promise<void> {
    const { project, stack, organization, config, preview, parallel, env } = this.options;
    const interruption: Interruption = { halted: this.halted, settled: () => this.registrar.settled(), killSignal: this.options.killSignal };
    const failure = await runProgram(
      {
        ...{ project, stack, organization, config, preview, parallel, env, monitorAddress: address, engineAddress: address },
        onLine: (line) => tell(this.world, "info", line),
      },
      this.monitor,
      interruption,
    );
    if (this.executor.isStopped) return;
    if (failure) {
      this.executor.stop();
      if (failure.message === undefined) this.failed = true;
      else complain(this.world, failure.message);
    } else this.requireTargets([...this.world.decisions.declared]);
  }

  private requireTargets(declared: readonly string[]): void {
    const known = new Set([...this.ledger.base.map(({ state }) => state.urn), ...declared]);
    const missing = [...this.world.targets.literals, ...this.world.replacements.literals].filter((urn) => !known.has(urn));
    for (const urn of missing) complain(this.world, `The target ${urn} is neither in the state nor in the program.`);
    if (missing.length > 0) throw new Reported("a target does not exist");
  }

  /** Operations that an earlier run began and whose end nobody has seen. */
  private warnOfPending(): void {
    const { pending } = this.ledger;
    if (pending.length === 0 || this.options.preview) return;
    const list = pending.map(({ resource, type }) => `  * ${resource.urn}, interrupted while ${type}`).join("\n");
    const advice = this.options.operation === "refresh" ? "This refresh clears them." : "Check what became of them; a refresh clears them from the state.";
    tell(this.world, "warning", `${pending.length === 1 ? "An operation of an earlier run has" : `${pending.length} operations of earlier runs have`} an unknown end:\n${list}\n${advice}`);
  }
}

/** A default provider's configuration: the dynamic one gets the whole stack's, with namespaced keys; others their own, without. */
function configOf(pkg: string, { values, secretKeys }: ResolvedConfig): PropertyMap {
  const all = Object.entries(values).map(([key, value]): [string, PropertyMap[string]] => [key, secretKeys.includes(key) ? makeSecret(value) : value]);
  if (pkg === dynamicPackage) return Object.fromEntries(all);
  return Object.fromEntries(all.filter(([key]) => key.startsWith(`${pkg}:`)).map(([key, value]) => [key.slice(pkg.length + 1), value]));
}

/** Waits for the work, or for the signal that ends everything at once. */
async function unlessKilled(signal: AbortSignal | undefined, kill: () => void, work: Promise<void>): Promise<void> {
  if (signal === undefined) return work;
  let onAbort: (() => void) | undefined;
  const killed = new Promise<never>((_, reject) => {
    onAbort = () => reject(new Stopped());
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    await Promise.race([work, killed]);
  } catch (error) {
    kill();
    throw error;
  } finally {
    if (onAbort) signal.removeEventListener("abort", onAbort);
  }
}
