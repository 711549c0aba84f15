import { createHash } from "node:crypto";
import type { ScanTarget } from "./accounts";
import { originKey } from "./finding";

/** One of `count` parts of a scan that share its accounts among themselves. */
export interface Shard {
  /** From 1 to `count`. */
  index: number;
  count: number;
}

/** Reads `i/n`; undefined where the text is none. */
export function parseShard(text: string): Shard | undefined {
  const [, index, count] = (/^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? []).map(Number);
  return index !== undefined && count !== undefined && index >= 1 && index <= count ? { index, count } : undefined;
}

export const shardText = ({ index, count }: Shard): string => `${index}/${count}`;

/**
 * Whether an account is in the shard. Each shard bids for each account and the highest bid has it (rendezvous hashing),
 * so that another number of shards moves no more accounts than it must.
 */
export function isIn({ index, count }: Shard, { origin, account }: Pick<ScanTarget, "origin" | "account">): boolean {
  const bid = (number: number): string =>
    createHash("sha256")
      .update(JSON.stringify([number, originKey(origin), account]))
      .digest("hex");
  const mine = bid(index);
  return Array.from({ length: count }, (_, place) => place + 1).every(
    (number) => number === index || bid(number) < mine,
  );
}
