import { fieldAt } from "../../provider/core/fields/places";
import { parsePath } from "../../provider/core/values/paths";
import { specOf } from "../../provider/resources/index";
import { sealed } from "./sealed";

/** What findings of several accounts share: the same text but for the account, the same values in any order. */

/** Stands in the place of the account that a finding is of. */
const ownPlace = "accounts/{account}";

/** A text with `{account}` in the names of the account's own objects. */
export const withoutAccount = (text: string, account: string): string =>
  text.replaceAll(`accounts/${account}/`, `${ownPlace}/`);

/** The same for a reason, which may call the account by its name alone. */
export const reasonWithoutAccount = (reason: string, account: string): string =>
  withoutAccount(reason, account).replaceAll(`\`${account}\``, "`{account}`");

/** The same for every text of a value. */
export function ownAccount(value: unknown, account: string): unknown {
  if (typeof value === "string") return withoutAccount(value, account);
  if (Array.isArray(value)) return value.map((entry) => ownAccount(entry, account));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [withoutAccount(name, account), ownAccount(member, account)]),
  );
}

/**
 * What two values are compared by: nothing of a secret, members in one order, and entries too where a list has none.
 */
export function sharedForm(type: string, path: string, value: unknown, account: string): unknown {
  const isSet = Array.isArray(value) && fieldAt(specOf(type), parsePath(path))?.markers.setOf !== undefined;
  const form = inOneOrder(ownAccount(sealed(value), account));
  return isSet ? (form as unknown[]).map((entry) => JSON.stringify(entry)).sort() : form;
}

function inOneOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOneOrder);
  if (typeof value !== "object" || value === null) return value ?? null;
  const names = Object.keys(value).sort();
  return names.map((name) => [name, inOneOrder((value as Record<string, unknown>)[name])]);
}
