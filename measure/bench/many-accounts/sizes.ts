import { tableOf } from "../page";
import type { Scanned } from "./scan";

/** What so many accounts take in one process, and in shards that are merged. */
export interface Costs {
  accounts: number;
  shards: number;
  whole: Scanned;
  merged: Scanned;
}

/** Accounts that one backend and one file of keys are for. */
const group = 10_000;

const timeOf = (seconds: number): string =>
  seconds < 100
    ? `${seconds.toFixed(0)} s`
    : seconds < 5400
      ? `${(seconds / 60).toFixed(0)} min`
      : `${(seconds / 3600).toFixed(1)} h`;

/** How what is measured goes on: each shard reads its accounts, and the states of all others of its backend. */
export function estimates({ accounts, shards, whole, merged }: Costs): string {
  const shard = accounts / shards;
  const perAccount = whole.processor / accounts;
  const perOther = Math.max(0, (merged.processor - whole.processor) / (accounts * (shards - 1)));
  const megabytes = (of: Scanned, count: number): string =>
    `${(((of.printed / accounts) * count) / 1e6).toFixed(1)} MB`;
  const requests = (of: Scanned, count: number): string =>
    Math.round((of.requests / accounts) * count).toLocaleString("en");
  const inShards = (count: number): string[] => {
    const others = count * (Math.min(count, group) - shard);
    const seconds = perAccount * count + (perOther * others) / shard;
    return [timeOf(seconds), requests(merged, count), megabytes(merged, count)];
  };
  const counts = [accounts, group, 10 * group];
  const measured = [timeOf(whole.processor), requests(whole, accounts), megabytes(whole, accounts)];
  return tableOf(
    ["accounts", "how", "processor time", "requests", "report"],
    [
      [accounts.toLocaleString("en"), "one process", ...measured],
      ...counts.map((count) => [
        count.toLocaleString("en"),
        `${Math.ceil(count / shard)} shards, merged`,
        ...inShards(count),
      ]),
    ],
  );
}
