import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createClient } from "../api/client";
import { resolveSettings } from "../api/config";
import { createCatalogue } from "../api/operations";
import { Stopwatch } from "../api/time-spent";
import type { Client, Settings } from "../api/types";
import type { ResourceSpec } from "../core/declaration/resource";
import { createPorts } from "../lifecycle/assemble";
import { intentsFolderOf, stateFolder } from "../lifecycle/identity/intents";
import { createLifecycle } from "../lifecycle/lifecycle";
import { type SharedClaims, shareClaims } from "../lifecycle/ownership/claims-file";
import { createRunClaims } from "../lifecycle/ownership/run-claims";
import type { RunClaims } from "../lifecycle/ports/claims";
import type { ResourceLifecycle } from "../lifecycle/types";
import { allSpecs } from "../resources/index";
import { consoleLink, type EngineLink, linkEngine } from "./engine-link";
import { createInterruption } from "./interruption";
import type { HostWorld, Opened } from "./operations";
import { createReporter, type ReporterTime } from "./reporter";

/** What an operation of this process has at hand. */
export interface Ready extends Opened {
  client: Client;
}

export interface HostProcess {
  world: HostWorld<Ready>;
  /** Says where the engine is, where the command line did not. The first address stays. */
  attach(address: string): void;
}

/** Beats do not keep the process alive. */
const reporterTime: ReporterTime = {
  now: Date.now,
  every(ms, beat) {
    const timer = setInterval(beat, ms).unref();
    return () => clearInterval(timer);
  },
};

/**
 * This process as a host of life cycles, for whichever protocol: it reports to the engine, and ends when it is told to
 * or the engine is gone.
 */
export function hostProcess(address?: string): HostProcess {
  const stopwatch = new Stopwatch(Date.now);
  leaveTimeSpent(stopwatch, process.env);
  const interruption = createInterruption({ exit: (code) => process.exit(code), sleep: (ms) => pause(ms) });
  let engine: { address: string; link: EngineLink } | undefined;
  let claims: SharedClaims | undefined;

  let isAlone = false;
  function endAlone(): void {
    if (isAlone) return;
    isAlone = true;
    claims?.remove();
    interruption.interrupt(0);
  }

  function attach(to: string): void {
    if (engine) return;
    engine = { address: to, link: linkEngine(to) };
    engine.link.watch(endAlone);
  }

  const link: Pick<EngineLink, "log"> = { log: (entry) => (engine?.link ?? consoleLink).log(entry) };
  process.on("SIGINT", () => interruption.interrupt(130));
  process.on("SIGTERM", () => interruption.interrupt(143));
  // The built-in engine's processes hear of its end so, and the connection tells it as well.
  process.on("disconnect", endAlone);
  if (address !== undefined) attach(address);

  return {
    attach,
    world: {
      open: async (given) => {
        const settings = resolveSettings({ ...given, env: process.env });
        if (engine) claims = claimsOfRun(engine.address, settings);
        return readyWith({ settings, link, claims: createRunClaims(claims), env: process.env, stopwatch });
      },
      reporterFor: (urn) => createReporter(link, urn, reporterTime),
      interruption,
      debug: (process.env["MODELPLATFORM_DEBUG"] ?? "") !== "",
    },
  };
}

/** Shared by all provider processes that work for this engine at the same service: names are names only there. */
const claimsOfRun = (engine: string, { endpoint }: Settings): SharedClaims =>
  shareClaims({
    folder: join(stateFolder(process.env), "runs"),
    run: JSON.stringify([engine, endpoint?.origin]),
    pid: process.pid,
    isRunning,
    now: Date.now,
  });

/** Signal 0 asks whether there is such a process; one of another user may not be asked, but is there. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Leaves what this process has waited for with the command that runs it, where that asks for it. */
function leaveTimeSpent(stopwatch: Stopwatch, env: NodeJS.ProcessEnv): void {
  const folder = env["MODELPLATFORM_TIME_SPENT"];
  if (folder === undefined) return;
  process.on("exit", () => {
    try {
      writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify(stopwatch.read()));
    } catch {
      // The command is gone, and its folder with it.
    }
  });
}

export interface ReadyOptions {
  settings: Settings;
  link: Pick<EngineLink, "log">;
  claims: RunClaims;
  env: Readonly<Record<string, string | undefined>>;
  stopwatch?: Stopwatch;
}

/** The life cycles of all kinds, as these settings reach them. */
export function readyWith({ settings, link, claims, env, stopwatch }: ReadyOptions): Ready {
  const client = createClient({
    settings,
    catalogue: createCatalogue(allSpecs, { overrides: settings.operations }),
    env,
    rates: intentsFolderOf(settings, env),
    ...(stopwatch && { stopwatch }),
    log: ({ level, text }) => level !== "debug" && void link.log({ text, severity: level, urn: "", ephemeral: false }),
  });
  const world = createPorts({ settings, client, specs: allSpecs, env, claims, ...(stopwatch && { stopwatch }) });
  const lifecycles = new Map<string, ResourceLifecycle>();
  const lifecycleOf = (spec: ResourceSpec): ResourceLifecycle => {
    const lifecycle = lifecycles.get(spec.kind) ?? createLifecycle(spec, world);
    lifecycles.set(spec.kind, lifecycle);
    return lifecycle;
  };
  return { client, lifecycleOf, redact: (text) => client.redactor.text(text) };
}
