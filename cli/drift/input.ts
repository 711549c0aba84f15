import { type Baseline, baselineOf, latestExpiry, openBaseline } from "../../drift/scan/baseline";
import { DriftReport } from "../../drift/scan/document";
import { ignoreFile, type Suppressor } from "../../drift/scan/suppression";
import type { CliContext } from "../command/context";
import { CommandError, usageError } from "../command/failure";
import { inputText, writeOutput } from "../command/files";
import { jsonText } from "../command/output";
import type { ScanFlags } from "./flags";

type Folder = Pick<CliContext, "cwd">;

/** A report that an earlier scan wrote as JSON. */
export async function earlierReport(path: string, folder: Folder): Promise<DriftReport> {
  const parsed = DriftReport.safeParse(documentIn(await inputText(path, folder)));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new CommandError(
    `${path} is not a report of \`npx pulumi-modelplatform drift --format json\`: \`${issue!.path.join(".") || "document"}\`: ${issue!.message}.`,
  );
}

export async function baselineIn(path: string, folder: Folder, now: number, allowError: boolean): Promise<Baseline> {
  return openBaseline(documentIn(await inputText(path, folder)), path, now, allowError);
}

/** JSON or YAML; undefined where the file holds neither. */
export async function documentOf(path: string, folder: Folder): Promise<unknown> {
  return documentIn(await inputText(path, folder));
}

export async function ignoredIn(path: string, folder: Folder): Promise<Suppressor> {
  return ignoreFile(await inputText(path, folder));
}

/** JSON; or YAML, for users who want to comment on what they accept. */
function documentIn(text: string): unknown {
  try {
    if (/^\s*[{[]/.test(text)) return JSON.parse(text);
    const { parse } = require("yaml") as typeof import("yaml");
    return parse(text);
  } catch {
    return undefined;
  }
}

type BaselineFlags = Pick<ScanFlags, "writeBaseline" | "owner" | "reason" | "expires" | "allowError">;

/** Checked before anything is read. */
export function checkBaseline({ writeBaseline, owner, reason, expires }: BaselineFlags, { time }: CliContext): void {
  if (writeBaseline === undefined) return;
  if (!owner || !reason || !expires)
    throw usageError(
      "--write-baseline needs --owner, --reason and --expires: who accepts what is found, why, and until when.",
    );
  const latest = latestExpiry(time.now());
  if (!/^\d{4}-\d{2}-\d{2}$/.test(expires) || expires > latest)
    throw usageError(`--expires takes a day like 2026-01-31, up to ${latest}.`);
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
