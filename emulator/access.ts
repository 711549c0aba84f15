import { callerIn } from "./credentials";
import { notFound, permissionDenied, unauthenticated } from "./refusals";
import type { RoutedOperation } from "./routes";
import type { ApiRequest, Caller, Refusal, Role, Settings, StoredObject, World } from "./types";

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
 * another account is public is for `mayRead` to say.
 */
export function authorize(caller: Caller, operation: RoutedOperation, account: string, settings: Settings): void {
  const role = effectiveRole(caller, settings);
  const reads = operation.effect === "read" || operation.effect === "readViaPost";
  if (!reads && !isOwn(caller, account)) throw denied(`accounts/${account}`, settings);
  if (!reads && readOnlyRoles.has(role))
    throw permissionDenied(`\`${operation.name}\` is not allowed for the role \`${caller.role}\``);
  if (!reads && operation.spec.singleton && !adminRoles.has(role))
    throw permissionDenied(`\`${operation.name}\` is allowed for the role \`admin\` only`);
}

/** Presets are not shown: the account's settings say which of the other roles a custom one amounts to (A056). */
export const effectiveRole = ({ role }: Caller, settings: Settings): Role =>
  role === "custom" ? settings.permissionPreset : role;

/** Whether the caller may see the object: its own, public ones, and all of the platform's. */
export const mayRead = (caller: Caller, account: string, object: StoredObject | undefined): boolean =>
  account === platform || isOwn(caller, account) || object?.fields["public"] === true;

/** Refuses access to another account's private objects, in the configured way. */
export const denied = (name: string, settings: Settings): Refusal =>
  settings.denied === 404 ? notFound(name) : permissionDenied(`the API key has no access to ${name}`);
