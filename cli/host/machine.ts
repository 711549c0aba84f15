import { resolve } from "node:path";
import type { Environment } from "../../io/files/user-folders";
import { sanitizeOutput } from "../../io/text/printable";
import type { InProcessHost } from "../../protocol/provider-calls";
import type { Stopwatch } from "../../provider/api/time";
import type { RunClaims } from "../../provider/lifecycle/memory/claims";
import type { KnownReads } from "../../provider/lifecycle/memory/known-reads";
import type { EngineLink } from "../../provider/pulumi/engine-link";
import { createReporter, processTime } from "../../provider/pulumi/reporter";
import type { Runtime } from "../../provider/pulumi/runtime";
import { type CreateHosts, providerHost as kindsOn } from "./own-kinds";

/** What the runs of one command share. */
interface Shared {
  /** Reports how long requests and objects were waited for. */
  stopwatch?: Stopwatch;
  knownReads?: KnownReads;
}

/** This package's kinds on this machine. */
export const machineProviderHost = (shared: Shared = {}): InProcessHost => kindsOn(onMachine(shared));

/** A run's life cycles with the files, the network and the clock of this machine. */
const onMachine =
  ({ stopwatch, knownReads }: Shared): CreateHosts =>
  ({ name, folder, log, state }, interruption) => {
    const link: Pick<EngineLink, "log"> = {
      log: async ({ text, ...entry }) => log({ message: sanitizeOutput(text), ...entry }),
    };
    const opened: Runtime[] = [];
    /** By the service's origin: instances of one process know each other's claims without a file between them. */
    const claims = new Map<string | undefined, RunClaims>();

    return {
      open: (run) => {
        const env = withWorkingFolder(run, folder);
        return {
          async open(sources) {
            const { claimsOfRun, createRuntime, settingsIn } =
              require("../../provider/pulumi/runtime") as typeof import("../../provider/pulumi/runtime");
            const settings = settingsIn({ ...sources, env }, folder);
            const origin = settings.endpoint?.origin;
            const known = claims.get(origin) ?? claimsOfRun(name, settings, env);
            claims.set(origin, known);
            const ready = createRuntime({
              ...{ settings, link, env, folder, state, claims: known },
              ...{ stopwatch, knownReads },
            });
            opened.push(ready);
            return ready;
          },
          reporterFor: (urn) => createReporter(link, urn, processTime),
          interruption,
          debug: (env["MODELPLATFORM_DEBUG"] ?? "") !== "",
        };
      },
      async close() {
        for (const known of claims.values()) known.end();
        await Promise.all(opened.map(({ client }) => client.close()));
      },
    };
  };

/** With a trace's path as the program's folder has it. */
function withWorkingFolder(env: Environment, folder: string): Environment {
  const { MODELPLATFORM_TRACE: trace = "" } = env;
  return trace === "" ? env : { ...env, MODELPLATFORM_TRACE: resolve(folder, trace) };
}
