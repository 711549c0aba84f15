import { items } from "../api/paginate";
import type { Client } from "../api/types";
import { accountIdOf } from "../api/config";
import { lastSegment } from "../core/names";

export interface AccountFlags {
  account?: readonly string[];
  allAccounts?: boolean;
}

/** The accounts that a command line means, each once: those it names, all that the keys at hand can list, or the default one. */
export async function accountsFor(client: Client, { account = [], allAccounts = false }: AccountFlags): Promise<string[]> {
  const listed = allAccounts ? await everyAccount(client) : [];
  const all = [...new Set([...account, ...listed])];
  return all.length > 0 ? all : [accountIdOf(client.settings)];
}

/** The union of what each key lists; the service's own account is nobody's. */
async function everyAccount(client: Client): Promise<string[]> {
  const lists = client.settings.credentials.map(async ({ account }) => {
    const names: string[] = [];
    for await (const found of items(client, "listAccounts", account === undefined ? {} : { as: account })) names.push(lastSegment(String(found["name"])));
    return names;
  });
  return (await Promise.all(lists)).flat().filter((account) => account !== "platform");
}
