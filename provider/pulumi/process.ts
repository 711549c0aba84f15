import { setTimeout as pause } from "node:timers/promises";
import type { RunClaims } from "../lifecycle/memory/claims";
import { consoleLink, type EngineLink, linkEngine } from "./engine-link";
import { createInterruption } from "./interruption";
import type { HostEnvironment } from "./operations";
import { createReporter, processTime } from "./reporter";
import type { Runtime } from "./runtime";

interface HostProcess {
  environment: HostEnvironment<Runtime>;
  /** Says where the engine is, where the command line did not. The first address stays. */
  attach(address: string): void;
}

/**
 * This process as a host of life cycles, for whichever protocol: it reports to the engine, and ends when it is asked to
 * or the engine is gone.
 */
export function hostProcess(address?: string): HostProcess {
  const interruption = createInterruption({ exit: (code) => process.exit(code), sleep: (ms) => pause(ms) });
  let engine: { address: string; link: EngineLink } | undefined;
  let claims: RunClaims | undefined;

  let isAlone = false;
  function endAlone(): void {
    if (isAlone) return;
    isAlone = true;
    claims?.end();
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
    environment: {
      open: async (engineSettings) => {
        // Loaded when the first operation needs it: that takes longer than everything else at the start.
        const { claimsOfRun, createRuntime, resolveSettings } = require("./runtime") as typeof import("./runtime");
        const settings = resolveSettings({ ...engineSettings, env: process.env });
        if (engine) claims = claimsOfRun(engine.address, settings, process.env);
        return createRuntime({ settings, link, claims, env: process.env });
      },
      reporterFor: (urn) => createReporter(link, urn, processTime),
      interruption,
      debug: (process.env["MODELPLATFORM_DEBUG"] ?? "") !== "",
    },
  };
}
