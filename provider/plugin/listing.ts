import { findObject } from "../api/confirm-deleted";
import { items } from "../api/paginate";
import type { Client } from "../api/types";
import type { ResourceSpec } from "../core/declaration/resource";
import { phaseOf } from "../core/declaration/states";
import { listingInputs } from "../core/declaration/surface";
import { ConfigurationError } from "../core/errors";
import { fillTemplate, lastSegment } from "../core/values/names";
import type { Values } from "../lifecycle/types";

/** An object that can be imported. */
export interface ListedResource {
  id: string;
  /** A name for it among a program's resources. */
  name: string;
}

/** What a person asks to list. */
export interface ListRequest {
  query: Values;
  /** Below 1: no limit. */
  limit: number;
}

/** The live objects of a kind in one account, in the order of the service. Reads pages as they are asked for. */
export async function* listResources(
  client: Client,
  spec: ResourceSpec,
  { query, limit }: ListRequest,
): AsyncGenerator<ListedResource, void, undefined> {
  const { accountId, filter } = parseQuery(spec, query);
  const account = accountId ?? client.settings.accountId;
  if (account === undefined)
    throw new ConfigurationError("no account is set", {
      advice: "Give `accountId`, or set `modelplatform:accountId`.",
    });
  const objects = spec.singleton
    ? settingsOf(client, spec, account)
    : items<Values>(client, client.catalogue.require(spec.kind, "list").name, {
        parameters: { account },
        query: filter === undefined ? {} : { filter },
      });
  let left = limit < 1 ? Number.POSITIVE_INFINITY : limit;
  for await (const object of objects) {
    if (phaseOf(spec.lifecycle, object) === "gone") continue;
    const id = String(object["name"]);
    yield { id, name: lastSegment(id) };
    if (--left === 0) return;
  }
}

function parseQuery(spec: ResourceSpec, query: Values): { accountId?: string; filter?: string } {
  const judged = listingInputs(spec).safeParse(query);
  if (judged.success) return judged.data;
  const wrong = judged.error.issues.map((issue) => [issue.path.join("."), issue.message].filter(Boolean).join(": "));
  throw new ConfigurationError(`the arguments for listing ${spec.kind} are invalid: ${wrong.join("; ")}`);
}

/** Settings that were never saved may be answered as missing (A060). */
async function* settingsOf(client: Client, spec: ResourceSpec, account: string): AsyncGenerator<Values> {
  const name = fillTemplate(spec.name, { account });
  const settings = await findObject(client, { spec, name });
  if (settings) yield { ...settings, name };
}
