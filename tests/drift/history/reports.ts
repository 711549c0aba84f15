import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type HistoryOptions, type HistoryStore, openHistory } from "../../../drift/history/store";
import type { DriftReport } from "../../../drift/scan/document";
import { fingerprintOf } from "../../../drift/scan/finding";
import type { Finding, Verdict } from "../../../drift/scan/finding-document";
import { verdicts } from "../../../drift/scan/verdicts";

export const origin = "https://api.example.com";
export const dayMs = 86_400_000;

/** A difference of one object, with what a test says of it. */
export function finding(name: string, given: Partial<Finding> & { fields?: readonly string[] } = {}): Finding {
  const { fields = ["maxReplicaCount"], ...rest } = given;
  const verdict = rest.verdict ?? "changed";
  return {
    fingerprint: fingerprintOf(rest.origin ?? origin, name),
    ruleId: `drift/${verdict}`,
    verdict,
    severity: "warning",
    account: name.split("/")[1]!,
    origin,
    type: "Deployment",
    name,
    urn: null,
    stacks: verdict === "unmanaged" ? [] : ["acme/shop/prod"],
    reason: "differs",
    updateTime: null,
    unverified: [],
    changes:
      verdict === "changed"
        ? fields.map((path) => ({ path, kind: "changed", recorded: 1, live: 2, severity: "warning", managed: true }))
        : [],
    ...rest,
  };
}

export interface ReportOptions {
  /** End of the scan. */
  at: string;
  findings?: readonly Finding[];
  /** Accounts that were read. */
  accounts?: readonly string[];
  /** Accounts that could not be read, and collections that could not in accounts that could. */
  unread?: Readonly<Record<string, readonly string[]>>;
  stacks?: readonly string[];
  origin?: string;
  /** Objects that are in no stack, where they are not listed. */
  unlisted?: number;
}

/** The report of a scan that read these accounts and found this. */
export function report(options: ReportOptions): DriftReport {
  const { at, findings = [], accounts = ["acme"], unread = {}, stacks = ["acme/shop/prod"], unlisted = 0 } = options;
  const counts = Object.fromEntries(verdicts.map((verdict) => [verdict, 0])) as Record<Verdict, number>;
  for (const { verdict } of findings) counts[verdict]++;
  counts.unmanaged += unlisted;
  return {
    schemaVersion: 1,
    tool: { name: "modelplatform", version: "1.2.3" },
    startedAt: new Date(Date.parse(at) - 60_000).toISOString(),
    finishedAt: at,
    complete: true,
    drifted: findings.length > 0,
    exitCode: findings.length > 0 ? 2 : 0,
    scope: { stacks: [...stacks], accounts: [...accounts] },
    summary: counts,
    coverage: { managed: 0, total: 0 },
    accounts: accounts.map((account) => ({
      account,
      origin: options.origin ?? origin,
      status: statusOf(unread[account]),
      requests: 7,
      collections: ["deployments", "secrets"].map((name) => ({
        name,
        status: unread[account]?.includes(name) || unread[account]?.length === 0 ? "forbidden" : "read",
        read: 0,
        managed: 0,
        total: 0,
        requests: 1,
      })),
    })),
    findings: [...findings],
  };
}

const statusOf = (unread: readonly string[] | undefined): "read" | "partial" | "forbidden" =>
  unread === undefined ? "read" : unread.length === 0 ? "forbidden" : "partial";

/** The folder of a history, its store, and what it warns of. Removed after the test. */
export function history(options: Partial<HistoryOptions> = {}): {
  folder: string;
  store: HistoryStore;
  warnings: string[];
  /** Another process's. */
  reopened(): HistoryStore;
} {
  const folder = mkdtempSync(join(tmpdir(), "drift-history-"));
  folders.push(folder);
  const warnings: string[] = [];
  const open = (): HistoryStore =>
    openHistory(folder, {
      now: () => Date.parse("2026-03-01T00:00:00Z"),
      sleep: () => Promise.resolve(),
      warn: (warning) => warnings.push(warning),
      ...options,
    });
  return { folder, store: open(), warnings, reopened: open };
}

const folders: string[] = [];
export const removeFolders = (): void => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
};

/** Every line of a folder, parsed. */
export const linesIn = (folder: string): Record<string, unknown>[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".ndjson"))
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"))
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
