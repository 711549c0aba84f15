import { createHash } from "node:crypto";
import Table from "cli-table3";
import type { DriftReport } from "../../drift/scan/document";
import { mergeReports } from "../../drift/scan/merge";
import { isIn } from "../../drift/scan/shard";
import { createScene } from "../drift/support/scene";
import { origin, type RecordedResource, recordedStack } from "../drift/support/stacks";
import type { Values } from "../values";

/**
 * A drift scan over very many accounts, in shards: each is what one machine of a pipeline does, and the last step puts
 * them together. The emulator runs in process with a manual clock, so that the time is the scan's own and the
 * emulator's, without any network. In every account one object has changed, one is gone, and one is nobody's. Then 200
 * and 500 accounts of a few objects, each in one process that knows all of their keys, of 40 letters each.
 */

const accounts = Number(process.env["ACCOUNTS"] ?? "1000");
const objects = Number(process.env["OBJECTS"] ?? "1000");
const shards = Number(process.env["SHARDS"] ?? "10");

const time = "2026-01-01T00:00:00Z";
const all = Array.from({ length: accounts }, (_, index) => `acme-${String(index).padStart(4, "0")}`);

/** A tenth deployments, three tenths secrets, the rest users. */
function objectOf(account: string, index: number): RecordedResource {
  const at = (collection: string): string => `accounts/${account}/${collection}/object-${index}`;
  const inputs: Values =
    index % 10 === 0
      ? { baseModel: "accounts/platform/models/open-8b", minReplicaCount: 0, maxReplicaCount: 2 }
      : index % 10 < 4
        ? { keyName: `KEY_${index}` }
        : { email: `user-${index}@example.com`, role: "inference-user" };
  const [kind, collection] =
    index % 10 === 0 ? ["Deployment", "deployments"] : index % 10 < 4 ? ["Secret", "secrets"] : ["User", "users"];
  return {
    kind: kind!,
    inputs,
    live: { name: at(collection!), ...inputs, state: "READY", createTime: time, updateTime: time },
  };
}

const keyOf = (account: string): string => createHash("sha256").update(account).digest("base64url").slice(0, 40);

interface Measured {
  report: DriftReport;
  /** Of the processor, of scan and emulator. */
  processor: number;
  requests: number;
  seconds: number;
  megabytes: number;
}

async function scanShard(index: number, all: readonly string[], shards: number, objects: number): Promise<Measured> {
  const mine = all.filter((account) => isIn({ index, count: shards }, { account, origin }));
  const scene = createScene({ accounts: mine, keys: keyOf });
  // Every machine knows all stacks, and reads its own accounts.
  const stacks = all.map((account) => {
    if (!mine.includes(account)) return recordedStack([], { project: "fleet", stack: account });
    const recorded = Array.from({ length: objects }, (_, each) => objectOf(account, each));
    // 0 has changed, 10 is gone, and one more is nobody's.
    for (const [each, { live }] of recorded.entries())
      if (each !== 10) scene.put(String(live["name"]), each === 0 ? { ...live, maxReplicaCount: 9 } : live);
    const stray = objectOf(account, objects + 9).live;
    scene.put(String(stray["name"]), stray);
    return recordedStack(recorded, { project: "fleet", stack: account });
  });
  const before = process.memoryUsage().rss;
  let peak = before;
  const started = performance.now();
  const spent = process.cpuUsage();
  const report = await scene.scan(stacks, {
    accounts: all,
    unmanaged: true,
    shard: { index, count: shards },
    onProgress: () => void (peak = Math.max(peak, process.memoryUsage().rss)),
  });
  const { user, system } = process.cpuUsage(spent);
  return {
    report,
    processor: (user + system) / 1e6,
    requests: scene.requests.length,
    seconds: (performance.now() - started) / 1000,
    megabytes: (peak - before) / 2 ** 20,
  };
}

/** Accounts in one process, and how many times the processor time of the fewer the more may take. */
const together = { fewer: 200, more: 500, most: 2.7 };

async function compareTogether(): Promise<void> {
  const { fewer, more, most } = together;
  const spent: number[] = [];
  // The first run is for the compiler.
  for (const count of [fewer, fewer, more]) {
    const accounts = Array.from({ length: count }, (_, index) => `acme-${String(index).padStart(4, "0")}`);
    const { processor, requests } = await scanShard(1, accounts, 1, 5);
    spent.push(processor);
    const figures = `${processor.toFixed(1)} s of processor, ${requests} requests`;
    console.log(`${count} accounts with keys in one process: ${figures}`);
  }
  const ratio = spent[2]! / spent[1]!;
  console.log(`${more} accounts take ${ratio.toFixed(2)} times ${fewer}, at most ${most}`);
  if (ratio > most) process.exitCode = 1;
}

async function main(): Promise<void> {
  await compareTogether();
  const table = new Table({
    head: ["shard", "accounts", "objects", "requests", "per account", "objects/s", "memory, MB"],
    style: { head: [], border: [], compact: true },
  });
  const reports: { file: string; report: DriftReport }[] = [];
  for (let index = 1; index <= shards; index++) {
    const { report, requests, seconds, megabytes } = await scanShard(index, all, shards, objects);
    const count = report.accounts.length;
    reports.push({ file: `shard-${index}.json`, report });
    table.push([
      `${index}/${shards}`,
      count,
      count * objects,
      requests,
      (requests / count).toFixed(1),
      Math.round((count * objects) / seconds),
      megabytes.toFixed(0),
    ]);
    console.error(`shard ${index} of ${shards}: ${count} accounts, ${requests} requests, ${seconds.toFixed(1)} s`);
  }
  console.log(table.toString());
  const merged = mergeReports(reports);
  if ("problem" in merged) throw new Error(merged.problem);
  const { accounts: scanned, summary, coverage, exitCode } = merged.report;
  console.log(
    `together: ${scanned.length} accounts, ${coverage.managed} of ${coverage.total} objects managed, exit code ${exitCode}`,
  );
  console.log(
    Object.entries(summary)
      .filter(([, count]) => (count ?? 0) > 0)
      .map(([verdict, count]) => `${count} ${verdict}`)
      .join(", "),
  );
}

void main();
