import type { EngineEvent, OperationKind } from "./events";
import { type Context, Decisions } from "./plan/context";
import { StateLedger } from "./plan/ledger";
import { Planner } from "./plan/planner";
import { Scope, targets } from "./plan/scope";
import { PlanEnforcer } from "./plan/update-plan";
import { Registrar } from "./program/registrar";
import type { ResourceProvider } from "./providers/provider";
import { Providers } from "./providers/providers";
import { Executor } from "./run/executor";
import { refreshOne } from "./run/refresh";
import type { Choices } from "./settings";
import type { PropertyMap, Snapshot } from "./state/types";
import { KnownSecrets } from "./values/known-secrets";
import { makeSecret } from "./values/values";

export interface AssemblyOptions {
  operation: OperationKind;
  /** Changes nothing and records nothing. */
  preview: boolean;
  project: string;
  stack: string;
  /** Secrets in memory form. */
  snapshot: Snapshot;
  /** Makes the state durable; `snapshot` says what it is at the time of writing. Not called in a preview. */
  commit: (snapshot: () => Snapshot) => Promise<void>;
  /** Resolves once objects may be changed and the state written; rejects with what has been reported against it. */
  permitted: () => Promise<void>;
  choices: Choices;
  parallel: number;
  /** Receives the events, with every secret that the operation has seen masked. */
  emit: (event: EngineEvent) => void;
  /** Texts of the config that are secret. */
  configSecrets: readonly string[];
  clock: () => Date;
  /** Creates the configured instance that serves a package; refuses packages without a provider here. */
  makeProvider: (pkg: string, config: PropertyMap) => ResourceProvider;
  /** Configuration of the default provider of a package. */
  configOf: (pkg: string) => PropertyMap;
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
  for (const { inputs, outputs } of options.snapshot.resources)
    for (const properties of [inputs, outputs]) secrets.learn(properties);
  const decisions = new Decisions();
  let hasBegun = false;
  const persist = async (): Promise<void> => {
    if (preview) return;
    // Later changes must reach the state in any case.
    if (!hasBegun) await options.permitted();
    hasBegun = true;
    await options.commit(() => ledger.snapshot());
  };
  const ledger: StateLedger = new StateLedger(options.snapshot, persist, clock);
  const context: Context = {
    ...{ project, stack, preview, decisions, ledger, clock, secrets },
    emit: (event) => options.emit(withSourceLine(secrets.maskEvent(event), decisions.sourceLines)),
    scope: new Scope(choices),
    replacements: targets(choices.replace ?? []),
    purpose: operation === "refresh" || operation === "destroy" ? operation : "update",
    permitted: options.permitted,
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
  const registrar = new Registrar(context, planner, executor, { parallel, configOf: options.configOf });
  return { context, ledger, executor, registrar, hasFailed: () => failed };
}

/** Errors and warnings of a resource show the line of the program that declares it. */
function withSourceLine(event: EngineEvent, sourceLines: ReadonlyMap<string, string>): EngineEvent {
  const isPlaced = event.kind === "diagnostic" && (event.severity === "error" || event.severity === "warning");
  if (event.kind !== "stepFailed" && !isPlaced) return event;
  const place = sourceLines.get((event.kind === "stepFailed" ? event.step.urn : event.urn) ?? "");
  return place === undefined ? event : { ...event, place };
}
