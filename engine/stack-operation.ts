import { GroupCommit } from "../io/files/group-commit";
import type { InProcessHost } from "../protocol/provider-calls";
import type { EngineEvent, OperationKind } from "./events";
import { runOperation } from "./operation";
import { withNeeded } from "./plan/dependencies";
import { OtherStates } from "./plan/other-states";
import type { ImportRequest } from "./program/import-resources";
import type { Choices, OperationReport, OperationResult, OperationSettings, OutputMap } from "./settings";
import type { FileBackend } from "./state/backend";
import type { BrokenLock } from "./state/lock";
import { openSecrets, passphraseFrom, type SecretsManager } from "./state/passphrase";
import type { Project } from "./state/project";
import { type PropertyMap, type ResourceState, type Snapshot, stackType } from "./state/resource-state";
import { decryptSnapshot, encryptSnapshot, openStack, saltOf } from "./state/secrets";
import { readStackConfig, resolveConfig, type StackConfig, writeStackConfig } from "./state/stack-config";
import type { StackFiles, UpdateRecord } from "./state/stack-files";
import { CutOffError, moveIn } from "./state/undertaking";
import { containsSecrets, stripSecrets } from "./values/values";

/** What distinguishes the operations besides their settings. */
export interface OperationMode {
  preview: boolean;
  choices: Choices;
  excludeProtected?: boolean | undefined;
  imports?: ImportRequest;
  emit: (event: EngineEvent) => void;
  /** Broken locks of ended or abandoned operations. */
  broken: readonly BrokenLock[];
}

/** The stack, and the environment to open and run it with. */
export interface StackLocation {
  backend: FileBackend;
  project: Project;
  name: string;
  env: NodeJS.ProcessEnv;
  /** Serves some types of resources in this process. */
  host?: InProcessHost | undefined;
}

/** A stack with its state in memory, secrets decrypted. */
export interface OpenStack extends StackLocation {
  files: StackFiles;
  config: StackConfig;
  /** The config file has no encryption salt yet: it gets one with the first operation that changes something. */
  saltIsNew: boolean;
  manager: SecretsManager;
  snapshot: Snapshot;
}

export async function loadState(backend: FileBackend, project: string, name: string): Promise<Snapshot> {
  const state = await backend.stack(project, name).load();
  if (state === undefined) throw new Error(`Project ${project} has no stack ${name} in ${backend.label}.`);
  return state;
}

export async function openState(
  location: StackLocation,
  files = location.backend.stack(location.project.name, location.name),
): Promise<OpenStack> {
  const { backend, project, name, env } = location;
  const [state, config] = await Promise.all([loadState(backend, project.name, name), readStackConfig(project, name)]);
  const saltIsNew = config.encryptionSalt === undefined;
  const { manager, snapshot = state } = await openStack(config, state, env);
  return { ...location, files, config, saltIsNew, manager, snapshot };
}

/** Runs an operation while it holds the stack's lock. When the lock is lost, ends it like an interrupt and rejects. */
export async function runLocked(
  location: StackLocation,
  operation: OperationKind,
  { signal: callerSignal, ...settings }: OperationSettings,
  mode: Omit<OperationMode, "broken">,
): Promise<OperationReport> {
  const lost = new AbortController();
  const signal = callerSignal ? AbortSignal.any([callerSignal, lost.signal]) : lost.signal;
  const onWait = (message: string) =>
    mode.emit({ kind: "diagnostic", severity: "info", message, ephemeral: false, time: Date.now() });
  return location.backend.locked(
    location.project.name,
    location.name,
    async (files, broken) => {
      const stack = await openState(location, files);
      const report = await runOnStack(stack, operation, { ...settings, signal }, { ...mode, broken });
      lost.signal.throwIfAborted();
      return report;
    },
    { signal: callerSignal, onWait, onLost: (error) => lost.abort(error) },
  );
}

/**
 * Runs one operation, keeps its state durable as it goes, and adds it to the
 * history. The caller holds the stack's lock.
 */
export async function runOnStack(
  stack: OpenStack,
  operation: OperationKind,
  settings: OperationSettings,
  mode: OperationMode,
): Promise<OperationReport> {
  const { files, config, manager, snapshot } = stack;
  const startTime = Math.floor(Date.now() / 1000);
  const move = moveIn(stack.name, snapshot.resources);
  if (move) throw new CutOffError(stack.name, move);
  if (stack.saltIsNew && !mode.preview) await writeStackConfig(config);
  let current = () => snapshot;
  let isWritten = true;
  const group = new GroupCommit(async () => {
    isWritten = false;
    await files.save(encryptSnapshot(current(), manager));
    isWritten = true;
  });
  const commit = (now: () => Snapshot) => {
    current = now;
    return group.commit();
  };
  try {
    const result = await runOperation({ ...optionsOf(stack, settings, mode), operation, commit });
    await group.flush();
    // The failure to write the state has been reported; the history on the same disk fails as well.
    const { message } = settings;
    if (!mode.preview && isWritten) await files.record(recordOf(operation, { startTime, message, config }, result));
    return reportOf(result, settings);
  } finally {
    await group.close();
  }
}

function optionsOf(stack: OpenStack, settings: OperationSettings, mode: OperationMode) {
  const { project, name, env, host, config, manager, snapshot } = stack;
  return {
    ...{ project, stack: name, organization: "organization", snapshot, env, host },
    ...{
      preview: mode.preview,
      choices: mode.excludeProtected === true ? excludeProtected(mode.choices, snapshot) : mode.choices,
    },
    imports: mode.imports && decryptImport(mode.imports, snapshot, manager),
    ...{ signal: settings.signal, killSignal: settings.killSignal, onWaiting: settings.onWaiting },
    emit: withStartMessages(mode),
    config: resolveConfig(project, config, manager),
    parallel: parallelism(settings.parallel, env),
    readStack: (fullName: string) => outputsOf(stack, fullName),
    otherStates: new OtherStates(stack.backend, project.name, name, snapshot.resources),
    clock: () => new Date(),
  };
}

/** Protected resources are excluded, and so is what they depend on. */
function excludeProtected(choices: Choices, { resources }: Snapshot): Choices {
  const all = resources.map((state) => ({ state }));
  const kept = withNeeded(
    all.filter(({ state }) => state.protect === true),
    all,
  );
  return { ...choices, exclude: [...(choices.exclude ?? []), ...[...kept].map(({ state }) => state.urn)] };
}

/** The request with its secrets in memory form. */
function decryptImport(request: ImportRequest, snapshot: Snapshot, manager: SecretsManager): ImportRequest {
  const states = request.resources.map(({ type, name, inputs, outputs }) => ({
    urn: name,
    type,
    custom: true,
    inputs,
    outputs,
  }));
  const { resources } = decryptSnapshot({ ...snapshot, resources: states, pendingOperations: [] }, manager);
  return {
    ...request,
    resources: request.resources.map((resource, index) => ({ ...resource, ...pick(resources[index]!) })),
  };
}

const pick = ({ inputs, outputs }: ResourceState) => ({ inputs, outputs });

/** Reports broken locks after the prelude. */
function withStartMessages({ emit, broken }: OperationMode): (event: EngineEvent) => void {
  return (event) => {
    emit(event);
    if (event.kind !== "prelude") return;
    for (const { pid, username, hostname, timestamp, because } of broken) {
      const message = `The lock of process ${pid} of ${username}@${hostname}, held since ${timestamp}, was removed: ${because}.`;
      emit({ kind: "diagnostic", severity: "warning", message, ephemeral: false, time: event.time });
    }
  };
}

/** Default number of parallel steps: they wait for services, which limit requests themselves, not for processors. */
const defaultParallelism = 32;

/** The setting, else PULUMI_PARALLEL, else the default; at most the value that programs treat as unlimited. */
function parallelism(requested: number | undefined, env: NodeJS.ProcessEnv): number {
  const value = requested ?? Number(env["PULUMI_PARALLEL"] ?? 0);
  return Math.min(value > 0 ? Math.floor(value) : defaultParallelism, 2 ** 31 - 1);
}

function reportOf(result: OperationResult, settings: OperationSettings): OperationReport {
  const { create, update, replace, delete: deleted } = result.changes;
  const changed = create + update + replace + deleted + result.left.length > 0;
  return {
    ...result,
    outputs: outputMap(result.outputs),
    unexpectedChanges: settings.expectNoChanges === true && changed,
  };
}

const recordKinds: Partial<Record<OperationKind, UpdateRecord["kind"]>> = {
  up: "update",
  refresh: "refresh",
  destroy: "destroy",
  import: "resource-import",
};

function recordOf(
  operation: OperationKind,
  { startTime, message = "", config }: { startTime: number; message: string | undefined; config: StackConfig },
  result: OperationResult,
): UpdateRecord {
  return {
    kind: recordKinds[operation] ?? "update",
    startTime,
    endTime: Math.floor(Date.now() / 1000),
    message,
    environment: { "exec.kind": "built-in" },
    config: config.merged(),
    result: result.result === "succeeded" ? "succeeded" : "failed",
    resourceChanges: Object.fromEntries(Object.entries(result.changes).filter(([, count]) => count > 0)),
  };
}

export const rootOutputs = ({ resources }: Snapshot): PropertyMap =>
  resources.find(({ type }) => type === stackType)?.outputs ?? {};

export function outputMap(outputs: PropertyMap): OutputMap {
  return Object.fromEntries(
    Object.entries(outputs).map(([name, value]) => [
      name,
      { value: stripSecrets(value), secret: containsSecrets(value) },
    ]),
  );
}

/** Outputs of another stack of the backend, for a stack reference. It must share the passphrase. */
async function outputsOf({ backend, project, env }: StackLocation, fullName: string): Promise<PropertyMap> {
  const [name = fullName, owner = project.name] = fullName.split("/").reverse();
  const state = await loadState(backend, owner, name);
  const salt = saltOf(state);
  if (salt === undefined) return rootOutputs(state);
  return rootOutputs(decryptSnapshot(state, await openSecrets({ passphrase: await passphraseFrom(env), salt })));
}
