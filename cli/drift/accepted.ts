import { baselineOf, latestExpiry } from "../../drift/scan/baseline";
import type { DriftReport } from "../../drift/scan/document";
import type { CliContext } from "../command/context";
import { usageFailure } from "../command/failure";
import { jsonText } from "../command/listing";
import { writeOutput } from "../command/output-file";
import type { ScanFlags } from "./flags";

type BaselineFlags = Pick<ScanFlags, "writeBaseline" | "owner" | "reason" | "expires" | "allowError">;

/** Checked before anything is read. */
export function checkBaseline({ writeBaseline, owner, reason, expires }: BaselineFlags, { time }: CliContext): void {
  if (writeBaseline === undefined) return;
  if (!owner || !reason || !expires)
    throw usageFailure(
      "--write-baseline needs --owner, --reason and --expires: who accepts what is found, why, and until when.",
    );
  const latest = latestExpiry(time.now());
  if (!/^\d{4}-\d{2}-\d{2}$/.test(expires) || expires > latest)
    throw usageFailure(`--expires takes a day like 2026-01-31, up to ${latest}.`);
}

/** Writes the baseline that accepts what a report found. */
export async function acceptFindings(
  report: DriftReport,
  { writeBaseline, owner, reason, expires, allowError = false }: BaselineFlags,
  context: CliContext,
): Promise<void> {
  if (writeBaseline === undefined || !owner || !reason || !expires) return;
  const baseline = baselineOf(report, { owner, reason, expires, allowError });
  writeOutput(writeBaseline, jsonText(baseline), context);
  context.stderr.write(
    `Accepted ${baseline.entries.length} findings until ${expires} in ${writeBaseline}${allowError ? "" : "; findings of severity error need --allow-error"}.\n`,
  );
}
