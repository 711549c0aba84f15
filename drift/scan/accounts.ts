import { createHash } from "node:crypto";
import { items } from "../../provider/api/paginate";
import { credentialOf, endpointOf, heldAccounts, isHeld } from "../../provider/api/settings/credentials";
import { baseOf } from "../../provider/api/settings/endpoint";
import type { Client, Json } from "../../provider/api/types";
import { isConfigurationError, isModelPlatformError, type ModelPlatformError } from "../../provider/core/errors";
import { lastSegment } from "../../provider/core/values/names";
import type { MissingPart } from "./document";
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
  /** The shards that know of it, by number, while others do not ask the keys that list it. Default: all. */
  sharers?: readonly number[] | undefined;
}

export interface AccountChoice {
  /** Only these, such as those in which something is recorded. */
  accounts: readonly string[];
  /** Those in which something is recorded: every shard knows them. Default: none. */
  recorded?: readonly string[];
  /** Also accounts that any available key can list. */
  all: boolean;
}

export interface ScanTargets {
  targets: ScanTarget[];
  /** Where every key was to list accounts, those whose list failed. */
  unlisted?: readonly string[] | undefined;
}

/**
 * The accounts to scan, in order of their names; for each, where it is and with whose key it is read. Rejects where
 * aborted, and where nothing at all could be read, for want of any key or of an address.
 */
export async function targetsOf(
  client: Client,
  { accounts, recorded = [], all }: AccountChoice,
  options: ListingOptions,
): Promise<ScanTargets> {
  const known = new Set([...accounts, ...recorded, ...heldAccounts(client.settings)]);
  const { readers, sharers, unlisted } = all ? await listedAccounts(client, known, options) : noListing;
  const requestedAccounts = new Set([...accounts, ...readers.keys()]);
  const targets = [...requestedAccounts].sort().map((account) => ({
    ...targetOf(client, account, readers.get(account)),
    ...(sharers && !known.has(account) && { sharers }),
  }));
  if (targets.length > 0 && targets.every(({ problem }) => problem !== undefined)) throw targets[0]!.problem;
  return { targets, unlisted };
}

/** Accounts that only this key would have shown are known to nobody. */
export const missingList = (key: string): MissingPart => ({
  part: "list",
  name: key,
  reason: "it failed, so that accounts which only this key lists are not known",
});

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

interface Listing {
  /** By account, the key that lists it. A key that lists none still has its own account. */
  readers: ReadonlyMap<string, string>;
  sharers?: ScanTarget["sharers"];
  unlisted?: ScanTargets["unlisted"];
}

const noListing: Listing = { readers: new Map() };

/**
 * A shard lists with the keys of its own accounts and one other of each origin, and where these list an account that
 * nothing else names, with all. Only the shards that have listed such an account share them: the others know of none.
 * All list with all keys where an account that every shard knows has no key of its own.
 *
 * A list that fails may have others for another shard: that one may share them, and this one does not for its sake. So
 * no account is in two shards. One that is in none is missing in the merged report, which names the keys that no shard
 * could list with, too: nobody knows what they would have shown.
 */
async function listedAccounts(
  client: Client,
  known: ReadonlySet<string>,
  { shard, ...options }: ListingOptions,
): Promise<Listing> {
  const keys = heldAccounts(client.settings);
  const lists = new Map<string, string[]>();
  const failed = new Set<string>();
  const list = async (as: string): Promise<void> => {
    const accounts: string[] = [];
    lists.set(as, accounts);
    try {
      for await (const { name } of items<Json>(client, "listAccounts", { as, ...options })) {
        const account = lastSegment(String(name));
        if (account !== serviceAccount) accounts.push(account);
      }
    } catch (error) {
      if (options.signal.aborted) throw error;
      if (!isModelPlatformError(error) || !isRefusal(error)) failed.add(as);
    }
  };
  const listsOthers = (as: string): boolean => lists.get(as)!.some((account) => !known.has(account));
  const isWhole = !shard || [...known].some((account) => !isHeld(client.settings, account));
  const first = isWhole ? keys : listersOf(client, keys, shard);
  await Promise.all(first.map(list));
  const isAware = first.some((as) => failed.has(as) || listsOthers(as));
  if (isAware) await Promise.all(keys.filter((as) => !lists.has(as)).map(list));
  const readers = new Map(keys.map((as) => [as, as]));
  for (const as of keys) for (const account of lists.get(as) ?? []) if (!readers.has(account)) readers.set(account, as);
  if (!isWhole && !isAware) return { readers };
  const unlisted = [...failed].sort();
  if (isWhole) return { readers, unlisted };
  const sharers = numbersTo(shard.count).filter((index) =>
    listersOf(client, keys, { ...shard, index }).some(
      (as) => listsOthers(as) || (failed.has(as) && index !== shard.index),
    ),
  );
  return { readers, sharers, unlisted };
}

/** Whether every shard gets this answer: the key may not list. */
const isRefusal = ({ status = 0 }: ModelPlatformError): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 429;

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
export function isIn(
  { index, count }: Shard,
  { origin, account, sharers = numbersTo(count) }: Pick<ScanTarget, "origin" | "account" | "sharers">,
): boolean {
  if (!sharers.includes(index)) return false;
  const key = originKey(origin);
  const bid = (number: number): string =>
    createHash("sha256")
      .update(JSON.stringify([number, key, account]))
      .digest("hex");
  const mine = bid(index);
  return sharers.every((number) => number === index || bid(number) < mine);
}

const numbersTo = (count: number): number[] => Array.from({ length: count }, (_, place) => place + 1);

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
