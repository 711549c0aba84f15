import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type ActionContext, ActionFailure, expectInputs, type Given } from "./action";

/**
 * Alerts of a file, as github/codeql-action/upload-sarif v4.36.2 takes it (commit
 * 8aad20d150bbac5944a9f9d289da16a4b0d87c1e: src/upload-sarif-action.ts, src/upload-lib.ts), with the limits that the
 * documentation of code scanning names.
 */
export function alertsOf(given: Given, { permissions, cwd }: ActionContext): unknown[] {
  expectInputs(given, "sarif_file", "category");
  if (permissions["security-events"] !== "write") throw new ActionFailure("no alerts without `security-events: write`");
  const file = join(cwd, given["sarif_file"]!);
  if (!existsSync(file)) throw new ActionFailure(`path does not exist: ${file}`);
  const text = readFileSync(file, "utf8");
  if (gzipSync(text).length > 10 * 1024 ** 2) throw new ActionFailure("the upload is larger than 10 MB");
  const { runs } = parsed(text);
  if (!Array.isArray(runs)) throw new ActionFailure("invalid SARIF: missing 'runs' array");
  if (runs.length > 20 || runs.some(({ results = [] }) => results.length > 25_000))
    throw new ActionFailure("more than 20 runs, or than 25,000 results in one");
  return runs.flatMap(({ results }) => results ?? []);
}

function parsed(text: string): { runs?: { results?: unknown[] }[] } {
  try {
    return JSON.parse(text) as { runs?: { results?: unknown[] }[] };
  } catch (error) {
    throw new ActionFailure(`invalid SARIF: ${error}`);
  }
}
