import {
  type Baseline,
  baselineOf,
  causesOf,
  currentIn,
  openBaseline,
  withoutDoubles,
} from "../../drift/scan/baseline";
import { DriftReport, reportVersion } from "../../drift/scan/document";
import { type Owners, openOwners } from "../../drift/scan/owners";
import { ignoreFile, type Suppressor } from "../../drift/scan/suppression";
import { ceilings } from "../../io/files/read";
import { yamlValue } from "../../io/text/parse-problem";
import { messageOf } from "../../provider/core/errors";
import { settingVariable } from "../../provider/core/settings";
import { isObject } from "../../provider/core/values/values";
import { type CliContext, exitCodes } from "../command/context";
import { CommandError } from "../command/failure";
import { inputText } from "../command/input";
import { jsonText, writeReportFile } from "../command/output";
import type { BaselineFlags, ScanFlags } from "./flags";

type Folder = Pick<CliContext, "cwd">;

/** A file is no report: it was cut off, or something else wrote it. */
export class NoReportError extends CommandError {}

/** A report that an earlier scan wrote as JSON. */
export async function earlierReport(path: string, folder: Folder): Promise<DriftReport> {
  const document = documentIn(await inputText(path, folder));
  if (document === undefined) throw new NoReportError(`${path} is not a report: it is not JSON, or was cut off.`);
  const parsed = DriftReport.safeParse(document);
  if (parsed.success) return parsed.data;
  const { schemaVersion = reportVersion } = isObject(document) ? document : {};
  if (typeof schemaVersion === "number" && schemaVersion !== reportVersion)
    throw new CommandError(
      `${path} is a report of version ${schemaVersion}, and this release reads version ${reportVersion}. Use the release that wrote it.`,
    );
  const [issue] = parsed.error.issues;
  throw new NoReportError(
    `${path} is not a report of \`npx pulumi-modelplatform drift --format json\`: \`${issue!.path.join(".") || "document"}\`: ${issue!.message}.`,
  );
}

export async function baselineIn(path: string, folder: Folder, now: number, allowError: boolean): Promise<Baseline> {
  return openBaseline(await documentOf(path, folder), path, now, allowError);
}

/** The file that `--owners` or the environment names. */
export async function ownersIn(
  { owners }: Pick<ScanFlags, "owners">,
  context: CliContext,
): Promise<Owners | undefined> {
  const path = owners ?? (context.env[settingVariable("owners")] || undefined);
  if (path === undefined) return undefined;
  const document = await documentOf(path, context);
  try {
    return openOwners(document, path);
  } catch (cause) {
    throw new CommandError(messageOf(cause), exitCodes.usage, { cause });
  }
}

/** What does not count, by a baseline and an ignore file; `key` of the latter is its text. */
export async function suppressionsIn(
  { baseline, baselineErrors = false, ignore }: Pick<ScanFlags, "baseline" | "baselineErrors" | "ignore">,
  context: CliContext,
): Promise<{ baseline?: Baseline; ignored?: { suppressor: Suppressor; key: string } }> {
  return {
    ...(baseline !== undefined && {
      baseline: await baselineIn(baseline, context, context.time.now(), baselineErrors),
    }),
    ...(ignore !== undefined && { ignored: await ignoredIn(ignore, context) }),
  };
}

/** What people write, as JSON or YAML; undefined where the file holds neither. */
export async function documentOf(path: string, folder: Folder): Promise<unknown> {
  return documentIn(await inputText(path, folder, undefined, ceilings.settings));
}

async function ignoredIn(path: string, folder: Folder): Promise<{ suppressor: Suppressor; key: string }> {
  const key = await inputText(path, folder, undefined, ceilings.settings);
  return { suppressor: ignoreFile(key), key };
}

/** JSON; or YAML, for users who want to comment on what they accept. */
function documentIn(text: string): unknown {
  try {
    if (/^\s*[{[]/.test(text)) return JSON.parse(text);
    return yamlValue(text, "it");
  } catch {
    return undefined;
  }
}

/**
 * What writes the baseline that accepts what a report found, beside what `--baseline` accepts already. Rejects for a
 * cause that the report does not have.
 */
export async function acceptFindings(
  report: () => DriftReport,
  { baseline, writeBaseline, cause: ids, owner, reason, expires, baselineErrors: allowError = false }: BaselineFlags,
  context: CliContext,
): Promise<(() => void) | undefined> {
  if (writeBaseline === undefined || !owner || !reason || !expires) return undefined;
  const terms = { owner, reason, expires };
  const before = baseline ? currentIn(await documentOf(baseline, context), baseline, context.time.now()) : undefined;
  const writing = (written: object, told: string) => () => {
    writeReportFile(writeBaseline, jsonText(written), context);
    context.stderr.write(told);
  };
  if (ids === undefined) {
    const written = baselineOf(report(), { ...terms, allowError, causes: before?.causes ?? [] });
    const count = written.entries.length;
    return writing(
      written,
      `Accepted ${count} ${count === 1 ? "finding" : "findings"} until ${expires} in ${writeBaseline}${allowError ? "" : "; findings of severity error need --baseline-errors"}.\n`,
    );
  }
  const causes = causesOf(report(), { ids, ...terms });
  const { version, entries, causes: others = [] } = before ?? { version: 1, entries: [] };
  const kinds = [...new Set(causes.map(({ kind }) => kind))].join(", ");
  return writing(
    { version, entries, causes: withoutDoubles([...others, ...causes]) },
    `Accepted ${ids.length === 1 ? "the cause" : `${ids.length} causes`} until ${expires} in ${writeBaseline}, in every object of ${kinds}. Another value, field or service counts, and so does what is not shown, has failed, has severity error, or is recorded twice.\n`,
  );
}
