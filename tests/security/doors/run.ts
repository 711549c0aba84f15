import type { Probe } from "../probe";
import { open } from "./open";

/** Runs the attacks on one door; those that are known to succeed are skipped, with what is missing. */
export function runDoor(probes: readonly Probe[]): void {
  for (const { holds, run } of probes) {
    const [, reason] = Object.entries(open).find(([beginning]) => holds.startsWith(beginning)) ?? [];
    if (reason === undefined || process.env["OPEN_DOORS"] === "true") test(holds, async () => run());
    else test.skip(`${holds} (open: ${reason})`, () => undefined);
  }
}
