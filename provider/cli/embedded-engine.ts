import { builtInEngine, engineVariable } from "../core/engine-command";
import type { OperationReport } from "../engine/settings";
import { EmbeddedStack } from "../engine/stack";
import type { Engine, OperationRequest } from "./engine";

/** The engine of this package. Its processes know which one it is, so they recommend its commands. */
export const embeddedEngine: Engine = async ({ stack: stackName, cwd: workDir, env }, request) => {
  const told = { ...env, [engineVariable]: builtInEngine };
  const stack = await EmbeddedStack.select({ stackName, workDir, env: told });
  return begin(stack, request);
};

function begin(
  stack: EmbeddedStack,
  { kind, preview, choices, imports, onEvent, signal, killSignal }: OperationRequest,
): Promise<OperationReport> {
  const settings = { ...choices, onEvent, signal, killSignal, previewOnly: preview };
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
