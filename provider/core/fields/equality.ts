import { isDeepStrictEqual } from "node:util";
import { canonicalJson } from "../../../io/text/canonical-json";
import { trimEndOf } from "../../../io/text/trim";
import { memoizeByKey } from "../values/once";
import { containsUnknown, isObject, isUnknown, type Segment, type Values } from "../values/values";
import type { Field } from "./fields";
import { isOwnerKey } from "./owner";

/** One place where what a program wants and what there is are not the same. */
export interface Difference {
  path: readonly Segment[];
  desired: unknown;
  live: unknown;
}

/** An input in the program's spelling, and what the service answered for it when it was last recorded (A047). */
export interface Resolution {
  input: unknown;
  value: unknown;
  /** The value came in response to our own write of the input: it counts as the input until either changes (A033). */
  stands?: true;
}

/**
 * Where `desired` differs from `live`, by the field's own idea of equality. Members of a message that the program does
 * not set are the service's (A049), unless the message is declared `whole`. An unknown differs from everything.
 */
export const differences = (field: Field, desired: unknown, live: unknown, resolution?: Resolution): Difference[] =>
  differencesAt([field.name], field, { desired, live, resolution });

/** The values to compare. */
interface Sides {
  desired: unknown;
  live: unknown;
  resolution?: Resolution | undefined;
}

function differencesAt(path: readonly Segment[], field: Field, sides: Sides): Difference[] {
  const { desired, live, resolution } = sides;
  if (field.markers.volatile || field.markers.inputOnly || field.markers.outputOnly) return [];
  if (isUnknown(desired)) return [{ path, desired, live }];
  if (isUnchangedSinceWrite(field, sides)) return [];
  const clearsZero = desired === null && field.markers.zero === "value" && isThere(live);
  if (isUnset(field, desired) && isUnset(field, live) && !clearsZero) return [];
  if (desired === null && isAsCleared(field, live, resolution)) return [];
  if (field.type === "object") return objectDifferences(path, field, sides);
  if (field.type === "array") return arrayDifferences(path, field, sides);
  if (field.type === "map") return mapDifferences(path, field, sides);
  return scalarsEqual(field, desired, live, resolution) ? [] : [{ path, desired, live }];
}

/** Neither side has changed since an own write of `desired` was answered with `live`. */
const isUnchangedSinceWrite = (field: Field, { desired, live, resolution }: Sides): boolean =>
  resolution?.stands === true &&
  isDeepStrictEqual(resolution.input, desired) &&
  differences(asCompleteMessage(field), resolution.value, live).length === 0;

/** The service's own value fills a field that the program cleared, as it did when that was recorded (A035). */
const isAsCleared = (field: Field, live: unknown, resolution: Resolution | undefined): boolean =>
  resolution?.input === null &&
  isThere(resolution.value) &&
  isThere(live) &&
  differences(field, resolution.value, live).length === 0;

/**
 * Whether what the service answers says anything about what a program gave: not of what
 * it never answers, nor of what cannot change.
 */
export const isCompared = ({ markers }: Field): boolean =>
  !markers.recordedOnly && !markers.inputOnly && !markers.deprecated;

const isThere = (value: unknown): boolean => value !== undefined && value !== null;

/** Whether `value` is what an answer may as well leave out (A094). */
export function isUnset(field: Field, value: unknown): boolean {
  if (!isThere(value)) return true;
  if (typeof value === "string")
    return (
      value === "" ||
      value === field.markers.unsetValue ||
      (field.values !== undefined && value.endsWith("_UNSPECIFIED"))
    );
  if (typeof value === "number") return (field.markers.float32 ? Math.fround(value) : value) === 0;
  if (typeof value !== "object") return value === false;
  const members = Object.entries(value as Values).filter(([, member]) => isThere(member));
  if (field.type !== "object" || field.markers.zero === "value") return members.length === 0;
  return members.every(([name, member]) => {
    const declared = field.fields?.find((candidate) => candidate.name === name);
    return declared !== undefined && isUnset(declared, member);
  });
}

function scalarsEqual(field: Field, desired: unknown, live: unknown, resolution?: Resolution): boolean {
  if (typeof desired === "number" && typeof live === "number")
    return field.markers.float32 ? Math.fround(desired) === Math.fround(live) : desired === live;
  if (typeof desired !== "string" || typeof live !== "string" || desired === live) return desired === live;
  switch (field.markers.sameAs) {
    case "duration":
      return durationSeconds(desired) === durationSeconds(live);
    case "instant":
      return Date.parse(desired) === Date.parse(live);
    // As wide as the services fold: it says that two values are equal, and gives nobody anything.
    case "letterCase":
      return desired.toLowerCase() === live.toLowerCase();
    case "freeText":
      return normalizeText(desired) === normalizeText(live);
    case "resolvedVersion":
      return versionsMatch(field, desired, live, resolution);
    default:
      return field.markers.refersTo !== undefined && isVersionOf(live, desired);
  }
}

/** Services store text in one Unicode form, with line ends of their own and no blanks at the ends. */
export const normalizeText = (text: string): string =>
  text
    .normalize("NFC")
    .replace(/\r\n?/g, "\n")
    .split("\n")
    .map((line) => trimEndOf(line, /[ \t]/))
    .join("\n")
    .trimEnd();

/** A name whose version the program leaves to the service: `…/models/m` is answered as `…/models/m@v1`. */
const isVersionOf = (live: string, name: string): boolean =>
  name !== "" && (live.startsWith(`${name}@`) || live.startsWith(`${name}/versions/`));

/** `live` is `desired`, one of its versions, or what `desired` stood for when it was recorded (A047). */
function versionsMatch(field: Field, desired: string, live: string, resolution?: Resolution): boolean {
  if (resolution?.input === desired) return resolution.value === live;
  if (desired === field.markers.anyValue) return resolution === undefined && live !== "";
  const shape = live.replace(/\/versions\/[^/]+$/, "");
  return desired.includes("/") ? shape === desired : shape.endsWith(`/${desired}`);
}

const unitSeconds: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86400 };

/** Seconds of `300s`, `5m`, `1h`, to the nanosecond; NaN for what is not a duration. */
export function durationSeconds(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text);
  return match ? Number((Number(match[1]) * unitSeconds[match[2]!]!).toFixed(9)) : Number.NaN;
}

/** What a message of the API has for them: `1.5s`. */
export const secondsText = (seconds: number): string => `${seconds.toFixed(9).replace(/\.?0{1,9}$/, "")}s`;

function objectDifferences(path: readonly Segment[], field: Field, { desired, live, resolution }: Sides): Difference[] {
  const [desiredObject, liveObject] = [desired, live ?? {}];
  const isAbsent = field.markers.zero === "value" && isUnset(field, live);
  if (!isObject(desiredObject) || !isObject(liveObject) || isAbsent) return [{ path, desired, live }];
  const declared = (field.fields ?? []).filter(
    (member) => field.markers.whole || Object.hasOwn(desiredObject, member.name),
  );
  const known = declared.flatMap((member) =>
    differencesAt([...path, member.name], asCompleteMember(member, field), {
      desired: desiredObject[member.name],
      live: liveObject[member.name],
      resolution: resolutionOf(member, resolution),
    }),
  );
  const others = Object.keys(desiredObject).filter((name) => !field.fields?.some((member) => member.name === name));
  return [
    ...known,
    ...others.flatMap((name) =>
      textsEqual(desiredObject[name], liveObject[name])
        ? []
        : [{ path: [...path, name], desired: desiredObject[name], live: liveObject[name] }],
    ),
  ];
}

const resolutionOf = ({ name }: { name: string }, resolution: Resolution | undefined): Resolution | undefined =>
  resolution && {
    ...resolution,
    input: (resolution.input as Values | null | undefined)?.[name],
    value: (resolution.value as Values | null | undefined)?.[name],
  };

/** The field with no member that is the service's to fill in: all of them matter. */
export const asCompleteMessage = memoizeByKey(
  (field: Field): Field => ({ ...field, markers: { ...field.markers, whole: true } }),
);

/** Members of a whole message are whole themselves. */
const asCompleteMember = (member: Field, parent: Field): Field =>
  parent.markers.whole ? asCompleteMessage(member) : member;

function mapDifferences(path: readonly Segment[], field: Field, { desired, live, resolution }: Sides): Difference[] {
  const [desiredMap, all] = [desired ?? {}, live ?? {}];
  if (!isObject(desiredMap) || !isObject(all)) return [{ path, desired, live }];
  const prefix = field.markers.keyPrefix ?? "";
  const without = (entries: Values, isOwn: (key: string) => boolean): Values =>
    Object.fromEntries(Object.entries(entries).filter(([key]) => !isOwnerKey(field, key) && isOwn(key)));
  const desiredEntries = without(desiredMap, () => true);
  const liveEntries = without(all, (key) => key.startsWith(prefix) || Object.hasOwn(desiredEntries, key));
  const keys = new Set([...Object.keys(desiredEntries), ...Object.keys(liveEntries)]);
  return [...keys].flatMap((key) => {
    const entry = {
      desired: desiredEntries[key],
      live: liveEntries[key],
      resolution: resolutionOf({ name: key }, resolution),
    };
    if (isUnchangedSinceWrite(field.item!, entry)) return [];
    if (!Object.hasOwn(desiredEntries, key) || !Object.hasOwn(liveEntries, key))
      return [{ path: [...path, key], desired: desiredEntries[key], live: liveEntries[key] }];
    return differencesAt([...path, key], field.item!, entry);
  });
}

function arrayDifferences(path: readonly Segment[], field: Field, { desired, live }: Sides): Difference[] {
  const [desiredItems, liveItems]: unknown[] = [desired ?? [], live ?? []];
  if (!Array.isArray(desiredItems) || !Array.isArray(liveItems)) return [{ path, desired, live }];
  const { setOf } = field.markers;
  const isKeyed =
    typeof setOf === "string" &&
    [...desiredItems, ...liveItems].every(isObject) &&
    !containsUnknown(desiredItems.map((entry) => entry[setOf]));
  if (isKeyed) return keyedDifferences(path, field.item!, entriesByKey(field.item!, setOf, desiredItems, liveItems));
  if (desiredItems.length !== liveItems.length || containsUnknown(desiredItems)) return [{ path, desired, live }];
  const rest = [...liveItems];
  const same = desiredItems.every((entry, index) => {
    const place = setOf
      ? rest.findIndex((candidate) => differences(field.item!, entry, candidate).length === 0)
      : index;
    if (place < 0 || (!setOf && differences(field.item!, entry, liveItems[index]).length > 0)) return false;
    if (setOf) rest.splice(place, 1);
    return true;
  });
  return same ? [] : [{ path, desired, live }];
}

type Entries = ReadonlyMap<string, Values>;

/** Both lists by the keys that the program has: to a key that is a name, the service may have added its version. */
export function entriesByKey(
  item: Field,
  key: string,
  desired: readonly Values[],
  live: readonly Values[],
): [Entries, Entries] {
  const entriesBy = (list: readonly Values[]): Entries => new Map(list.map((entry) => [String(entry[key]), entry]));
  const [own, answered] = [entriesBy(desired), entriesBy(live)];
  const keyField = item.fields?.find(({ name }) => name === key);
  const left = [...own.keys()].filter((each) => !answered.has(each));
  const renamed = [...answered].map(([name, entry]): [string, Values] => {
    const place = own.has(name) || !keyField ? -1 : left.findIndex((each) => scalarsEqual(keyField, each, name));
    return [left.splice(place, place < 0 ? 0 : 1)[0] ?? name, entry];
  });
  return [own, new Map(renamed)];
}

function keyedDifferences(
  path: readonly Segment[],
  item: Field,
  [desiredByKey, liveByKey]: [Entries, Entries],
): Difference[] {
  return [...new Set([...desiredByKey.keys(), ...liveByKey.keys()])].flatMap((name) => {
    const [desired, live] = [desiredByKey.get(name), liveByKey.get(name)];
    const isOnBoth = desired !== undefined && live !== undefined;
    return isOnBoth
      ? objectDifferences([...path, name], asCompleteMessage(item), { desired, live })
      : [{ path: [...path, name], desired, live }];
  });
}

/** Equality of values that no field declares: same JSON, in any order of members. */
function textsEqual(left: unknown, right: unknown): boolean {
  const isThereOnBoth = (left === undefined) === (right === undefined);
  return isThereOnBoth && canonicalJson(left) === canonicalJson(right);
}
