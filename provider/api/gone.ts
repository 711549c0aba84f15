import type { ResourceSpec } from "../core/declaration/resource";
import { grpcCodes, isModelPlatformError, isNotFound } from "../core/errors";
import { accountOf, matchTemplate } from "../core/values/names";
import { items } from "./paginate";
import { looksMissing } from "./requests";
import type { CallOptions, Client, Json } from "./types";

type Options = Pick<CallOptions, "as" | "deadline" | "signal">;

interface Met extends Options {
  /** The service has accepted its deletion: the list need only show that the key can read the collection. */
  deleted?: boolean;
}

/**
 * Whether `error`, met on the own URL of the object `name`, means that the object is gone (A093): the service must
 * say so of the object and not of the route, and the list of its collection, read with the same key, must be
 * without it. The list is read once per client and collection, and again where it may be out of date, unless an
 * accepted deletion says why. Rejects where the list cannot be read: nothing is known then.
 */
export async function confirmedGone(
  client: Client,
  spec: ResourceSpec,
  name: string,
  error: unknown,
  { deleted, ...options }: Met = {},
): Promise<boolean> {
  if (!saysMissing(spec, name, error)) return false;
  const listing = spec.operations.list ? spec : parentOf(client, spec);
  if (!listing) return false;
  const parameters = parametersOf(listing, name);
  if (!parameters) return false;
  if (listing !== spec)
    return (await namesIn(client, listing, parameters, withKeyOf(client, name, options), false)).has(
      `accounts/${String(accountOf(name))}`,
    );
  const known = await namesIn(client, listing, parameters, options, false);
  if (!known.has(name) || (deleted && isNotFound(error))) return true;
  return !(await namesIn(client, listing, parameters, options, true)).has(name);
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

/**
 * Takes `names` for the list of a collection, so that it need not be read again before an object that they lack is held
 * gone. They MUST be all names that the list answered just now with the same key and that may still be asked about.
 */
export function rememberList(
  client: Client,
  spec: ResourceSpec,
  account: string,
  names: ReadonlySet<string>,
  as?: string,
): void {
  const lists = listsOf(client);
  lists.set(keyOf(client, spec, { account }, as), { names: Promise.resolve(names), creates: createsOf(client, spec) });
}

interface Listed {
  names: Promise<ReadonlySet<string>>;
  /** Creates sent before the list was read; an older list says nothing about their objects. */
  creates: number;
}

const listed = new WeakMap<Client["ledger"], Map<string, Listed>>();

async function namesIn(
  client: Client,
  listing: ResourceSpec,
  parameters: Record<string, string>,
  options: Options,
  again: boolean,
): Promise<ReadonlySet<string>> {
  const operation = client.catalogue.require(listing.kind, "list");
  const lists = listsOf(client);
  const key = keyOf(client, listing, parameters, options.as);
  const creates = createsOf(client, listing);
  const found = lists.get(key);
  if (found && !again && found.creates === creates) return found.names;
  const names = readNames(client, operation.name, parameters, options);
  lists.set(key, { names, creates });
  names.catch(() => lists.delete(key));
  return names;
}

function listsOf(client: Client): Map<string, Listed> {
  const lists = listed.get(client.ledger) ?? new Map<string, Listed>();
  listed.set(client.ledger, lists);
  return lists;
}

const keyOf = (
  client: Client,
  listing: ResourceSpec,
  parameters: Record<string, string>,
  as: string | undefined,
): string => JSON.stringify([client.catalogue.require(listing.kind, "list").name, parameters, as]);

function createsOf(client: Client, listing: ResourceSpec): number {
  const create = client.catalogue.find(listing.kind, "create");
  return create ? client.ledger.sent({ operation: create.name }) : 0;
}

async function readNames(
  client: Client,
  operation: string,
  parameters: Record<string, string>,
  options: Options,
): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for await (const item of items<Json>(client, operation, { ...options, parameters })) names.add(String(item["name"]));
  return names;
}
