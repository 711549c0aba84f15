import type { ResourceSpec } from "../../core/declaration/resource";
import { isSegment } from "../../core/values/names";
import { containsUnknown, isUnknown } from "../../core/values/unknowns";
import { chosenId, digestOfKey, naturalKey } from "../identity/ids";
import { nameOf } from "../operation/operation";
import type { Values } from "../types";

/** An object that a declaration names as its own, and the inputs by which it does. */
interface Claim {
  /**
   * The same for every declaration of that object: its resource name, or its
   * collection with a digest of the natural key.
   */
  key: string;
  properties: readonly string[];
}

/**
 * The objects that a program's inputs claim: by a chosen id, by a natural key, or as the only one of the account. What
 * is not known yet claims nothing, and neither does an automatic id, which follows from the URN.
 */
export function objectClaims(spec: ResourceSpec, account: unknown, inputs: Values): Claim[] {
  if (typeof account !== "string" || isUnknown(account) || !isSegment(account)) return [];
  if (spec.singleton) return [{ key: nameOf(spec, account, ""), properties: ["accountId"] }];
  return [...claimOfId(spec, account, inputs), ...claimOfKey(spec, account, inputs)];
}

/** The keys of what the inputs claim. Of the inputs they show the account and the id only. */
export const claimsOf = (spec: ResourceSpec, account: unknown, inputs: Values): string[] =>
  objectClaims(spec, account, inputs).map(({ key }) => key);

function claimOfId(spec: ResourceSpec, account: string, inputs: Values): Claim[] {
  const { fields, identity } = spec;
  const given = fields.resourceId && inputs[fields.resourceId.name] !== undefined ? fields.resourceId.name : undefined;
  const property = given ?? (typeof identity.default === "object" ? identity.default.hyphenOf : "");
  if (typeof inputs[property] !== "string" || isUnknown(inputs[property])) return [];
  const id = chosenId(spec, inputs);
  return id !== undefined && isSegment(id) ? [{ key: nameOf(spec, account, id), properties: [property] }] : [];
}

function claimOfKey(spec: ResourceSpec, account: string, inputs: Values): Claim[] {
  const properties = spec.identity.naturalKey ?? [];
  const key = naturalKey(spec, inputs);
  if (key === undefined || properties.some((name) => containsUnknown(inputs[name]))) return [];
  return [{ key: `accounts/${account}/${spec.collection}#${digestOfKey(spec.kind, account, key)}`, properties }];
}
