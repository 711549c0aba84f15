import type { CliContext } from "../command/context";
import { usageFailure } from "../command/failure";
import type { DriftFlags } from "./flags";
import type { Notifier } from "./notify";

/** Who is told what is new. Loaded only where `--notify` names a webhook. */
export function scanNotifier(flags: DriftFlags, context: CliContext): Notifier | undefined {
  const { notify, history, notifySecretEnv, notifyFormat, notifyDryRun } = flags;
  if (notify === undefined) {
    if (notifySecretEnv !== undefined || notifyFormat !== undefined || notifyDryRun)
      throw usageFailure("--notify-secret-env, --notify-format and --notify-dry-run need --notify.");
    return undefined;
  }
  if (history === undefined)
    throw usageFailure("--notify tells what is new since the scan before: give --history, which knows that.");
  const { openNotifier } = require("./notify") as typeof import("./notify");
  return openNotifier(notify, flags, context);
}
