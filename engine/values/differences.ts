import type { PropertyDiff } from "../events";
import type { PropertyMap, StateValue } from "../state/types";
import { contains, formatPath, type PropertyPath, parsePath } from "./paths";
import { isPlainObject, isSecretValue, mapMembers, ownMember, stripSecrets, unwrapSecret, valuesEqual } from "./values";

export interface PropertyDifference {
  path: PropertyPath;
  kind: PropertyDiff["kind"];
  old: StateValue | undefined;
  new: StateValue | undefined;
  /** A secret is here or above, on either side. */
  secret: boolean;
}

const isPresent = (value: StateValue | undefined): value is StateValue => value !== undefined && value !== null;

/** Where two property maps differ, member by member and element by element. Secrecy alone is no difference. */
export function differences(old: PropertyMap, fresh: PropertyMap): PropertyDifference[] {
  return compare([], old, fresh, false);
}

function compare(
  path: PropertyPath,
  wrappedOld: StateValue | undefined,
  wrappedNew: StateValue | undefined,
  secretAbove: boolean,
): PropertyDifference[] {
  const secret = secretAbove || isSecretValue(wrappedOld) || isSecretValue(wrappedNew);
  const old = wrappedOld === undefined ? undefined : unwrapSecret(wrappedOld);
  const fresh = wrappedNew === undefined ? undefined : unwrapSecret(wrappedNew);
  if (Array.isArray(old) && Array.isArray(fresh)) {
    return Array.from({ length: Math.max(old.length, fresh.length) }).flatMap((_, index) => {
      if (index >= old.length || index >= fresh.length) {
        return [
          {
            path: [...path, index],
            kind: index >= old.length ? "add" : "delete",
            old: old[index],
            new: fresh[index],
            secret,
          } satisfies PropertyDifference,
        ];
      }
      return compare([...path, index], old[index], fresh[index], secret);
    });
  }
  if (isPlainObject(old) && isPlainObject(fresh)) {
    const keys = [...new Set([...Object.keys(old), ...Object.keys(fresh)])].sort();
    return keys.flatMap((key) => compare([...path, key], ownMember(old, key), ownMember(fresh, key), secret));
  }
  if (
    valuesEqual(
      old === undefined ? undefined : stripSecrets(old),
      fresh === undefined ? undefined : stripSecrets(fresh),
    )
  )
    return [];
  return [{ path, kind: differenceKind(isPresent(old), isPresent(fresh)), old, new: fresh, secret }];
}

/** What a difference is, by the sides on which there is a value. */
export function differenceKind(isBefore: boolean, isAfter: boolean): PropertyDiff["kind"] {
  if (!isBefore) return "add";
  return isAfter ? "update" : "delete";
}

/** The top-level names among the differences. */
export function changedKeys(diffs: readonly PropertyDifference[]): string[] {
  return [...new Set(diffs.map(({ path }) => String(path[0])))];
}

/** Seen from the other side: what was added is deleted. */
export function invertDifferences(diffs: readonly PropertyDifference[]): PropertyDifference[] {
  const opposite = { add: "delete", delete: "add", update: "update" } as const;
  return diffs.map((each) => ({ ...each, kind: opposite[each.kind], old: each.new, new: each.old }));
}

const maskValueForDiff = (value: StateValue): StateValue =>
  isSecretValue(value) ? "[secret]" : mapMembers(value, maskValueForDiff);

function displayedSide(value: StateValue | undefined, secret: boolean): StateValue | undefined {
  if (value === undefined) return undefined;
  return secret ? "[secret]" : maskValueForDiff(value);
}

/** As events show them. `replacing`: the keys and paths whose change forces a replacement. */
export function describe(diffs: readonly PropertyDifference[], replacing: readonly string[] = []): PropertyDiff[] {
  const paths = replacing.map(tolerantPath);
  return diffs.map(({ path, kind, old, new: fresh, secret }) => ({
    path: formatPath(path),
    kind,
    old: displayedSide(old, secret),
    new: displayedSide(fresh, secret),
    replaces: paths.some((outer) => contains(outer, path)) || undefined,
  }));
}

/** A provider may name a key that is not a property path; it is then a property's name. */
export function tolerantPath(text: string): PropertyPath {
  try {
    return parsePath(text);
  } catch {
    return [text];
  }
}
