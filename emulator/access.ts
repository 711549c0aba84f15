import { createHash, hash, timingSafeEqual } from "node:crypto";
import { notFound, permissionDenied, unauthenticated } from "./refusals";
import type { RoutedOperation } from "./routes";
import type { ApiError, ApiRequest, Caller, Role, Settings, StoredObject, World } from "./types";

/** The account with what the service itself offers; readable with any key (A003). */
export const platform = "platform";

/** Rights of roles that the reference leaves open: all but this one may write. */
const readOnlyRoles: ReadonlySet<Role> = new Set(["inference-user"]);

/** Only an account's admin changes its account-wide settings (A061). */
const adminRoles: ReadonlySet<Role> = new Set(["admin", "superuser"]);

/** Who sends the request, by its bearer key. */
export function callerOf(world: World, request: ApiRequest): Caller {
  const caller = callerIn(world.keys, request.headers);
  if (caller) return caller;
  throw unauthenticated(
    request.headers["authorization"] === undefined
      ? "the request carries no API key; send `Authorization: Bearer <API_KEY>`"
      : "the API key is not known",
  );
}

/** Whether the account is the caller's own to work in. */
export const isOwn = (caller: Caller, account: string): boolean =>
  caller.role === "superuser" || caller.account === account;

/**
 * Refuses what the caller's account or role may not do. Whether an object of
 * another account is public is for `canRead` to say.
 */
export function authorize(caller: Caller, operation: RoutedOperation, account: string, settings: Settings): void {
  const role = effectiveRole(caller, settings);
  const reads = operation.effect === "read" || operation.effect === "readViaPost";
  if (!reads && !isOwn(caller, account)) throw deniedError(`accounts/${account}`, settings);
  if (!reads && readOnlyRoles.has(role))
    throw permissionDenied(`\`${operation.name}\` is not allowed for the role \`${caller.role}\``);
  if (!reads && operation.spec.singleton && !adminRoles.has(role))
    throw permissionDenied(`\`${operation.name}\` is allowed for the role \`admin\` only`);
}

/** The API does not document presets: the account's settings map a custom role to one of the others (A056). */
export const effectiveRole = ({ role }: Caller, settings: Settings): Role =>
  role === "custom" ? settings.permissionPreset : role;

/** Whether the caller may see the object: its own, public ones, and all of the platform's. */
export const canRead = (caller: Caller, account: string, object: StoredObject | undefined): boolean =>
  account === platform || isOwn(caller, account) || object?.fields["public"] === true;

/** Refuses access to another account's private objects, in the configured way. */
export const deniedError = (name: string, settings: Settings): ApiError =>
  settings.denied === 404 ? notFound(name) : permissionDenied(`the API key has no access to ${name}`);
type Keys = World["keys"];
type Owner = ReturnType<Keys["get"]>;

interface KeyIndex {
  /** Keys by digest. */
  digests: Map<string, string>;
  /** Header values that were right before, so that a read costs no digest. */
  seen: Map<string, { caller: Caller; owner: Owner }>;
}

const digest = (text: string): string => hash("sha256", text, "base64");
const known = new WeakMap<Keys, KeyIndex>();

/** How many header values are remembered. */
const remembered = 10_000;

/**
 * The caller by its bearer key; undefined if the key is missing or unknown. Keys are looked up by digest, and known
 * header values by V8's seeded hash: the time taken reveals nothing about a wrong key.
 */
export function callerIn(keys: Keys, headers: ApiRequest["headers"]): Caller | undefined {
  const header = headers["authorization"] ?? "";
  const seen = known.get(keys)?.seen.get(header);
  if (seen && keys.get(seen.caller.key) === seen.owner) return seen.caller;
  const presented = bearerIn(headers);
  return presented === undefined ? undefined : authenticate(keys, header, digest(presented));
}

function authenticate(keys: Keys, header: string, keyDigest: string): Caller | undefined {
  let { digests, seen } = known.get(keys) ?? { digests: new Map<string, string>(), seen: new Map() };
  if (!keys.has(digests.get(keyDigest) ?? "")) digests = new Map([...keys.keys()].map((key) => [digest(key), key]));
  if (seen.size >= remembered) seen = new Map();
  known.set(keys, { digests, seen });
  const key = digests.get(keyDigest);
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

const loopback = /^(localhost|[a-z0-9-]+\.localhost|\[?::1\]?|127\.\d+\.\d+\.\d+)\.?(:\d+)?$/i;

/** Whether a `Host` header names this machine itself. A foreign page may have another name resolve to it. */
export const isLoopbackHost = (host: string): boolean => loopback.test(host);

/** Where a control request comes from. */
export interface RequestOrigin {
  headers: Readonly<Record<string, string>>;
  /** Address of the other end; undefined for a call within the process. */
  address: string | undefined;
}

const loopbackAddress = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/;

/**
 * Why a request may not control the emulator; undefined if it may. With a token, only its holders may, from anywhere.
 * Without one, only programs of this machine: the host name excludes pages whose name resolves here, the origin all
 * other pages.
 */
export function controlAccessError(
  { headers, address }: RequestOrigin,
  token: string | undefined,
): ApiError | undefined {
  if (address === undefined) return undefined;
  if (token !== undefined)
    return carriesToken(headers, token)
      ? undefined
      : unauthenticated("the control plane asks for its token: `Authorization: Bearer <token>`");
  const host = headers["host"] ?? "";
  if (!loopbackAddress.test(address))
    return permissionDenied(
      "the control plane answers programs of its own machine only; start the emulator with `--control-token` to open it to others",
    );
  if (!isLoopbackHost(host))
    return permissionDenied(`the control plane is not called \`${host}\`; use the address that the emulator printed`);
  const { origin } = headers;
  if (origin !== undefined && origin !== `http://${host}`)
    return permissionDenied(`the control plane takes nothing from pages of \`${origin}\``);
  return undefined;
}

/** How long a signed address holds, in milliseconds of the emulator's clock. */
const validFor = 60 * 60_000;

/** What an address is signed for. */
interface SignedTarget {
  store: "uploads" | "downloads";
  /** Resource name of the model. */
  model: string;
  file: string;
}

/** A signature, different each time (A097). It is stateless, and no protection against a reader of this file. */
export const signatureFor = (signed: SignedTarget, now: number, nonce: string): string =>
  `${now + validFor}.${nonce}.${seal(signed, now + validFor, nonce)}`;

/** Whether the signature is for this and still holds. */
export function isSignatureFor(signed: SignedTarget, signature: string, now: number): boolean {
  const [until = "", nonce = "", sealed] = signature.split(".");
  return Number(until) >= now && sealed === seal(signed, Number(until), nonce);
}

const seal = (signed: SignedTarget, until: number, nonce: string): string =>
  createHash("sha256")
    .update(JSON.stringify([signed.store, signed.model, signed.file, until, nonce]))
    .digest("hex")
    .slice(0, 32);
