import { type Baseline, openBaseline } from "../../drift/scan/baseline";
import { DriftReport } from "../../drift/scan/document";
import { ignoreFile, type Suppressor } from "../../drift/scan/suppression";
import type { CliContext } from "../command/context";
import { CommandFailure } from "../command/failure";
import { inputText } from "../command/input-file";

type Folder = Pick<CliContext, "cwd">;

/** A report that an earlier scan wrote as JSON. */
export async function earlierReport(path: string, folder: Folder): Promise<DriftReport> {
  const parsed = DriftReport.safeParse(documentIn(await inputText(path, folder)));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new CommandFailure(
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
