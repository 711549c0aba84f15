import type { OperationReport } from "../../engine/settings";
import { EmbeddedStack } from "../../engine/stack";
import { Stopwatch } from "../../provider/api/time";
import { builtInEngine, engineVariable } from "../../provider/core/settings";
import { KnownReads } from "../../provider/lifecycle/memory/known-reads";
import type { Engine, OperationRequest } from "../command/context";
import { machineProviderHost } from "../host/machine";

/**
 * The engine of this package for one command, with a host for its resources. Its processes know which one it is, so
 * they recommend its commands.
 */
export function embeddedEngine(hostWith: typeof machineProviderHost = machineProviderHost): Engine {
  const knownReads = new KnownReads();
  return async ({ stack: stackName, cwd: workDir, env, isTrusted = false }, request) => {
    const ownEnv = { ...env, [engineVariable]: builtInEngine };
    const stopwatch = new Stopwatch(Date.now);
    const host = hostWith({ stopwatch, knownReads });
    const stack = await EmbeddedStack.select({ host, stackName, workDir, env: ownEnv, trustProject: isTrusted });
    return { ...(await begin(stack, request)), timeSpent: stopwatch.read() };
  };
}

function begin(
  stack: EmbeddedStack,
  { kind, preview, choices, imports, onEvent, onWaiting, signal, killSignal }: OperationRequest,
): Promise<OperationReport> {
  // The displays of commands mask what they print, and some of them need the values.
  const settings = { ...choices, onEvent, showSecrets: true, onWaiting, signal, killSignal, previewOnly: preview };
  switch (kind) {
    case "up":
      return preview ? stack.preview(settings) : stack.up(settings);
    case "refresh":
      return stack.refresh(settings);
    case "destroy":
      return stack.destroy(settings);
    case "import":
      return stack.importResources({ ...settings, resources: [], ...imports });
  }
}
