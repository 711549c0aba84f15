import { isObject, type JsonObject, type PropertyMap, type StateValue, secretSignature } from "../state/resource-state";
import { asSecret, isSecret } from "../state/secrets";

/** The key that distinguishes a signature object from a plain one. Its value is the kind. */
export const signatureKey = secretSignature.key;
const resourceSignature = "5cf8f73096256a8f31e491e813e4eb8e";
const outputSignature = "d0e6a833031e9bbcd3f4e8bde6ca49a4";
const assetSignature = "c44067f5952c0a294b673a41bacd8c17";
const archiveSignature = "0def7320c3a5731c473e5ecbe6d01bc7";

/** Placeholders for unknown values, one per type. The engine itself writes the string's. */
export const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const unknowns = new Set([
  unknown,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

const hasSignature = (value: StateValue | undefined, signature: string): value is JsonObject =>
  isObject(value) && value[signatureKey] === signature;

export const isUnknown = (value: StateValue | undefined): boolean => typeof value === "string" && unknowns.has(value);

export const isAsset = (value: StateValue | undefined): value is JsonObject => hasSignature(value, assetSignature);
export const isArchive = (value: StateValue | undefined): value is JsonObject => hasSignature(value, archiveSignature);

export const isOutput = (value: StateValue | undefined): value is JsonObject => hasSignature(value, outputSignature);
export const isReference = (value: StateValue | undefined): value is JsonObject =>
  hasSignature(value, resourceSignature);

export const isSecretValue = (value: StateValue | undefined): value is JsonObject => isSecret(value);

/** A plain object: not a signature object, whose keys are not properties. */
export const isPlainObject = (value: StateValue | undefined): value is JsonObject =>
  isObject(value) && typeof value[signatureKey] !== "string";

export const makeSecret = (value: StateValue): StateValue => (isSecret(value) ? value : asSecret(value));

/** The value inside however many secret wrappers. */
export function unwrapSecret(value: StateValue): StateValue {
  return isSecretValue(value) ? unwrapSecret(value["value"] ?? null) : value;
}

/**
 * Rebuilds a value with `change` applied to each member of lists, plain objects and signature
 * objects. Keys such as `__proto__` stay keys.
 */
export function mapMembers(value: StateValue, change: (member: StateValue) => StateValue): StateValue {
  if (Array.isArray(value)) return value.map(change);
  return isObject(value) ? mapObject(value, change) : value;
}

export function mapObject<From, To>(
  object: { readonly [key: string]: From },
  change: (member: From) => To,
): { [key: string]: To } {
  return Object.fromEntries(Object.entries(object).map(([key, member]) => [key, change(member)]));
}

function someValue(value: StateValue, test: (inner: StateValue) => boolean): boolean {
  if (test(value)) return true;
  if (Array.isArray(value)) return value.some((member) => someValue(member, test));
  return isObject(value) && Object.values(value).some((member) => someValue(member, test));
}

export const containsUnknowns = (value: StateValue): boolean =>
  someValue(value, (inner) => isUnknown(inner) || (isOutput(inner) && !("value" in inner)));

export const containsSecrets = (value: StateValue): boolean =>
  someValue(value, (inner) => isSecret(inner) || (isOutput(inner) && inner["secret"] === true));

/** The same value without any secret wrapper. */
export function stripSecrets(value: StateValue): StateValue {
  return mapMembers(unwrapSecret(value), stripSecrets);
}

/**
 * Copies secret marks from `source` to the same-named members of `target`; a list with a secret inside becomes secret
 * as a whole.
 */
export function markSecretsLike(target: JsonObject, source: JsonObject): JsonObject {
  const marked = Object.entries(target).map(([key, value]): [string, StateValue] => {
    const like = Object.hasOwn(source, key) ? source[key] : undefined;
    if (like === undefined) return [key, value];
    if (isPlainObject(value) && isPlainObject(like)) return [key, markSecretsLike(value, like)];
    return [key, containsSecrets(like) ? makeSecret(value) : value];
  });
  return Object.fromEntries(marked);
}

const isAbsent = (value: StateValue | undefined): boolean => value === undefined || value === null;

/**
 * Equality as the engine sees it: null and absent members are one, assets
 * are their hashes, references their URN and id.
 */
export function valuesEqual(one: StateValue | undefined, other: StateValue | undefined): boolean {
  if (one === other || (isAbsent(one) && isAbsent(other))) return true;
  if (Array.isArray(one)) {
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((member, index) => valuesEqual(member, other[index]))
    );
  }
  if (!isObject(one) || !isObject(other)) return false;
  if (one[signatureKey] !== other[signatureKey]) return false;
  if (isAsset(one) || isArchive(one)) return typeof one["hash"] === "string" && one["hash"] === other["hash"];
  if (isReference(one)) return one["urn"] === other["urn"] && one["id"] === other["id"];
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every((key) => valuesEqual(ownMember(one, key), ownMember(other, key)));
}

/** A member of the object itself: not an inherited one, such as `constructor`. */
export function ownMember(object: JsonObject, key: string): StateValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

interface PlainValue {
  value: StateValue;
  /** The resources that the outputs inside come from. */
  dependencies: string[];
}

/** Replaces outputs with what they hold: an unknown, a secret or the plain value. */
export function withoutOutputs(value: StateValue): PlainValue {
  const dependencies = new Set<string>();
  const downgrade = (inner: StateValue): StateValue => {
    if (!isOutput(inner)) return mapMembers(inner, downgrade);
    for (const urn of Array.isArray(inner["dependencies"]) ? inner["dependencies"] : []) dependencies.add(String(urn));
    const known = "value" in inner ? downgrade(inner["value"] ?? null) : unknown;
    return inner["secret"] === true ? makeSecret(known) : known;
  };
  return { value: downgrade(value), dependencies: [...dependencies] };
}

/** References as receivers without reference support get them: the id of a custom resource, else the URN. */
export function withoutReferences(value: StateValue): StateValue {
  if (!isReference(value)) return mapMembers(value, withoutReferences);
  const { id, urn } = value;
  if (id === undefined) return urn ?? null;
  return id === "" ? unknown : id;
}

/** The inputs and outputs of a map whose outputs must be secret because the program or an input says so. */
export function markSecretOutputs(
  outputs: PropertyMap,
  inputs: PropertyMap,
  additional: readonly string[],
): PropertyMap {
  const secret = (key: string) => (additional.includes(key) && key !== "id") || isSecretValue(ownMember(inputs, key));
  return Object.fromEntries(
    Object.entries(outputs).map(([key, value]) => [key, secret(key) ? makeSecret(value) : value]),
  );
}

/** The value with the URN of every reference to a resource as `now` has it. */
export function withReferences(value: StateValue, now: (urn: string) => string): StateValue {
  const inner = mapMembers(value, (member) => withReferences(member, now));
  return isReference(inner) && typeof inner["urn"] === "string" ? { ...inner, urn: now(inner["urn"]) } : inner;
}

/** Properties for a receiver that declares what it understands. */
export function forReceiver(properties: PropertyMap, accepts: { secrets: boolean; references: boolean }): PropertyMap {
  return mapObject(properties, (value) => {
    const opened = accepts.secrets ? value : stripSecrets(value);
    return accepts.references ? opened : withoutReferences(opened);
  });
}

/** A provider's result. Throws for unknowns outside a preview. */
export function fromProvider(properties: PropertyMap, what: string, preview: boolean): PropertyMap {
  if (preview) return properties;
  const open = Object.entries(properties).find(([, value]) => isUnknown(value) || containsUnknowns(value));
  if (open)
    throw new Error(`${what} answered an unknown value for the property "${open[0]}"; only a preview may have those`);
  return properties;
}
