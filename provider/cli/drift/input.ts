import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Baseline, openBaseline } from "../../drift/baseline";
import { DriftReport } from "../../drift/document";
import { ignoreFile } from "../../drift/ignore-file";
import type { Suppressor } from "../../drift/suppression";
import type { CliContext } from "../command/context";
import { CommandFailure } from "../command/failure";

type Folder = Pick<CliContext, "cwd">;

/** A report that an earlier scan wrote as JSON. */
export async function earlierReport(path: string, folder: Folder): Promise<DriftReport> {
  const parsed = DriftReport.safeParse(documentIn(await textOf(path, folder)));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new CommandFailure(
    `${path} is not a report of \`npx pulumi-modelplatform drift --format json\`: \`${issue!.path.join(".") || "document"}\`: ${issue!.message}.`,
  );
}

export async function baselineIn(path: string, folder: Folder, now: number, allowError: boolean): Promise<Baseline> {
  return openBaseline(documentIn(await textOf(path, folder)), path, now, allowError);
}

/** JSON or YAML; undefined where the file holds neither. */
export async function documentOf(path: string, folder: Folder): Promise<unknown> {
  return documentIn(await textOf(path, folder));
}

export async function ignoredIn(path: string, folder: Folder): Promise<Suppressor> {
  return ignoreFile(await textOf(path, folder));
}

const textOf = (path: string, { cwd }: Folder): Promise<string> =>
  readFile(resolve(cwd, path), "utf8").catch((cause: NodeJS.ErrnoException) =>
    Promise.reject(new CommandFailure(`${path} cannot be read (${cause.code ?? "no reason given"}).`)),
  );

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
