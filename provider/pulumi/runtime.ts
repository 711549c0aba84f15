import { join, resolve } from "node:path";
import { ceilings, readText } from "../../io/files/read";
import { type Environment, stateFolder } from "../../io/files/user-folders";
import type { EngineState } from "../../protocol/engine-state";
import { createClient } from "../api/client";
import { createCatalogue } from "../api/operations";
import { resolveSettings } from "../api/settings/config";
import { overriddenKeyWarning } from "../api/settings/key-warnings";
import { commandsWith } from "../api/settings/keyring";
import { readSettingFile, type SettingSources } from "../api/settings/sources";
import type { Stopwatch } from "../api/time";
import type { Client, ClientSettings } from "../api/types";
import type { ResourceSpec } from "../core/declaration/resource";
import { createPorts } from "../lifecycle/assemble";
import { createLifecycle } from "../lifecycle/lifecycle";
import { RunClaims, shareClaims } from "../lifecycle/memory/claims";
import type { KnownReads } from "../lifecycle/memory/known-reads";
import { machineFiles } from "../lifecycle/sources";
import type { ResourceLifecycle } from "../lifecycle/types";
import { allSpecs } from "../resources/index";
import type { EngineLink } from "./engine-link";
import type { LifecycleHost } from "./operations";

export { resolveSettings } from "../api/settings/config";

/** The settings of a program in `folder`, where their relative paths begin. */
export function settingsIn(sources: SettingSources, folder: string): ClientSettings {
  const settings = resolveSettings({
    ...sources,
    readFile: (path, from) => readSettingFile(resolve(folder, path), from),
  });
  return settings.intents === undefined ? settings : { ...settings, intents: resolve(folder, settings.intents) };
}

/** What an operation of this process has at hand. */
export interface Runtime extends LifecycleHost {
  client: Client;
}

/** Shared by all provider processes that work for this engine at the same service: names are names only there. */
export const claimsOfRun = (engine: string, { endpoint }: ClientSettings, env: Environment): RunClaims =>
  new RunClaims(
    shareClaims({
      folder: join(stateFolder(env), "runs"),
      run: JSON.stringify([engine, endpoint?.origin]),
      pid: process.pid,
      isRunning,
      now: Date.now,
    }),
  );

/** Signal 0 asks whether there is such a process; one of another user may not be asked, but is there. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

interface RuntimeOptions {
  settings: ClientSettings;
  link: Pick<EngineLink, "log">;
  /** Default: the claims of this process alone. */
  claims?: RunClaims | undefined;
  env: Environment;
  /** Where relative paths begin. Default: the folder of this process. */
  folder?: string;
  stopwatch?: Stopwatch | undefined;
  /** Default: the engine cannot be asked. */
  state?: EngineState | undefined;
  /** Of the same command. Default: nothing has been read. */
  knownReads?: KnownReads | undefined;
}

/** The life cycles of all kinds, as these settings reach them. */
export function createRuntime(options: RuntimeOptions): Runtime {
  const { settings, link, claims, env, folder = ".", stopwatch, state, knownReads } = options;
  const client = createClient({
    settings,
    catalogue: createCatalogue(allSpecs, { overrides: settings.operations }),
    env,
    run: commandsWith(env, folder),
    stopwatch,
    log: ({ level, text }) => void link.log({ text, severity: level, urn: "", ephemeral: false }),
    onWait: (text) => void link.log({ text, severity: "info", urn: "", ephemeral: false }),
  });
  for (const each of settings.overruled)
    void link.log({ text: overriddenKeyWarning(each), severity: "warning", urn: "", ephemeral: false });
  const world = createPorts({
    ...{ settings, client, specs: allSpecs, env, claims, state },
    files: machineFiles(folder),
    readFile: (path) => readText(resolve(folder, path), ceilings.settings, { fromUser: true }),
    stopwatch,
    knownReads: knownReads?.of(settings),
  });
  const lifecycles = new Map<string, ResourceLifecycle>();
  const lifecycleOf = (spec: ResourceSpec): ResourceLifecycle => {
    const lifecycle = lifecycles.get(spec.kind) ?? createLifecycle(spec, world);
    lifecycles.set(spec.kind, lifecycle);
    return lifecycle;
  };
  return { client, lifecycleOf, redact: (text) => client.redactor.text(text) };
}
