import { once } from "node:events";
import type { InProcessHost } from "../protocol/provider-calls";
import { AlreadyReportedError, messageOf, StoppedError } from "./errors";
import { type EngineEvent, type OperationKind, withSourceLine } from "./events";
import { type Context, Decisions, report, reportError } from "./plan/context";
import { StateLedger } from "./plan/ledger";
import { namingBy } from "./plan/naming";
import { Planner } from "./plan/planner";
import { Scope, targets } from "./plan/scope";
import { PlanEnforcer } from "./plan/update-plan";
import { entryOf, requireNodeRuntime, withLoaderAdvice } from "./processes/program";
import { type ProgramInterruption, runProgram } from "./processes/program-run";
import { TypeCheck } from "./processes/type-check";
import { type ImportRequest, importResources } from "./program/import-resources";
import { Registrar } from "./program/registrar";
import type { EngineServer } from "./program/serving";
import { configOf } from "./providers/executables";
import { ProviderHosts } from "./providers/provider-hosts";
import { Providers, type ResourceProvider } from "./providers/providers";
import { reportMissed, requirePresent, warnOfPending, warnOfUnreadKeys } from "./run/admission";
import { builtinProvider, functionsOf, type StackOutputs } from "./run/builtins";
import { deleteRest } from "./run/deletions";
import { Executor } from "./run/executor";
import { refreshOne, refreshResources, undeclaredRefs } from "./run/refresh";
import type { Choices, OperationResult } from "./settings";
import type { Project } from "./state/project";
import {
  dynamicPackage,
  isProviderType,
  type PropertyMap,
  packageOf,
  type Snapshot,
  stackType,
} from "./state/resource-state";
import type { ResolvedConfig } from "./state/stack-config";
import { KnownSecrets } from "./values/known-secrets";
import { makeSecret } from "./values/values";

type AssembledOption =
  | "project"
  | "makeProvider"
  | "configOf"
  | "configSecrets"
  | "namingOf"
  | "permitted"
  | "asksAhead"
  | "declaring";

interface OperationOptions extends Omit<AssemblyOptions, AssembledOption> {
  project: Project;
  organization: string;
  config: ResolvedConfig;
  /** For an import: the objects to add to the state. */
  imports?: ImportRequest | undefined;
  env: NodeJS.ProcessEnv;
  readStack: StackOutputs;
  /** Serves some types of resources in this process. */
  host?: InProcessHost | undefined;
  /** Called with what the operation has waited for, after some seconds. */
  onWaiting?: ((what: string) => void) | undefined;
  /** The first interrupt: nothing new starts, providers are notified, running steps are awaited and recorded. */
  signal?: AbortSignal | undefined;
  /** The second one: everything ends at once. */
  killSignal?: AbortSignal | undefined;
}

/**
 * Runs one operation, from the current state to its summary. Rejects only if it was killed or could not report an
 * error.
 */
export async function runOperation(options: OperationOptions): Promise<OperationResult> {
  // Nothing that happens after the second interrupt is reported.
  const emit: OperationOptions["emit"] = (event) =>
    options.killSignal?.aborted === true ? undefined : options.emit(event);
  const { operation, preview, stack, clock } = options;
  const deployment = new Deployment({ ...options, emit });
  const started = clock().getTime();
  options.emit({ kind: "prelude", operation, stack, preview, time: started });
  await deployment.run();
  const finished = clock().getTime();
  const { plan, ...outcome } = deployment.outcome();
  const durationMs = finished - started;
  options.emit({ kind: "summary", operation, preview, ...outcome, durationMs, time: finished });
  return { ...outcome, plan, durationMs };
}

class Deployment {
  private readonly parts: Assembly;
  private readonly providers: ProviderHosts;
  private served: Promise<EngineServer> | undefined;
  private readonly types: TypeCheck;
  /** Whether the errors of the program's types have been reported. */
  private typesAreWrong = false;
  private interrupted = false;
  /** Whether the program has reported an error itself. */
  private loggedError = false;
  /** Resolves when the operation must end early. */
  private readonly halted: Promise<void>;
  private halt!: () => void;

  constructor(private readonly options: OperationOptions) {
    const { project, config, env, host, clock } = options;
    const builtin = builtinProvider(options.readStack);
    this.providers = new ProviderHosts({
      ...{ project, env, config, host, folder: entryOf(project).folder },
      state: () => this.parts.context.ledger,
      address: async () => (await this.serve()).address,
      log: ({ urn, ...message }) =>
        this.parts.context.emit({
          ...{ kind: "diagnostic", ...message, time: clock().getTime() },
          urn: urn || undefined,
        }),
      onLine: (line) => report(this.parts.context, "info", line),
    });
    this.types = new TypeCheck({
      ...{ folder: entryOf(project).folder, env },
      onLongWait: () => options.onWaiting?.("checking the types of the program"),
      onFallback: (text) => report(this.parts.context, "info", text),
    });
    this.parts = assemble({
      ...options,
      permitted: () => this.requireTypes(),
      ...{ project: project.name, configSecrets: config.secrets },
      makeProvider: (pkg, configured) => (pkg === "pulumi" ? builtin : this.providers.make(pkg, configured)),
      configOf: (pkg) => configOf(pkg, config),
      namingOf: namingBy({ ...options, project: project.name }),
      asksAhead: (type) => host?.serves(type) === true,
      declaring: (type, id) => (host?.serves(type) === true ? host.declaring?.(id) : undefined),
    });
    this.halted = new Promise((resolve) => (this.halt = resolve));
  }

  /** Started once a program or a provider's process needs it. */
  private serve(): Promise<EngineServer> {
    const { project, clock } = this.options;
    const { serveEngine } = require("./program/serving") as typeof import("./program/serving");
    this.served ??= serveEngine({
      registrar: this.parts.registrar,
      invoke: functionsOf(this.parts),
      folders: { project: project.folder, program: entryOf(project).folder },
      onError: (error) => this.abort(error),
      onLog: (log) => {
        this.loggedError ||= log.severity === "error";
        const message = withLoaderAdvice(log.message);
        this.parts.context.emit({ kind: "diagnostic", ...log, message, time: clock().getTime() });
      },
    });
    return this.served;
  }

  outcome(): Omit<OperationResult, "durationMs"> {
    const root = this.parts.ledger.current().find(({ state }) => state.type === stackType);
    const ended = this.parts.hasFailed() ? "failed" : "succeeded";
    const result = this.interrupted ? "interrupted" : ended;
    return {
      changes: this.parts.executor.changes,
      left: this.parts.executor.left,
      outputs: root?.state.outputs ?? {},
      result,
      outcomes: result === "succeeded" || this.options.preview ? undefined : this.parts.executor.outcomes.outcomes(),
      plan: this.parts.context.planEnforcer.plan,
    };
  }

  /** Reports an error unless it is already reported, and lets nothing new start. */
  private abort(error: unknown): void {
    if (!(error instanceof AlreadyReportedError) && !(error instanceof StoppedError))
      reportError(this.parts.context, messageOf(error));
    this.parts.context.fail();
    this.parts.executor.stop();
    this.halt();
  }

  /** Rejects if types of the loaded program are wrong: nothing may then be changed or written. */
  private async requireTypes(): Promise<void> {
    const fault = await this.types.fault();
    if (fault === undefined) return;
    if (!this.typesAreWrong && !this.interrupted) reportError(this.parts.context, fault);
    this.typesAreWrong = true;
    throw new AlreadyReportedError(fault);
  }

  async run(): Promise<void> {
    const { signal } = this.options;
    const interrupt = () => this.interrupt();
    signal?.addEventListener("abort", interrupt, { once: true });
    if (signal?.aborted === true) interrupt();
    try {
      await this.unlessKilled(this.work());
      await this.providers.close();
    } finally {
      signal?.removeEventListener("abort", interrupt);
      this.types.end();
      await (await this.served)?.close();
    }
  }

  /** Waits for the work, or for the signal that ends everything at once. */
  private async unlessKilled(work: Promise<void>): Promise<void> {
    const { killSignal } = this.options;
    if (killSignal === undefined) return work;
    const over = new AbortController();
    const killed = killSignal.aborted ? Promise.resolve() : once(killSignal, "abort", { signal: over.signal });
    try {
      await Promise.race([work, killed.then(() => Promise.reject(new StoppedError()))]);
    } catch (error) {
      this.providers.kill();
      throw error;
    } finally {
      over.abort();
    }
  }

  private interrupt(): void {
    this.interrupted = true;
    this.types.end();
    this.parts.executor.interrupt();
    this.providers.interrupt();
    this.halt();
  }

  /** Every step of the operation in turn; failures are reported, and what is known is recorded regardless. */
  private async work(): Promise<void> {
    try {
      await this.operate();
    } catch (error) {
      this.abort(error);
    }
    await this.requireTypes().catch((error) => this.abort(error));
    await this.parts.registrar.whenSettled();
    // Each step records its own result.
    if (this.options.preview || !this.typesAreWrong) await this.record();
  }

  private async record(): Promise<void> {
    const { registrar, ledger, context, hasFailed } = this.parts;
    await registrar.finishOutputs(hasFailed() || this.interrupted);
    // Most of them are taken over or resolved at this point.
    if (!this.endsNothing) warnOfPending(context, this.options.operation);
    if (!this.options.preview) await ledger.flush();
  }

  private async operate(): Promise<void> {
    const { operation, choices } = this.options;
    const { context, ledger, executor } = this.parts;
    const runsProgram = operation === "up" || operation === "preview" || choices.runProgram === true;
    if (operation === "refresh" && choices.clearPendingCreates === true) ledger.forgetPendingCreates();
    if (this.endsNothing) warnOfPending(context, operation);
    if (operation === "import")
      return importResources(context, executor, this.parts.registrar, this.options.imports ?? { resources: [] });
    requirePresent(context, context.replacements);
    if (!runsProgram) requirePresent(context, context.scope.targets);
    if (runsProgram) requireNodeRuntime(this.options.project);
    if (runsProgram) warnOfUnreadKeys(context, this.options.config);
    if (runsProgram) await this.prepare();
    const readsAhead = (operation === "refresh" || choices.refresh === true) && !context.refreshesDeclared;
    if (readsAhead) requirePresent(context, context.scope.excludes);
    if (readsAhead) await refreshResources(context, executor, ledger.base);
    if (this.whenEnded || (readsAhead && (operation === "refresh" || this.hasFailed))) return;
    if (runsProgram) await this.runProgram();
    if (this.whenEnded) return;
    if (operation === "refresh") await refreshResources(context, executor, undeclaredRefs(context));
    else await deleteRest(context, executor);
    if (!this.whenEnded) reportMissed(context);
  }

  /** What earlier runs left pending is so afterwards, too. */
  private get endsNothing(): boolean {
    return this.options.operation === "refresh" || this.options.operation === "preview";
  }

  private get whenEnded(): boolean {
    const { context, executor } = this.parts;
    return this.interrupted || executor.isStopped || (!context.continueOnError && this.hasFailed);
  }

  /** A preview continues, to show everything that is wrong. */
  private get hasFailed(): boolean {
    return this.parts.hasFailed() && !this.options.preview;
  }

  /** Serves the program, and starts the process of dynamic resources that this process does not serve. */
  private async prepare(): Promise<void> {
    const { snapshot, host } = this.options;
    await this.providers.attach();
    // No process serves the state's entry of the provider itself.
    const isForeign = (type: string): boolean =>
      !isProviderType(type) && packageOf(type) === dynamicPackage && !host?.serves(type);
    if (!host || snapshot.resources.some(({ custom, type }) => custom && isForeign(type))) await this.providers.warm();
  }

  private async runProgram(): Promise<void> {
    const { monitor, address } = await this.serve();
    const { project, stack, organization, config, preview, parallel, env } = this.options;
    const { context, executor, registrar } = this.parts;
    const interruption: ProgramInterruption = {
      halted: this.halted,
      settled: () => registrar.whenSettled(),
      killSignal: this.options.killSignal,
    };
    const target = { project, stack, organization, config, env, monitorAddress: address, engineAddress: address };
    const onLine = (line: string) => report(context, "info", line);
    const onRequest = (line: string) => this.types.request(line);
    const failure = await runProgram({ ...target, preview, parallel, onLine, onRequest }, monitor, interruption);
    if (executor.isStopped) return;
    if (failure === undefined) return requirePresent(context, context.scope.targets, [...context.decisions.declared]);
    executor.stop();
    const isReported = this.loggedError || this.parts.hasFailed();
    if (failure.message === undefined && isReported) context.fail();
    else reportError(context, failure.message ?? "The program failed; what it printed says why.");
  }
}

export interface AssemblyOptions {
  operation: OperationKind;
  /** Changes nothing and records nothing. */
  preview: boolean;
  project: string;
  stack: string;
  /** Secrets in memory form. */
  snapshot: Snapshot;
  /** Makes the state durable; `snapshot` returns it at the time of writing. Not called in a preview. */
  commit: (snapshot: () => Snapshot) => Promise<void>;
  /** Resolves once objects may be changed and the state written; rejects with a reason that is already reported. */
  permitted: () => Promise<void>;
  choices: Choices;
  parallel: number;
  /** Receives the events, with every secret that the operation has seen masked. */
  emit: (event: EngineEvent) => void;
  /** Texts of the config that are secret. */
  configSecrets: readonly string[];
  clock: () => Date;
  /** Creates the configured instance that serves a package; throws for packages without a provider here. */
  makeProvider: (pkg: string, config: PropertyMap) => ResourceProvider;
  /** Configuration of the default provider of a package. */
  configOf: (pkg: string) => PropertyMap;
  /** How the stack names a resource. Default: its provider decides. */
  namingOf?: Context["namingOf"];
  /** Types whose checks ask the service. Default: none. */
  asksAhead?: (type: string) => boolean;
  /** The command that prints the declaration of a live object of the type. Default: there is none. */
  declaring?: Context["declaring"];
  /** Default: there are none. */
  otherStates?: Context["otherStates"];
}

/** The parts of one operation that know resources, but neither programs nor processes. */
export interface Assembly {
  context: Context;
  ledger: StateLedger;
  executor: Executor;
  registrar: Registrar;
  hasFailed: () => boolean;
}

export function assemble(options: AssemblyOptions): Assembly {
  const { operation, preview, project, stack, parallel, clock, choices } = options;
  const { refresh = false, runProgram = false, continueOnError = false } = choices;
  let failed = false;
  const secrets = new KnownSecrets();
  for (const text of options.configSecrets) secrets.learn(makeSecret(text));
  for (const state of options.snapshot.resources) secrets.learnState(state);
  const decisions = new Decisions();
  let hasBegun = false;
  const persist = async (): Promise<void> => {
    if (preview) return;
    // Later changes must reach the state in any case.
    if (!hasBegun) await options.permitted();
    hasBegun = true;
    await options.commit(() => ledger.snapshot());
  };
  const ledger: StateLedger = new StateLedger(options.snapshot, persist, clock, options.otherStates);
  const context: Context = {
    ...{ project, stack, preview, decisions, ledger, clock, secrets },
    emit: (event) => options.emit(withSourceLine(secrets.maskEvent(event), decisions.sourceLines)),
    scope: new Scope(choices),
    replacements: targets(choices.replace ?? []),
    purpose: operation === "refresh" || operation === "destroy" ? operation : "update",
    permitted: options.permitted,
    whenAsked: () => registrar.whenAsked(),
    declaring: options.declaring ?? (() => undefined),
    otherStates: options.otherStates,
    namingOf: options.namingOf ?? (() => undefined),
    refreshesDeclared: runProgram && (operation === "refresh" || (refresh && operation !== "destroy")),
    continueOnError,
    planEnforcer: new PlanEnforcer(choices.constraint),
    providers: new Providers({
      createProvider: options.makeProvider,
      recorded: (urn, id) => ledger.base.find(({ state }) => state.urn === urn && state.id === id)?.state,
      formerUrn: (urn) => decisions.formerUrn(urn),
    }),
    fail: () => (failed = true),
    isEnding: () => executor.isStopped,
  };
  const executor: Executor = new Executor(context, operation, parallel);
  const planner = new Planner(context, (ref) => refreshOne(context, executor, ref));
  const { configOf, asksAhead = () => false } = options;
  const registrar: Registrar = new Registrar(context, planner, executor, { parallel, configOf, asksAhead });
  return { context, ledger, executor, registrar, hasFailed: () => failed };
}
