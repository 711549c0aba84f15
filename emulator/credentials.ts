import { hash, timingSafeEqual } from "node:crypto";
import type { ApiRequest, Caller, World } from "./types";

type Keys = World["keys"];
type Owner = ReturnType<Keys["get"]>;

interface Known {
  /** Keys by digest. */
  digests: Map<string, string>;
  /** Header values that were right before, so that a read costs no digest. */
  seen: Map<string, { caller: Caller; owner: Owner }>;
}

const digest = (text: string): string => hash("sha256", text, "base64");

const known = new WeakMap<Keys, Known>();

/** How many header values are remembered. */
const remembered = 10_000;

/**
 * Who sends the request, by its bearer key; undefined where the key is missing or not known. Keys are looked
 * up by digest, and header values that were right before by V8's seeded hash: how long that takes tells
 * nothing of how much of a wrong key was right.
 */
export function callerIn(keys: Keys, headers: ApiRequest["headers"]): Caller | undefined {
  const header = headers["authorization"] ?? "";
  const seen = known.get(keys)?.seen.get(header);
  if (seen && keys.get(seen.caller.key) === seen.owner) return seen.caller;
  const presented = bearerIn(headers);
  return presented === undefined ? undefined : identified(keys, header, digest(presented));
}

function identified(keys: Keys, header: string, wanted: string): Caller | undefined {
  let { digests, seen } = known.get(keys) ?? { digests: new Map<string, string>(), seen: new Map() };
  if (!keys.has(digests.get(wanted) ?? "")) digests = new Map([...keys.keys()].map((key) => [digest(key), key]));
  if (seen.size >= remembered) seen = new Map();
  known.set(keys, { digests, seen });
  const key = digests.get(wanted);
  const owner = key === undefined ? undefined : keys.get(key);
  if (!owner) return undefined;
  const caller = { account: owner.account, role: owner.role, key: key! };
  seen.set(header, { caller, owner });
  return caller;
}

const bearerIn = (headers: ApiRequest["headers"]): string | undefined =>
  /^bearer ([^ ]+)/i.exec(headers["authorization"] ?? "")?.[1];

/** Whether the request carries the token, compared in constant time. */
export function carriesToken(headers: ApiRequest["headers"], token: string): boolean {
  const presented = bearerIn(headers) ?? headers["x-control-token"] ?? "";
  return timingSafeEqual(Buffer.from(digest(presented)), Buffer.from(digest(token)));
}
