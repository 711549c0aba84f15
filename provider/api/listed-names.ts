import type { ResourceSpec } from "../core/declaration/resource";
import { matchTemplate } from "../core/values/names";
import { items } from "./paginate";
import type { CallOptions, Client, Json } from "./types";

/** A collection as one key lists it. */
interface Collection extends Pick<CallOptions, "as" | "deadline" | "signal"> {
  client: Client;
  listing: ResourceSpec;
  parameters: Readonly<Record<string, string>>;
  /** The service has accepted the deletion of the object: its list need not prove it alone. */
  deleted?: boolean | undefined;
}

/** The list that would contain an object. */
export interface NamedList extends Collection {
  /** The object as a list shows it that is read after this call; undefined where it does not. */
  find(name: string): Promise<Json | undefined>;
}

/** The list that would contain the object `name`; undefined where the kind has none, or the settings turn it off. */
export function listOf(
  client: Client,
  spec: ResourceSpec,
  name: string,
  options: Pick<Collection, "as" | "deadline" | "signal" | "deleted">,
): NamedList | undefined {
  const list = client.catalogue.find(spec.kind, "list");
  const parts = matchTemplate(spec.name, name);
  if (!list || !parts) return undefined;
  const parameters = Object.fromEntries(Object.entries(parts).filter(([key]) => list.path.includes(`{${key}}`)));
  const collection = { client, listing: spec, parameters, ...options };
  return { ...collection, find: (sought) => findIn(collection, sought) };
}

/**
 * Takes `names` for the list of a collection, so that it need not be read again before an object that they lack is held
 * gone. They MUST be all names that the list answered just now with the same key and that may still be asked about.
 */
export function rememberList(collection: Collection, names: ReadonlySet<string>): void {
  listsOf(collection).set(keyOf(collection), { names: Promise.resolve(names), creates: createsIn(collection) });
}

interface CachedNames {
  names: Promise<ReadonlySet<string>>;
  /** Creates sent before the list was read; an older list says nothing about their objects. */
  creates: number;
}

const listed = new WeakMap<Client["ledger"], Map<string, CachedNames>>();

/** The names in a list that was read after the last create. */
export function knownNames(collection: Collection): Promise<ReadonlySet<string>> {
  const cached = listsOf(collection).get(keyOf(collection));
  return cached?.creates === createsIn(collection) ? cached.names : freshNames(collection);
}

export function freshNames(collection: Collection): Promise<ReadonlySet<string>> {
  return cacheNames(collection, readNames(collection));
}

function cacheNames(collection: Collection, names: Promise<ReadonlySet<string>>): Promise<ReadonlySet<string>> {
  const lists = listsOf(collection);
  const key = keyOf(collection);
  lists.set(key, { names, creates: createsIn(collection) });
  names.catch(() => lists.delete(key));
  return names;
}

/** Reads the list until it shows the object; one that never does is known by its names from then on. */
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
  for await (const item of objectsIn(collection)) names.add(String(item["name"]));
  return names;
}

const objectsIn = (collection: Collection): AsyncIterable<Json> => {
  const { client, parameters, as, deadline, signal, deleted } = collection;
  const provesAbsence = deleted !== true;
  return items<Json>(client, listOperation(collection), { parameters, as, deadline, signal, provesAbsence });
};
