import type { ResourceSpec } from "../core/declaration/resource";
import {
  grpcCodes,
  isForbidden,
  isMissing,
  isModelPlatformError,
  isUnsupportedOperation,
  UnsupportedOperationError,
} from "../core/errors";
import { accountOf, fillTemplate, matchTemplate } from "../core/values/names";
import { memoizeByKey } from "../core/values/once";
import { items } from "./paginate";
import { RequestLedger } from "./request-log";
import { isHeld } from "./settings/credentials";
import type { CallOptions, Client, Json } from "./types";

/** A collection as one key lists it. */
interface Collection extends Options {
  client: Client;
  listing: ResourceSpec;
  parameters: Readonly<Record<string, string>>;
  /** The service has accepted the deletion of the object: its list need not prove it alone. */
  deleted?: boolean | undefined;
}

/** The list that would contain an object. */
interface NamedList extends Collection {
  /** The object by a list that is read after this call; undefined if that lacks it. */
  find(name: string): Promise<Json | undefined>;
}

/** The list that would contain the object `name`; undefined if the kind has none, or the settings turn it off. */
export function listOf(
  client: Client,
  spec: ResourceSpec,
  name: string,
  options: Options & Pick<Collection, "deleted">,
): NamedList | undefined {
  const list = client.catalogue.find(spec.kind, "list");
  const parts = matchTemplate(spec.name, name);
  if (!list || !parts) return undefined;
  const parameters = Object.fromEntries(Object.entries(parts).filter(([key]) => list.path.includes(`{${key}}`)));
  const collection = { client, listing: spec, parameters, ...options };
  return { ...collection, find: (sought) => findIn(collection, sought) };
}

/**
 * Caches `names` as the list of a collection, so that it need not be read again to confirm that an object is deleted.
 * They MUST be all names that the list just returned for the same key and that may still be asked about.
 */
export function rememberList(collection: Collection, names: ReadonlySet<string>): void {
  listsOf(collection).set(keyOf(collection), { names: Promise.resolve(names), creates: createsIn(collection) });
}

/** Nothing more is asked of the collection. */
export function forgetList(collection: Collection): void {
  listsOf(collection).delete(keyOf(collection));
}

interface CachedNames {
  names: Promise<ReadonlySet<string>>;
  /** Creates sent before the list was read; an older list proves nothing about their objects. */
  creates: number;
}

const listed = new WeakMap<Client["ledger"], Map<string, CachedNames>>();

/** The names in a list that was read after the last create. */
function knownNames(collection: Collection): Promise<ReadonlySet<string>> {
  const cached = listsOf(collection).get(keyOf(collection));
  return cached?.creates === createsIn(collection) ? cached.names : freshNames(collection);
}

function freshNames(collection: Collection): Promise<ReadonlySet<string>> {
  return cacheNames(collection, readNames(collection));
}

function cacheNames(collection: Collection, names: Promise<ReadonlySet<string>>): Promise<ReadonlySet<string>> {
  const lists = listsOf(collection);
  const key = keyOf(collection);
  lists.set(key, { names, creates: createsIn(collection) });
  names.catch(() => lists.delete(key));
  return names;
}

/** Reads the list until it has the object; if it never does, caches its names. */
async function findIn(collection: Collection, name: string): Promise<Json | undefined> {
  const names = new Set<string>();
  for await (const item of objectsIn(collection)) {
    if (item["name"] === name) return item;
    names.add(String(item["name"]));
  }
  rememberList(collection, names);
  return undefined;
}

function listsOf({ client }: Collection): Map<string, CachedNames> {
  const lists = listed.get(client.ledger) ?? new Map<string, CachedNames>();
  listed.set(client.ledger, lists);
  return lists;
}

const listOperation = ({ client, listing }: Collection): string => client.catalogue.require(listing.kind, "list").name;

const keyOf = (collection: Collection): string =>
  JSON.stringify([listOperation(collection), collection.parameters, collection.as]);

function createsIn({ client, listing }: Collection): number {
  const create = client.catalogue.find(listing.kind, "create");
  return create ? client.ledger.sent({ operation: create.name }) : 0;
}

async function readNames(collection: Collection): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for await (const item of objectsIn({ ...collection, decides: () => false })) names.add(String(item["name"]));
  return names;
}

const objectsIn = (collection: Collection): AsyncIterable<Json> => {
  const { client, parameters, as, deadline, signal, deleted, decides } = collection;
  const provesAbsence = deleted !== true;
  return items<Json>(client, listOperation(collection), { parameters, as, deadline, signal, provesAbsence, decides });
};

type Options = Pick<CallOptions, "as" | "deadline" | "signal" | "decides">;

interface Lookup {
  spec: ResourceSpec;
  name: string;
  /** The service has accepted its deletion. */
  deleted?: boolean | undefined;
  /** Nothing is expected there, as before its creation. */
  absent?: boolean | undefined;
}

/**
 * The object `name`; undefined if confirmed deleted (A093). Reads its own path, or the list of its collection if the
 * setting `operations` turns that read off. Throws if neither can decide.
 */
export async function findObject(client: Client, sought: Lookup, options: Options = {}): Promise<Json | undefined> {
  const { spec, name } = sought;
  const get = client.catalogue.find(spec.kind, "get");
  if (!get) return findInList(client, sought, options);
  const read = async (): Promise<Json> => (await client.call(get.name, { ...options, parameters: { name } })).value;
  try {
    return await read();
  } catch (error) {
    if (await confirmAbsent(client, { ...sought, error }, options)) return undefined;
    // The list may have an object that somebody has created since.
    if (isMissing(error)) return read();
    // A key that is not accepted at all does not concern this read alone.
    const isRefused = isModelPlatformError(error) && error.status === 403;
    const isUnanswered = isRefused || isUnsupportedOperation(error);
    if (isUnanswered && !sought.absent) return findListed(client, sought, options, error);
    throw error;
  }
}

/**
 * The list decides where the service answers no read by name. That it lacks an object is absence if there is no such
 * read at all; where the read is refused, the object may be hidden from this key.
 */
async function findListed(client: Client, sought: Lookup, options: Options, error: unknown): Promise<Json | undefined> {
  const { spec, name, deleted } = sought;
  const list = listOf(client, spec, name, { ...options, deleted });
  const listed = await list?.find(name).catch(() => undefined);
  if (!list || (!listed && isForbidden(error))) throw error;
  client.remark?.(`${spec.kind}: the service answers no read by name, so that its list decides`);
  return listed ?? findInList(client, sought, options);
}

/**
 * Whether `error`, met at the path of the object `name`, means that the object is deleted, or never existed (A093). Two
 * of three observations prove it: nothing is expected there, because the service accepted its deletion or because it is
 * about to be created; its path responds with 404 or 410; a fresh list lacks it. A kind without a list has its path
 * alone. The key must still see the account, so that a key without rights, on a service that hides what it may not see,
 * empties no state. Rejects if the list or the account cannot be read.
 */
export async function confirmAbsent(
  client: Client,
  { spec, name, error, deleted: wasDeleted = false, absent = false }: Lookup & { error: unknown },
  options: Options = {},
): Promise<boolean> {
  const evidence = evidenceOf(spec, name, error);
  if (evidence === undefined) return wasDeleted && isForbidden(error) && isUnlisted(client, spec, name, options);
  const deleted = wasDeleted || absent;
  const isKnownPath =
    evidence === "object" ||
    seenBy(client)?.hasRead(spec.kind, name) === true ||
    (deleted && isReadWhereDeleted(client, spec));
  if (deleted && isKnownPath) return true;
  const list = listOf(client, spec, name, { ...options, deleted });
  if (!list) return (isKnownPath || spec.singleton === true) && canReadAccount(client, name, options);
  const names = await namesWithout(list, name);
  if (!names) return false;
  const [other] = names;
  if (deleted) return true;
  if (other === undefined) return canReadAccount(client, name, options);
  return isKnownPath || respondsAt(client, spec, other, options);
}

/** A service may respond with 403 for a deleted object: the accepted deletion and the list are two of three. */
async function isUnlisted(client: Client, spec: ResourceSpec, name: string, options: Options): Promise<boolean> {
  const list = listOf(client, spec, name, { ...options, deleted: true });
  return list !== undefined && (await namesWithout(list, name)) !== undefined;
}

/** The listed names if they lack `name`; read again if they have it, because they may be stale. */
async function namesWithout(list: NamedList, name: string): Promise<ReadonlySet<string> | undefined> {
  const known = await knownNames(list);
  const names = known.has(name) ? await freshNames(list) : known;
  return names.has(name) ? undefined : names;
}

/** What a rejected read proves: that the object does not exist, or only that nothing is at its path. */
function evidenceOf(spec: ResourceSpec, name: string, error: unknown): "object" | "path" | undefined {
  if (!isModelPlatformError(error)) return undefined;
  if ((spec.missingAnswers ?? []).some(({ status, code }) => status === error.status && code === error.grpcCode))
    return "object";
  if (!isMissing(error) || (error.grpcCode !== undefined && error.grpcCode !== grpcCodes.NOT_FOUND)) return undefined;
  const message = error.serviceMessage?.trim() ?? "";
  const speaksOfIt =
    error.grpcCode === undefined
      ? message.includes(name) && !message.includes(`/${name}`)
      : !/^not found\.?$/i.test(message);
  return speaksOfIt ? "object" : "path";
}

/** The read uses the path that has accepted the deletion. */
const isReadWhereDeleted = ({ catalogue }: Client, { kind }: ResourceSpec): boolean =>
  catalogue.find(kind, "get")?.path === catalogue.find(kind, "delete")?.path;

/** Whether objects of the kind can be read at their paths at all: `name` is a listed one. */
async function respondsAt(client: Client, spec: ResourceSpec, name: string, options: Options): Promise<boolean> {
  try {
    await client.call(client.catalogue.require(spec.kind, "get").name, { ...options, parameters: { name } });
    return true;
  } catch (error) {
    if (isModelPlatformError(error) && error.status !== undefined) return false;
    throw error;
  }
}

/** Without a read at its own path, only the list shows an object. */
async function findInList(
  client: Client,
  { spec, name, deleted }: Lookup,
  options: Options,
): Promise<Json | undefined> {
  const list = listOf(client, spec, name, { ...options, deleted });
  if (!list) {
    if (deleted) return undefined;
    throw unreadableError(spec, name);
  }
  const object = await list.find(name);
  if (object) return object;
  const isOthers = (await knownNames(list)).size > 0;
  if (deleted || isOthers || (await canReadAccount(client, name, options))) return undefined;
  throw new UnsupportedOperationError(`${name} is in no list, and the account \`${accountOf(name)}\` cannot be read`, {
    advice: "Check whose key this is: it may have lost its rights.",
  });
}

const unreadableError = ({ kind }: ResourceSpec, name: string): UnsupportedOperationError =>
  new UnsupportedOperationError(
    `${name} cannot be read: the setting \`operations\` turns both \`get${kind}\` and the list of its kind off`,
    { advice: "What is recorded of it counts; if the service has one of the two, remove its `off`." },
  );

/** Milliseconds for which a visible account needs no further request. */
const accountCheckTtlMs = 10_000;

/** When an account was last checked, in milliseconds since 1970, and whether it was visible, by account and key. */
type AccountChecks = Map<string, { at: number; isSeen: Promise<boolean> }>;

const accountChecks = memoizeByKey((_: Client["ledger"]): AccountChecks => new Map());

/** A client from elsewhere keeps no record of what it has seen. */
const seenBy = ({ ledger }: Client): RequestLedger | undefined =>
  ledger instanceof RequestLedger ? ledger : undefined;

/**
 * Whether the key sees the account of the object `name`: the list of accounts has it, or it can be read, or another of
 * its objects that was live a moment ago still can.
 */
function canReadAccount(client: Client, name: string, options: Options): Promise<boolean> {
  const account = accountOf(name);
  if (account === undefined) return Promise.resolve(false);
  const accounts = accountChecks(client.ledger);
  const own = withKeyOf(client, account, options);
  const key = JSON.stringify([account, own.as]);
  const last = accounts.get(key);
  if (last && client.now() - last.at < accountCheckTtlMs) return last.isSeen;
  const isSeen = probeAccount(client, account, name, own);
  accounts.set(key, { at: client.now(), isSeen });
  isSeen.then(
    (seen) => seen || accounts.delete(key),
    () => accounts.delete(key),
  );
  return isSeen;
}

async function probeAccount(client: Client, account: string, except: string, options: Options): Promise<boolean> {
  const accounts = client.catalogue.operations.filter(({ spec }) => spec.name === "accounts/{account}");
  const list = accounts.find(({ verb }) => verb === "list");
  const get = accounts.find(({ verb }) => verb === "get");
  const name = fillTemplate("accounts/{account}", { account });
  const isListed = async (): Promise<boolean> => {
    for await (const item of items<Json>(client, list!.name, options)) if (item["name"] === name) return true;
    return false;
  };
  const read = async (operation: string, read: string): Promise<boolean> => {
    await client.call(operation, { ...options, parameters: { name: read } });
    return true;
  };
  if (list && (await succeeds(isListed))) return true;
  if (get && (await succeeds(() => read(get.name, name)))) return true;
  const others = seenBy(client)?.hasReadOther(except) ?? [];
  for (const other of others) if (await succeeds(() => read(other.operation, other.name))) return true;
  return false;
}

/** A rejection counts as not visible; no response at all is an error. */
async function succeeds(look: () => Promise<boolean>): Promise<boolean> {
  try {
    return await look();
  } catch (error) {
    if (isModelPlatformError(error) && error.status !== undefined) return false;
    throw error;
  }
}

/**
 * The list of accounts names no account, so it would be read with the default account's key, which may not see this
 * one.
 */
const withKeyOf = ({ settings }: Client, account: string, options: Options): Options =>
  isHeld(settings, account) ? { ...options, as: options.as ?? account } : options;
