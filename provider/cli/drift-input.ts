import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { DriftReport } from "../drift/document";
import type { CliContext } from "./context";
import { CommandFailure } from "./failure";

/** A report that an earlier scan wrote as JSON. */
export async function earlierReport(path: string, { cwd }: Pick<CliContext, "cwd">): Promise<DriftReport> {
  const text = await readFile(resolve(cwd, path), "utf8").catch((cause: NodeJS.ErrnoException) => Promise.reject(new CommandFailure(`${path} cannot be read (${cause.code ?? "no reason given"}).`)));
  const parsed = DriftReport.safeParse(documentIn(text));
  if (parsed.success) return parsed.data;
  throw new CommandFailure(`${path} is no report of \`modelplatform drift --format json\`: ${parsed.error.issues[0]!.path.join(".") || "document"}: ${parsed.error.issues[0]!.message}.`);
}

function documentIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
