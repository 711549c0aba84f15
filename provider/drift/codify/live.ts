import { items } from "../../api/paginate";
import type { Client } from "../../api/types";
import { isForbidden, isModelPlatformError, isNotFound, ModelPlatformError } from "../../core/errors";
import { accountOf, fillTemplate, matchTemplate } from "../../core/names";
import type { ResourceSpec } from "../../core/resource";

type Values = Readonly<Record<string, unknown>>;

/** An object as the service answered it. */
export interface LiveObject {
  spec: ResourceSpec;
  account: string;
  /** Resource name. */
  name: string;
  fields: Values;
}

/** A collection that could not be read. */
export interface Unread {
  account: string;
  collection: string;
  status: "forbidden" | "error";
  reason: string;
}

export interface Found {
  objects: LiveObject[];
  unread: Unread[];
}

/** Every object of `specs` in the accounts, by list pages; a collection that fails costs its own objects only. Sends reads only. */
export async function liveObjects(client: Client, specs: readonly ResourceSpec[], accounts: readonly string[]): Promise<Found> {
  const read = await Promise.all(accounts.flatMap((account) => specs.map((spec) => collection(client, spec, account))));
  return { objects: read.flatMap(({ objects }) => objects), unread: read.flatMap(({ unread }) => unread) };
}

async function collection(client: Client, spec: ResourceSpec, account: string): Promise<Found> {
  try {
    const all = spec.singleton ? await settings(client, spec, account) : await listed(client, spec, account);
    return { objects: all.map((fields) => liveObject(spec, account, fields)), unread: [] };
  } catch (error) {
    if (!isModelPlatformError(error)) throw error;
    return { objects: [], unread: [{ account, collection: spec.collection, status: isForbidden(error) ? "forbidden" : "error", reason: error.message }] };
  }
}

const liveObject = (spec: ResourceSpec, account: string, fields: Values): LiveObject => ({ spec, account, name: String(fields["name"]), fields });

async function listed(client: Client, spec: ResourceSpec, account: string): Promise<Values[]> {
  const objects: Values[] = [];
  for await (const object of items(client, client.catalogue.require(spec.kind, "list").name, { parameters: { account } })) objects.push(object);
  return objects;
}

/** Settings that were never saved are none (A060). */
async function settings(client: Client, spec: ResourceSpec, account: string): Promise<Values[]> {
  try {
    const { value } = await client.call(client.catalogue.require(spec.kind, "get").name, { parameters: { account } });
    const isSaved = value["updateTime"] !== undefined || spec.fields.message.some(({ name }) => value[name] !== undefined && value[name] !== null);
    return isSaved ? [{ ...value, name: fillTemplate(spec.name, { account }) }] : [];
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

/** The objects of these names. One that no kind has, or that is not there, is an error. */
export async function namedObjects(client: Client, specs: readonly ResourceSpec[], names: readonly string[]): Promise<LiveObject[]> {
  return Promise.all(
    names.map(async (name) => {
      const spec = specs.find((candidate) => matchTemplate(candidate.name, name));
      if (!spec) throw new ModelPlatformError(`${JSON.stringify(name)} names nothing that a program can declare`, { advice: `Names have the form ${specs.map((candidate) => `\`${candidate.name}\``).join(", ")}.` });
      const { value } = await client.call(client.catalogue.require(spec.kind, "get").name, { parameters: { name } });
      return liveObject(spec, accountOf(name)!, { ...value, name });
    }),
  );
}
