import type { ResourceSpec } from "../core/declaration/resource";
import { grpcCodes, isModelPlatformError, isNotFound } from "../core/errors";
import { accountOf, matchTemplate } from "../core/values/names";
import { items } from "./paginate";
import { looksMissing } from "./requests";
import type { CallOptions, Client, Json } from "./types";

type Options = Pick<CallOptions, "as" | "deadline" | "signal">;

interface Met {
  spec: ResourceSpec;
  name: string;
  error: unknown;
  /** The service has accepted its deletion: the list need only show that the key can read the collection. */
  deleted?: boolean | undefined;
}

/**
 * Whether `error`, met on the own URL of the object `name`, means that the object is gone (A093): the service must
 * say so of the object and not of the route, and the list of its collection, read with the same key, must be
 * without it. The list is read once per client and collection, and again where it may be out of date, unless an
 * accepted deletion says why. Rejects where the list cannot be read: nothing is known then.
 */
export async function confirmedGone(
  client: Client,
  { spec, name, error, deleted = false }: Met,
  options: Options = {},
): Promise<boolean> {
  if (!saysMissing(spec, name, error)) return false;
  const listing = spec.operations.list ? spec : parentOf(client, spec);
  if (!listing) return false;
  const parameters = parametersOf(listing, name);
  if (!parameters) return false;
  if (listing !== spec) {
    const accounts = { client, listing, parameters, ...withKeyOf(client, name, options) };
    return (await knownNames(accounts)).has(`accounts/${String(accountOf(name))}`);
  }
  const collection = { client, listing, parameters, ...options };
  if (!(await knownNames(collection)).has(name) || (deleted && isNotFound(error))) return true;
  return !(await freshNames(collection)).has(name);
}

/**
 * A 404 with the code of a missing object and a message of its own, or in words that name the object and not its route;
 * or another answer that the spec declares for it (A053).
 */
function saysMissing(spec: ResourceSpec, name: string, error: unknown): boolean {
  if (isNotFound(error)) {
    const message = error.serviceMessage?.trim() ?? "";
    if (error.code !== undefined) return error.code === grpcCodes.NOT_FOUND && !/^not found\.?$/i.test(message);
    return message.includes(name) && !message.includes(`/${name}`);
  }
  return isModelPlatformError(error) && looksMissing({ spec, verb: "get" }, error.status, error.code);
}

/** An object that exists once per account has no list: if the key can read the account, that confirms it (A060). */
function parentOf(client: Client, spec: ResourceSpec): ResourceSpec | undefined {
  return spec.singleton
    ? client.catalogue.operations.find(
        (operation) => operation.verb === "list" && operation.spec.name === "accounts/{account}",
      )?.spec
    : undefined;
}

/** The list of accounts names no account, so the default account's key would read it, which need not see this one. */
function withKeyOf({ settings }: Client, name: string, options: Options): Options {
  const own = accountOf(name);
  return own !== undefined && settings.credentials.some(({ account }) => account === own)
    ? { as: own, ...options }
    : options;
}

/** Parameters of the list that would contain an object. */
function parametersOf(listing: ResourceSpec, name: string): Record<string, string> | undefined {
  const parts = matchTemplate(listing.name, name) ?? (listing.name === "accounts/{account}" ? {} : undefined);
  if (!parts) return undefined;
  const route = listing.operations.list!.route;
  return Object.fromEntries(Object.entries(parts).filter(([parameter]) => route.includes(`{${parameter}}`)));
}

/** A collection as one key reads it. */
interface Collection extends Options {
  client: Client;
  listing: ResourceSpec;
  parameters: Readonly<Record<string, string>>;
}

/**
 * Takes `names` for the list of a collection, so that it need not be read again before an object that they lack is held
 * gone. They MUST be all names that the list answered just now with the same key and that may still be asked about.
 */
export function rememberList(collection: Collection, names: ReadonlySet<string>): void {
  listsOf(collection).set(keyOf(collection), { names: Promise.resolve(names), creates: createsIn(collection) });
}

interface Listed {
  names: Promise<ReadonlySet<string>>;
  /** Creates sent before the list was read; an older list says nothing about their objects. */
  creates: number;
}

const listed = new WeakMap<Client["ledger"], Map<string, Listed>>();

/** The names in a list that was read after the last create. */
function knownNames(collection: Collection): Promise<ReadonlySet<string>> {
  const found = listsOf(collection).get(keyOf(collection));
  return found?.creates === createsIn(collection) ? found.names : freshNames(collection);
}

function freshNames(collection: Collection): Promise<ReadonlySet<string>> {
  const lists = listsOf(collection);
  const key = keyOf(collection);
  const names = readNames(collection);
  lists.set(key, { names, creates: createsIn(collection) });
  names.catch(() => lists.delete(key));
  return names;
}

function listsOf({ client }: Collection): Map<string, Listed> {
  const lists = listed.get(client.ledger) ?? new Map<string, Listed>();
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
  const { client, listing: _, ...options } = collection;
  const names = new Set<string>();
  for await (const item of items<Json>(client, listOperation(collection), options)) names.add(String(item["name"]));
  return names;
}
