import { createHash } from "node:crypto";
import { items } from "../../provider/api/paginate";
import { credentialOf, endpointOf, heldAccounts, isHeld } from "../../provider/api/settings/credentials";
import { baseOf } from "../../provider/api/settings/endpoint";
import type { Client, Json } from "../../provider/api/types";
import { isConfigurationError } from "../../provider/core/errors";
import { lastSegment } from "../../provider/core/values/names";
import { originKey } from "./finding";
import { serviceAccount } from "./recorded-object";
import type { Shard } from "./shard";

/** An account to scan. */
export interface ScanTarget {
  account: string;
  /** Empty where it is not known where the account is. */
  origin: string;
  /** Whose key reads it. */
  as: string;
  /** Why nothing can be read: no key, no address. */
  problem?: unknown;
}

export interface AccountChoice {
  /** Only these, such as those in which something is recorded. */
  accounts: readonly string[];
  /** Also accounts that any available key can list. */
  all: boolean;
}

/**
 * The accounts to scan, in order of their names; for each, where it is and with whose key it is read. Rejects where
 * aborted, and where nothing at all could be read, for want of any key or of an address.
 */
export async function targetsOf(
  client: Client,
  { accounts, all }: AccountChoice,
  options: ListingOptions,
): Promise<ScanTarget[]> {
  const readers = all ? await listedAccounts(client, options) : new Map<string, string>();
  const requestedAccounts = new Set([...accounts, ...readers.keys()]);
  const targets = [...requestedAccounts].sort().map((account) => targetOf(client, account, readers.get(account)));
  if (targets.length > 0 && targets.every(({ problem }) => problem !== undefined)) throw targets[0]!.problem;
  return targets;
}

interface ListingOptions {
  deadline: number;
  signal: AbortSignal;
  /** The part of the accounts that is scanned. */
  shard?: Shard | undefined;
}

function targetOf({ settings }: Pick<Client, "settings">, account: string, reader?: string): ScanTarget {
  const as = isHeld(settings, account) ? account : (reader ?? account);
  try {
    return { account, origin: baseOf(endpointOf(settings, credentialOf(settings, as))), as };
  } catch (problem) {
    if (!isConfigurationError(problem)) throw problem;
    return { account, origin: settings.endpoint ? baseOf(settings.endpoint) : "", as, problem };
  }
}

/**
 * By account, the key that lists it. A key that lists none still has its own account. A shard lists with the keys of
 * its own accounts and one other of each origin; only where these list accounts without a key, the others may, too.
 */
async function listedAccounts(client: Client, { shard, ...options }: ListingOptions): Promise<Map<string, string>> {
  const keys = heldAccounts(client.settings);
  const readers = new Map(keys.map((as) => [as, as]));
  const list = async (as: string): Promise<void> => {
    try {
      for await (const { name } of items<Json>(client, "listAccounts", { as, ...options })) {
        const account = lastSegment(String(name));
        if (account !== serviceAccount && !readers.has(account)) readers.set(account, as);
      }
    } catch (error) {
      if (options.signal.aborted) throw error;
    }
  };
  const first = new Set(shard ? listersOf(client, keys, shard) : keys);
  await Promise.all([...first].map(list));
  const others = keys.filter((as) => !first.has(as));
  if (readers.size > keys.length) await Promise.all(others.map(list));
  return readers;
}

function listersOf(client: Client, keys: readonly string[], shard: Shard): string[] {
  const places = keys.map((account) => ({ account, origin: targetOf(client, account).origin }));
  const own = new Set(places.filter((place) => isIn(shard, place)));
  const others = places.filter((place) => !own.has(place)).reverse();
  const oneEach = new Map(others.map(({ origin, account }) => [origin, account]));
  return [...[...own].map(({ account }) => account), ...oneEach.values()];
}

/**
 * Whether an account is in the shard. Each shard bids for each account and the highest bid has it (rendezvous hashing),
 * so that another number of shards moves no more accounts than it must.
 */
export function isIn({ index, count }: Shard, { origin, account }: Pick<ScanTarget, "origin" | "account">): boolean {
  const key = originKey(origin);
  const bid = (number: number): string =>
    createHash("sha256")
      .update(JSON.stringify([number, key, account]))
      .digest("hex");
  const mine = bid(index);
  return Array.from({ length: count }, (_, place) => place + 1).every(
    (number) => number === index || bid(number) < mine,
  );
}

/** Which accounts may be in the shard, while it is not known yet whose key lists them. */
export function mayBeIn(
  shard: Shard,
  client: Pick<Client, "settings">,
  { all }: Pick<AccountChoice, "all">,
): (account: string) => boolean {
  const ofReaders = all ? heldAccounts(client.settings).map((reader) => targetOf(client, reader).origin) : [];
  return (account) => {
    const own = targetOf(client, account).origin;
    const origins = new Set(isHeld(client.settings, account) ? [own] : [own, ...ofReaders]);
    return [...origins].some((origin) => isIn(shard, { origin, account }));
  };
}
