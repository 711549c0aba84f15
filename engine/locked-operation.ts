import type { OperationKind } from "./events";
import type { OperationReport, OperationSettings } from "./settings";
import { type OperationMode, openState, runOnStack, type StackPlace } from "./stack-operation";

/** Runs an operation while it holds the stack's lock. When the lock is lost, ends it like an interrupt and rejects. */
export async function runLocked(
  place: StackPlace,
  operation: OperationKind,
  { signal: given, ...settings }: OperationSettings,
  mode: Omit<OperationMode, "broken">,
): Promise<OperationReport> {
  const lost = new AbortController();
  const signal = given ? AbortSignal.any([given, lost.signal]) : lost.signal;
  const onWait = (message: string) =>
    mode.emit({ kind: "diagnostic", severity: "info", message, ephemeral: false, time: Date.now() });
  return place.backend.locked(
    place.project.name,
    place.name,
    async (files, broken) => {
      const stack = await openState(place, files);
      const report = await runOnStack(stack, operation, { ...settings, signal }, { ...mode, broken });
      lost.signal.throwIfAborted();
      return report;
    },
    { signal: given, onWait, onLost: (error) => lost.abort(error) },
  );
}
