import { EmbeddedStack } from "../engine/stack";
import type { OperationReport, UpdateSettings } from "../engine/stack-operation";
import { makeSecret } from "../engine/values/values";
import type { Engine, OperationRequest } from "./engine";

/** The engine of this package. */
export const embeddedEngine: Engine = async ({ stack: stackName, cwd: workDir, env }, request) => {
  const stack = await EmbeddedStack.select({ stackName, workDir, env });
  const report = await begin(stack, request);
  const outputs = Object.entries(report.outputs).map(([name, { value, secret }]) => [
    name,
    secret ? makeSecret(value) : value,
  ]);
  return { ...report, outputs: Object.fromEntries(outputs) };
};

function begin(
  stack: EmbeddedStack,
  { kind, preview, parallel, targets, replaces, refresh, imports, onEvent, signal, killSignal }: OperationRequest,
): Promise<OperationReport> {
  const common = {
    onEvent,
    signal,
    killSignal,
    target: targets,
    previewOnly: preview,
    ...(parallel === undefined ? {} : { parallel }),
  };
  const update: UpdateSettings = { ...common, replace: replaces, refresh };
  switch (kind) {
    case "up":
      return preview ? stack.preview(update) : stack.up(update);
    case "refresh":
      return stack.refresh(common);
    case "destroy":
      return stack.destroy({ ...common, refresh });
    case "import":
      return stack.importResources({ ...common, resources: [], ...imports });
  }
}
