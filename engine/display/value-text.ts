import type { PropertyMap, StateValue } from "../state/types";
import { formatPath, type PropertyPath } from "../values/paths";
import {
  isArchive,
  isAsset,
  isOutput,
  isPlainObject,
  isReference,
  isSecretValue,
  isUnknown,
  mapMembers,
} from "../values/values";
import { clean } from "./text";

const secretText = "[secret]";
const computedText = "<computed>";
// Shown without quotes.
const bare: ReadonlySet<string> = new Set([secretText, computedText]);

/** Inputs that the SDK or a provider keeps for itself start with two underscores. */
export const isHidden = (path: string): boolean => path.startsWith("__");

/**
 * The value with secrets and unknowns as `[secret]` and `<computed>`, and no signature object
 * left. Takes what events carry: JSON, or nothing.
 */
export function mask(input: unknown): StateValue {
  const value = (input ?? null) as StateValue;
  if (isSecretValue(value)) return secretText;
  if (isUnknown(value)) return computedText;
  if (isOutput(value) && value["secret"] === true) return secretText;
  if (isOutput(value)) return "value" in value ? mask(value["value"] ?? null) : computedText;
  if (isAsset(value)) return value["path"] ?? value["uri"] ?? "text asset";
  if (isArchive(value)) return value["path"] ?? value["uri"] ?? "archive";
  if (isReference(value)) return value["urn"] ?? null;
  return mapMembers(value, mask);
}

/** A resource's visible properties, masked. */
export function maskProperties(properties: PropertyMap | undefined): PropertyMap {
  return Object.fromEntries(
    Object.entries(properties ?? {}).flatMap(([key, value]) => (isHidden(key) ? [] : [[key, mask(value)]])),
  );
}

const keyText = (key: string): string => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key));

function valueText(value: StateValue): string {
  if (typeof value === "string") return bare.has(value) ? value : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(valueText).join(", ")}]`;
  if (value === null || typeof value !== "object") return String(value);
  const members = Object.entries(value).map(([key, inner]) => `${keyText(key)}: ${valueText(inner)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** The value on one line, as a program would write it. */
export const formatValue = (value: unknown): string => clean(valueText(mask(value)));

/**
 * Every leaf of a masked value by its property path (`rules[0].model`, `labels["a.b"]`). Empty collections are leaves.
 */
export function leaves(value: StateValue): Map<string, StateValue> {
  return new Map(walk([], value).map(([path, leaf]) => [formatPath(path), leaf]));
}

function walk(path: PropertyPath, value: StateValue): [PropertyPath, StateValue][] {
  if (Array.isArray(value) && value.length > 0) return value.flatMap((member, index) => walk([...path, index], member));
  const members = isPlainObject(value) ? Object.entries(value) : [];
  return members.length === 0 ? [[path, value]] : members.flatMap(([key, member]) => walk([...path, key], member));
}
