import type { ResourceSpec } from "../core/declaration/resource";
import { isModelPlatformError } from "../core/errors";
import { accountOf, fillTemplate } from "../core/values/names";
import { items } from "./paginate";
import type { ApiOperation, CallOptions, Client, Json } from "./types";

type Options = Pick<CallOptions, "as" | "deadline" | "signal">;

/** What a client has seen of a service. */
interface Sight {
  /** Reads by name that have been answered with an object, each with the last object. */
  answered: Map<string, { operation: string; name: string }>;
  /** By account and key: when the account was last looked for, in milliseconds since 1970, and whether it was seen. */
  accounts: Map<string, { at: number; isSeen: Promise<boolean> }>;
}

/** Milliseconds for which an account that was seen needs no further request. */
const lookHolds = 10_000;

const sights = new WeakMap<Client["ledger"], Sight>();

function sightOf({ ledger }: Pick<Client, "ledger">): Sight {
  const sight = sights.get(ledger) ?? { answered: new Map(), accounts: new Map() };
  sights.set(ledger, sight);
  return sight;
}

const readKey = (kind: string, account: string | undefined): string => JSON.stringify([kind, account]);

/** Remembers that a read by name was answered. */
export function noteAnswer(client: Pick<Client, "ledger">, operation: ApiOperation, { name }: Json): void {
  if (operation.verb !== "get" || typeof name !== "string") return;
  const { answered } = sightOf(client);
  answered.set(readKey(operation.kind, accountOf(name)), { operation: operation.name, name });
}

/** Whether objects of the kind have been read in the account of `name`. */
export const hasAnswered = (client: Client, { kind }: ResourceSpec, name: string): boolean =>
  sightOf(client).answered.has(readKey(kind, accountOf(name)));

/**
 * Whether the key sees the account of the object `name`: the list of accounts has it, or it can be read, or another
 * object of it that was live a moment ago still can.
 */
export function seesAccount(client: Client, name: string, options: Options): Promise<boolean> {
  const account = accountOf(name);
  if (account === undefined) return Promise.resolve(false);
  const { accounts } = sightOf(client);
  const own = withKeyOf(client, account, options);
  const key = JSON.stringify([account, own.as]);
  const last = accounts.get(key);
  if (last && client.now() - last.at < lookHolds) return last.isSeen;
  const isSeen = look(client, account, name, own);
  accounts.set(key, { at: client.now(), isSeen });
  isSeen.then(
    (seen) => seen || accounts.delete(key),
    () => accounts.delete(key),
  );
  return isSeen;
}

async function look(client: Client, account: string, except: string, options: Options): Promise<boolean> {
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
  const others = [...sightOf(client).answered.values()].filter(
    (each) => each.name !== except && accountOf(each.name) === account,
  );
  for (const other of others) if (await succeeds(() => read(other.operation, other.name))) return true;
  return false;
}

/** A refusal is no sight; no answer at all is an error. */
async function succeeds(look: () => Promise<boolean>): Promise<boolean> {
  try {
    return await look();
  } catch (error) {
    if (isModelPlatformError(error) && error.status !== undefined) return false;
    throw error;
  }
}

/** The list of accounts names no account, so the default account's key would read it, which need not see this one. */
const withKeyOf = ({ settings }: Client, account: string, options: Options): Options =>
  settings.credentials.some((credential) => credential.account === account)
    ? { ...options, as: options.as ?? account }
    : options;
