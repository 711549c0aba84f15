/**
 * What Pulumi's wire form puts in place of a value: sentinels for values not known in preview, signature
 * objects for secrets. The constants are those of Pulumi's own serialization
 * (`sdk/nodejs/runtime/rpc.ts`, `sdk/go/common/resource/plugin/rpc.go`).
 */

/** Stands for a value of any type that is known later. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

const unknownSentinels: ReadonlySet<unknown> = new Set([
  unknownValue,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

const signatureKey = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

/** A dynamic provider gets the string sentinel for an unknown of any type; the others are recognised anyway. */
export function isUnknown(value: unknown): boolean {
  return unknownSentinels.has(value);
}

/** Whether an unknown stands anywhere in `value`. */
export function containsUnknown(value: unknown): boolean {
  if (isUnknown(value)) return true;
  if (value === null || typeof value !== "object") return false;
  return Object.values(value).some(containsUnknown);
}

/** Marks `value` as a secret in a dynamic provider's answer; the engine then stores it as ciphertext. */
export function secretValue(value: unknown): Record<string, unknown> {
  return { [signatureKey]: secretSignature, value };
}

export function isSecretValue(value: object): value is { value: unknown } {
  return (value as Record<string, unknown>)[signatureKey] === secretSignature;
}

/** A copy of `value` with every secret's plain value in place and every `undefined` member left out. */
export function plainValue(value: unknown): unknown {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(plainValue);
  if (isSecretValue(value)) return plainValue(value.value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([key, member]) => [key, plainValue(member)]));
}
