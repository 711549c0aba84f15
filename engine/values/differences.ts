import type { PropertyDiff } from "../events";
import type { JsonObject, PropertyMap, StateValue } from "../state/resource-state";
import {
  isPlainObject,
  isSecretValue,
  makeSecret,
  mapMembers,
  ownMember,
  stripSecrets,
  unwrapSecret,
  valuesEqual,
} from "./values";

/** Names and list positions; the name `*` matches any of them. */
export type PropertyPath = readonly (string | number)[];

const bareName = /^[A-Za-z0-9_]+$/;

/** Reads Pulumi's property-path syntax: `a.b[0]["c d"]`, `list[*].name`. Throws an error with the reason. */
export function parsePath(text: string): PropertyPath {
  const elements: (string | number)[] = [];
  const pathError = (why: string) => new Error(`"${text}" is not a property path: ${why}`);
  if (text.startsWith(".")) throw pathError("it must start with a name or an index");
  for (let rest = text; rest !== ""; ) {
    const quoted = /^\["((?:\\"|[^"])*)"\]/.exec(rest);
    const indexed = /^\[(\d+|\*)\]/.exec(rest);
    const named = /^\.?([^.[]+)/.exec(rest);
    if (quoted) elements.push((quoted[1] ?? "").replaceAll('\\"', '"'));
    else if (indexed) elements.push(indexed[1] === "*" ? "*" : Number(indexed[1]));
    else if (named) elements.push(named[1] ?? "");
    else
      throw pathError(
        rest.startsWith("[") ? "a bracket does not close around a name or an index" : "a name is missing after a dot",
      );
    rest = rest.slice((quoted ?? indexed ?? named)?.[0].length);
    if (rest.startsWith(".[")) rest = rest.slice(1);
  }
  return elements;
}

export function formatPath(path: PropertyPath): string {
  return path
    .map((element, index) => {
      if (typeof element === "number") return `[${element}]`;
      if (!bareName.test(element)) return `["${element.replaceAll('"', '\\"')}"]`;
      return index === 0 ? element : `.${element}`;
    })
    .join("");
}

/** `a.*` contains `a.b.c`. A path that is longer than the other one contains nothing of it. */
export function contains(outer: PropertyPath, inner: PropertyPath): boolean {
  return outer.length <= inner.length && outer.every((element, index) => element === "*" || element === inner[index]);
}

/** The value at a path without `*`, also where it or what surrounds it is secret; undefined if there is none. */
export const valueAt = (properties: PropertyMap, path: PropertyPath): StateValue | undefined =>
  path.reduce<StateValue | undefined>((here, element) => {
    const value = here === undefined ? undefined : unwrapSecret(here);
    if (Array.isArray(value)) return typeof element === "number" ? value[element] : undefined;
    return isPlainObject(value) ? ownMember(value, String(element)) : undefined;
  }, properties);

/**
 * `value`: the new side as far as it could be reset (undefined: the member goes). `fits`:
 * no element of the path is on one side only.
 */
interface Outcome {
  value: StateValue | undefined;
  fits: boolean;
}

interface Sides {
  old: StateValue | undefined;
  new: StateValue | undefined;
  /** Whether a wrapper above is secret, on either side. */
  oldSecret: boolean;
  newSecret: boolean;
}

/**
 * The new properties with the places of `path` as they were in the old ones, as `ignoreChanges` requires. `fits` is
 * false when the path runs through elements that only one side has: those stay as they are.
 */
export function resetPath(
  path: PropertyPath,
  old: PropertyMap,
  fresh: PropertyMap,
): { properties: PropertyMap; fits: boolean } {
  const { value, fits } = reset(path, { old, new: fresh, oldSecret: false, newSecret: false });
  return { properties: isPlainObject(value) ? value : fresh, fits };
}

function reset(path: PropertyPath, wrapped: Sides): Outcome {
  const [key, ...rest] = path;
  const sides: Sides = {
    old: wrapped.old === undefined ? undefined : unwrapSecret(wrapped.old),
    new: wrapped.new === undefined ? undefined : unwrapSecret(wrapped.new),
    oldSecret: wrapped.oldSecret || isSecretValue(wrapped.old),
    newSecret: wrapped.newSecret || isSecretValue(wrapped.new),
  };
  if (key === undefined) return { value: wrapped.new, fits: false };
  const resetNamed = (name: string): Outcome => (name === "*" ? resetAll(rest, sides) : resetMember(name, rest, sides));
  const { value, fits } = typeof key === "number" ? resetElement(key, rest, sides) : resetNamed(key);
  return { value: value !== undefined && isSecretValue(wrapped.new) ? makeSecret(value) : value, fits };
}

/** The end of a path takes the old value; on the way, both sides are searched. */
function step(rest: PropertyPath, sides: Sides, old: StateValue | undefined, fresh: StateValue | undefined): Outcome {
  if (rest.length > 0) return reset(rest, { ...sides, old, new: fresh });
  return { value: old !== undefined && sides.oldSecret && !sides.newSecret ? makeSecret(old) : old, fits: true };
}

function resetElement(index: number, rest: PropertyPath, sides: Sides): Outcome {
  const { old, new: fresh } = sides;
  if (!Array.isArray(old) || !Array.isArray(fresh))
    return { value: fresh, fits: Array.isArray(old) === Array.isArray(fresh) };
  const outside = [index >= old.length, index >= fresh.length];
  if (outside.some(Boolean)) return { value: fresh, fits: rest.length === 0 && outside.every(Boolean) };
  const { value, fits } = step(rest, sides, old[index], fresh[index]);
  return { value: fresh.with(index, value ?? null), fits };
}

function resetMember(key: string, rest: PropertyPath, sides: Sides): Outcome {
  const { old, new: fresh } = sides;
  if (rest.length > 0 && (!isPlainObject(old) || !isPlainObject(fresh)))
    return { value: fresh, fits: isPlainObject(old) === isPlainObject(fresh) };
  const before = isPlainObject(old) ? ownMember(old, key) : undefined;
  if (!isPlainObject(fresh)) return { value: fresh, fits: before === undefined };
  const after = ownMember(fresh, key);
  if (rest.length > 0 && (before === undefined || after === undefined)) return { value: fresh, fits: before === after };
  const { value, fits } = step(rest, sides, before, after);
  return { value: withMember(fresh, key, value), fits };
}

function withMember(object: JsonObject, key: string, value: StateValue | undefined): JsonObject {
  const others = Object.entries(object).filter(([name]) => name !== key);
  return Object.fromEntries(value === undefined ? others : [...others, [key, value]]);
}

function resetAll(rest: PropertyPath, sides: Sides): Outcome {
  const { old, new: fresh } = sides;
  const resetEach = (keys: Iterable<string | number>, fits: boolean): Outcome => {
    let outcome: Outcome = { value: fresh, fits };
    for (const key of keys) {
      const changed: Sides = { ...sides, new: outcome.value };
      const { value, fits: fitsToo } =
        typeof key === "number" ? resetElement(key, rest, changed) : resetMember(key, rest, changed);
      outcome = { value, fits: outcome.fits && fitsToo };
    }
    return outcome;
  };
  if (Array.isArray(old) && Array.isArray(fresh))
    return resetEach(Array.from({ length: Math.min(old.length, fresh.length) }).keys(), old.length === fresh.length);
  if (isPlainObject(old) && isPlainObject(fresh))
    return resetEach(rest.length > 0 ? Object.keys(old) : new Set([...Object.keys(old), ...Object.keys(fresh)]), true);
  return { value: fresh, fits: rest.length === 0 && (Array.isArray(fresh) || isPlainObject(fresh)) };
}

export interface PropertyDifference {
  path: PropertyPath;
  kind: PropertyDiff["kind"];
  old: StateValue | undefined;
  new: StateValue | undefined;
  /** A secret is here or above, on either side. */
  secret: boolean;
}

const isPresent = (value: StateValue | undefined): value is StateValue => value !== undefined && value !== null;

/** Where two property maps differ, member by member and element by element. Secrecy alone is not a difference. */
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

/** The kind of a difference, by the sides that have a value. */
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
