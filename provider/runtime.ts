import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createClient } from "./api/client";
import { resolveSettings } from "./api/config";
import { createCatalogue } from "./api/operations";
import type { Settings } from "./api/types";
import type { ResourceSpec } from "./core/resource";
import { createWorld } from "./lifecycle/assemble";
import { stateFolder } from "./lifecycle/intents";
import { createLifecycle } from "./lifecycle/lifecycle";
import { type SharedClaims, shareClaims } from "./lifecycle/ownership/claims-file";
import { createRunClaims, type RunClaims } from "./lifecycle/ownership/run-claims";
import type { ResourceLifecycle } from "./lifecycle/types";
import { consoleLink, type EngineLink, engineAddress, linkEngine } from "./pulumi/engine-link";
import { createInterruption } from "./pulumi/interruption";
import { createReporter, type ReporterTime } from "./pulumi/reporter";
import { createService, type Opened } from "./pulumi/service";
import { allSpecs } from "./resources/index";

/** Beats do not keep the process alive. */
const reporterTime: ReporterTime = {
  now: Date.now,
  every(ms, beat) {
    const timer = setInterval(beat, ms).unref();
    return () => clearInterval(timer);
  },
};

let service: ReturnType<typeof createService> | undefined;

/**
 * The provider object of this process, for the SDK's dynamic-provider process. Every state holds texts that call it by
 * this name: it MUST keep its name, take no argument and answer for every kind.
 */
export function provider(): ReturnType<typeof createService> {
  service ??= serve();
  return service;
}

function serve(): ReturnType<typeof createService> {
  const address = engineAddress(process.argv);
  const link = address === undefined ? consoleLink : linkEngine(address);
  const interruption = createInterruption({ exit: (code) => process.exit(code), sleep: (ms) => pause(ms) });
  process.on("SIGINT", () => interruption.interrupt(130));
  process.on("SIGTERM", () => interruption.interrupt(143));
  let claims: SharedClaims | undefined;
  link.watch(() => {
    claims?.remove();
    interruption.interrupt(0);
  });
  return createService({
    open: async (config) => {
      const settings = resolveSettings({ config, env: process.env });
      if (address !== undefined) claims = claimsOfRun(address, settings);
      return open(settings, link, createRunClaims(claims));
    },
    reporterFor: (urn) => createReporter(link, urn, reporterTime),
    interruption,
    debug: (process.env["MODELPLATFORM_DEBUG"] ?? "") !== "",
  });
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

function open(settings: Settings, link: EngineLink, claims: RunClaims): Opened {
  const { env } = process;
  const catalogue = createCatalogue(allSpecs, { overrides: settings.operations });
  const client = createClient({
    settings,
    catalogue,
    env,
    log: ({ level, text }) => level !== "debug" && void link.log({ text, severity: level, urn: "", ephemeral: false }),
  });
  const world = createWorld({ settings, client, specs: allSpecs, env, claims });
  const lifecycles = new Map<string, ResourceLifecycle>();
  const lifecycleOf = (spec: ResourceSpec): ResourceLifecycle => {
    const lifecycle = lifecycles.get(spec.kind) ?? createLifecycle(spec, world);
    lifecycles.set(spec.kind, lifecycle);
    return lifecycle;
  };
  return { lifecycleOf, redact: (text) => client.redactor.text(text) };
}
