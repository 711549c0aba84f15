import { hash, timingSafeEqual } from "node:crypto";
import type { ApiRequest, Caller, World } from "./types";

type Keys = World["keys"];

const digest = (text: string): string => hash("sha256", text, "base64");

const indexes = new WeakMap<Keys, Map<string, string>>();

const indexed = (keys: Keys): Map<string, string> => new Map([...keys.keys()].map((key) => [digest(key), key]));

/**
 * Who sends the request, by its bearer key; undefined where the key is missing or not known. Keys are looked up by digest: how long
 * that takes tells nothing of how much of a key was right.
 */
export function callerIn(keys: Keys, headers: ApiRequest["headers"]): Caller | undefined {
  const presented = bearerIn(headers);
  if (presented === undefined) return undefined;
  const wanted = digest(presented);
  const known = ownerOf(keys, indexes.get(keys)?.get(wanted));
  if (known) return known;
  const fresh = indexed(keys);
  indexes.set(keys, fresh);
  return ownerOf(keys, fresh.get(wanted));
}

function ownerOf(keys: Keys, key: string | undefined): Caller | undefined {
  const owner = key === undefined ? undefined : keys.get(key);
  return owner && { account: owner.account, role: owner.role, key: key! };
}

const bearerIn = (headers: ApiRequest["headers"]): string | undefined => /^bearer ([^ ]+)/i.exec(headers["authorization"] ?? "")?.[1];

/** Whether the request carries the token, in a time that does not depend on where they differ. */
export function carriesToken(headers: ApiRequest["headers"], token: string): boolean {
  const presented = bearerIn(headers) ?? headers["x-control-token"] ?? "";
  return timingSafeEqual(Buffer.from(digest(presented)), Buffer.from(digest(token)));
}
