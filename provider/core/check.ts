import { releasedPaths } from "./comparison/desired";
import { isNew, optionsIn, reservedInputs } from "./declaration/own-fields";
import type { ResourceSpec } from "./declaration/resource";
import { brokenRules } from "./declaration/rules";
import { differences, durationSeconds, isUnset } from "./fields/equality";
import type { Field } from "./fields/fields";
import type { Convention } from "./fields/markers";
import { isOwnerKey } from "./fields/owner";
import { closest, didYouMean, likelyTypoOf } from "./values/did-you-mean";
import { memoizeByKey } from "./values/once";
import { containsUnknown, isUnknown, pathText, type Segment, topLevel, type Values, valueAt } from "./values/values";
import type { z } from "./zod";

/** The names of a kind that a message may suggest. */
interface Vocabulary {
  /** What only the service sets. */
  answered: readonly string[];
  /** The input that decides the name of an object. */
  namedBy: string | undefined;
  membersOf: (path: readonly Segment[]) => readonly string[];
  /** Where a member of an object has exactly that name. */
  placeOf: (name: string) => string | undefined;
}

/** What is wrong with a name that nothing of the kind has or is near to. */
export const unknownProperty = "is not a property";

/** What the schema library finds wrong with a value, in our words. */
export function describeIssue(
  issue: z.core.$ZodIssue,
  input: Values,
  { answered, namedBy, membersOf, placeOf }: Vocabulary,
): { path: string; reason: string }[] {
  const path = issue.path as Segment[];
  const value = valueAt(input, path);
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => ({
        path: pathText([...path, key]),
        reason:
          path.length === 0 && answered.includes(key)
            ? `is read-only: the service sets it; drop it${key === "name" && namedBy !== undefined ? `, or give \`${namedBy}\`` : ""}`
            : `${unknownProperty}${path.length > 0 ? ` of \`${pathText(path)}\`` : ""}${meantBy(key, membersOf(path), placeOf)}`,
      }));
    case "invalid_type":
      return [
        {
          path: pathText(path),
          reason:
            value === undefined
              ? `is required; give ${article(issue.expected)}`
              : `must be ${article(issue.expected)}, not ${insteadOf(issue.expected, value)}`,
        },
      ];
    case "invalid_value":
      return [
        {
          path: pathText(path),
          reason: `must be one of ${issue.values.map((allowed) => `\`${String(allowed)}\``).join(", ")}${typeof value === "string" ? didYouMean(value, issue.values.map(String)) : ""}`,
        },
      ];
    case "too_big":
      return [
        { path: pathText(path), reason: `must be ${issue.inclusive ? "at most" : "less than"} ${issue.maximum}` },
      ];
    case "too_small":
      return [
        {
          path: pathText(path),
          reason:
            issue.origin === "string"
              ? "must not be empty"
              : `must be ${issue.inclusive ? "at least" : "more than"} ${issue.minimum}`,
        },
      ];
    default:
      return [{ path: pathText(path), reason: issue.message }];
  }
}

/** A name nearby, or the exact one elsewhere in the kind. */
function meantBy(key: string, known: readonly string[], placeOf: Vocabulary["placeOf"]): string {
  const place = placeOf(key);
  return didYouMean(key, known) || (place === undefined ? "" : `; did you mean \`${place}\`?`);
}

const typeNames: Readonly<Record<string, string>> = {
  int: "an integer",
  number: "a number",
  string: "a string",
  boolean: "true or false",
  array: "a list",
  record: "a map",
  object: "an object",
  ...{ NaN: "NaN", Infinity: "Infinity", "-Infinity": "-Infinity" },
  null: "null",
};

const article = (type: string): string => typeNames[type] ?? `a ${type}`;

/** What a value is that is of another type: a number by itself, and a text with a number with what to write. */
function insteadOf(expected: string, value: unknown): string {
  if (typeof value === "number" && expected === "int" && Number.isFinite(value)) return String(value);
  const isQuoted = ["int", "number"].includes(expected) && typeof value === "string" && /^-?\d[\d.e-]*$/.test(value);
  return isQuoted && Number.isFinite(Number(value)) ? `a string; write ${value}` : article(kindOf(value));
}

function kindOf(value: unknown): string {
  if (value === null || (typeof value === "number" && !Number.isFinite(value))) return String(value);
  return Array.isArray(value) ? "array" : typeof value;
}

/**
 * What is allowed and still worth a warning: deprecated fields, conventions not kept,
 * values newer than this provider (A002, A004).
 */
function warningsFor(spec: ResourceSpec, olds: Values, input: Values): string[] {
  const { message, directives, resourceId } = spec.fields;
  const fields = [...(resourceId ? [resourceId] : []), ...message];
  return [
    ...fields.flatMap((field) => fieldWarnings(field, input[field.name], [field.name])),
    ...policyConstrainedFields([...message, ...directives], input),
    ...cautionsFor(spec, input, isNew(olds)),
    ...(isNew(olds) ? [] : releaseWarnings(spec, olds, input)),
  ];
}

/** Warnings about inputs that are set, or lacking, at a risk. */
const cautionsFor = ({ cautions }: ResourceSpec, input: Values, creates: boolean): string[] =>
  cautions
    .filter(({ whenNew }) => creates || !whenNew)
    .flatMap(({ rule, says }) => brokenRules([rule], input).map(({ path }) => `\`${path}\`: ${says}`));

/** An engine's preview shows them as removed. */
const releaseWarnings = (spec: ResourceSpec, olds: Values, input: Values): string[] =>
  releasedPaths(spec, olds, input).map(
    (path) => `\`${path}\` is no longer set: the object keeps what it has there, unless it is replaced`,
  );

function fieldWarnings(field: Field, value: unknown, path: readonly Segment[]): string[] {
  if (value === undefined || value === null || isUnknown(value)) return [];
  const { deprecated, convention, outputOnly } = field.markers;
  const at = `\`${pathText(path)}\``;
  const own = [
    ...(deprecated ? [`${at} is deprecated: ${deprecated}`] : []),
    ...(outputOnly ? [`${at} is set by the service; it is not sent`] : []),
    ...(convention && !keeps(convention, value)
      ? [`${at} ${convention.rule} (${convention.number}); the service may refuse it`]
      : []),
    ...(isShortName(field, value)
      ? [
          `${at}: ${JSON.stringify(value)} is an id and not a resource name, \`accounts/{account}/${field.markers.refersTo?.collection}/{id}\`; the service may refuse it`,
        ]
      : []),
    ...unknownKeys(field, value, path),
    ...(typeof value === "string" && field.values && !field.closed && !field.values.includes(value)
      ? [
          `${at}: \`${value}\` is not a value this provider knows; it is sent as it is${didYouMean(value, field.values)}`,
        ]
      : []),
  ];
  if (field.type === "object" && typeof value === "object")
    return [
      ...own,
      ...(field.fields ?? []).flatMap((member) =>
        fieldWarnings(member, (value as Values)[member.name], [...path, member.name]),
      ),
      ...undeclaredMembers(field, value, path),
    ];
  if (field.type === "array" && Array.isArray(value))
    return [...own, ...value.flatMap((entry, index) => fieldWarnings(field.item!, entry, [...path, index]))];
  return own;
}

function isShortName({ markers: { refersTo, anyValue } }: Field, value: unknown): boolean {
  if (refersTo === undefined || refersTo.idAlone || typeof value !== "string") return false;
  return value !== "" && value !== anyValue && !value.includes("/");
}

/** Keys of a map that no service is known to read. */
function unknownKeys({ markers: { knownKeys } }: Field, value: unknown, path: readonly Segment[]): string[] {
  if (!knownKeys || typeof value !== "object" || value === null) return [];
  return Object.keys(value)
    .filter((key) => !knownKeys.includes(key))
    .map(
      (key) =>
        `\`${pathText([...path, key])}\` is not a key this provider knows and is sent as it is${didYouMean(key, knownKeys)}`,
    );
}

/** Members that an open message may have and this provider does not know pass through both ways (A045). */
function undeclaredMembers(field: Field, value: object, path: readonly Segment[]): string[] {
  const known = (field.fields ?? []).map((member) => member.name);
  const others = Object.keys(value).filter((name) => !known.includes(name));
  return known.length === 0
    ? []
    : others.map(
        (name) =>
          `\`${pathText([...path, name])}\` is not a member this provider knows and is sent as it is${didYouMean(name, known)}`,
      );
}

function keeps(convention: Convention, value: unknown): boolean {
  const { pattern, atLeastSeconds, range, most, valueLength } = convention;
  if (typeof value === "number")
    return range === undefined || (value >= range.least && value <= (range.greatest ?? Number.POSITIVE_INFINITY));
  if (typeof value === "string")
    return (pattern?.test(value) ?? true) && !(durationSeconds(value) < (atLeastSeconds ?? 0));
  const entries = Object.entries(value as Values).filter(
    ([, text]) => typeof text === "string" && !isUnknown(text),
  ) as [string, string][];
  const fits = ([key, text]: [string, string]) =>
    (pattern?.test(key) ?? true) &&
    (!valueLength || ([...text].length >= valueLength.min && [...text].length <= valueLength.max));
  return entries.length <= (most ?? Number.POSITIVE_INFINITY) && entries.every(fits);
}

/** Fields that a named template decides: the service refuses them where they conflict (A047). */
function policyConstrainedFields(fields: readonly Field[], input: Values): string[] {
  return fields.flatMap((field) => {
    const owner = field.markers.ownedBy?.field;
    const named = owner === undefined ? undefined : input[owner];
    if (
      typeof named !== "string" ||
      isUnknown(named) ||
      named === "" ||
      named === "default" ||
      isUnset(field, input[field.name])
    )
      return [];
    return [
      `\`${field.name}\` is set beside \`${owner}\` \`${named}\`; the service refuses the deployment where the two conflict`,
    ];
  });
}

/** `property` is empty where the engine, which prints the value of the property it is given, would print a secret. */
export interface CheckFailure {
  property: string;
  reason: string;
}

export interface CheckResult {
  /** The inputs with this provider's defaults; the service's own defaults stay the service's (A049). */
  inputs: Record<string, unknown>;
  failures: CheckFailure[];
  warnings: string[];
}

/** Judges a program's inputs, all mistakes at once. Values not yet known are judged when they are. Does no I/O. */
export function check(spec: ResourceSpec, olds: Values, news: Values): CheckResult {
  const input = Object.fromEntries(Object.entries(news).filter(([name]) => !reservedInputs.has(name)));
  const shape = shapeFailures(spec, input);
  const failures = [
    ...shape,
    ...brokenRules(spec.rules, input),
    ...(shape.length === 0 ? identityFailures(spec, olds, input) : []),
  ];
  return {
    inputs: { ...defaults(spec, input), ...news },
    failures: failures.map(({ path, reason }) => toFailure(spec, path, reason)),
    warnings: failures.length > 0 ? [] : warningsFor(spec, olds, input),
  };
}

function defaults(spec: ResourceSpec, input: Values): Values {
  const absent = spec.fields.behaviours.filter(
    (field) => field.markers.behaviour?.default !== undefined && input[field.name] === undefined,
  );
  return Object.fromEntries(absent.map((field) => [field.name, field.markers.behaviour!.default]));
}

function toFailure(spec: ResourceSpec, path: string, reason: string): CheckFailure {
  return mayShowSecret(spec, topLevel(path))
    ? { property: "", reason: `${path}: ${reason}` }
    : { property: path, reason };
}

/** A property that holds a secret, or an unknown one that may be a misspelt secret. */
function mayShowSecret(spec: ResourceSpec, name: string): boolean {
  const names = Object.keys(spec.inputs.shape);
  const secrets = declaredFields(spec)
    .filter(containsSecret)
    .map((field) => field.name);
  const meant = names.includes(name) ? name : closest(name, names);
  return meant === undefined ? secrets.length > 0 : secrets.includes(meant);
}

const declaredFields = ({ fields }: ResourceSpec): readonly Field[] => [
  ...fields.message,
  ...fields.behaviours,
  ...fields.directives,
  ...(fields.resourceId ? [fields.resourceId] : []),
];

export const containsSecret = (field: Field): boolean =>
  field.markers.secret === true ||
  (field.fields ?? []).some(containsSecret) ||
  (field.item !== undefined && containsSecret(field.item));

type Failure = { path: string; reason: string };

/** Violations of the declared types, limits and closed enums; a value that is not known yet violates nothing. */
function shapeFailures(spec: ResourceSpec, input: Values): Failure[] {
  const judged = spec.inputs.safeParse(input);
  const fields = declaredFields(spec);
  const issues = judged.success
    ? []
    : judged.error.issues.filter((issue) => !dependsOnUnknown(input, issue.path as Segment[]));
  const names = Object.keys(spec.inputs.shape);
  const answered = spec.fields.outputs.map((field) => field.name);
  return [
    ...issues.flatMap((issue) =>
      describeIssue(issue, input, {
        answered,
        namedBy: spec.identity.naturalKey?.find((key) => input[key] === undefined) ?? spec.fields.resourceId?.name,
        membersOf: (path) => (path.length === 0 ? names : membersAt(fields, path)),
        placeOf: (name) => placeIn(fields, name),
      }),
    ),
    ...nearMisses(fields, input),
    ...unknownNames(spec, input),
  ];
}

/** Options that list fields know their names: a misspelt one would do nothing. */
function unknownNames({ fields }: ResourceSpec, input: Values): Failure[] {
  const known = fields.message.map((field) => field.name);
  return fields.behaviours
    .filter((field) => field.markers.namesFields)
    .flatMap((field) => {
      const names: unknown = input[field.name];
      if (!Array.isArray(names)) return [];
      const unknown = [...names.entries()].filter(
        ([, name]) => typeof name === "string" && !isUnknown(name) && !known.includes(name),
      );
      return unknown.map(([index, name]) => ({
        path: pathText([field.name, index]),
        reason: `\`${name}\` is not a field that a program can set${didYouMean(topLevel(name), known)}`,
      }));
    });
}

function dependsOnUnknown(input: Values, path: readonly Segment[]): boolean {
  return path.some((_, index) => isUnknown(valueAt(input, path.slice(0, index + 1))));
}

/** The path of a member of an object, one level below the inputs. */
export function placeIn(fields: readonly Field[], name: string): string | undefined {
  const owner = fields.find((field) => field.type === "object" && field.fields?.some((member) => member.name === name));
  return owner && `${owner.name}.${name}`;
}

function membersAt(fields: readonly Field[], path: readonly Segment[]): string[] {
  const members = path.reduce<readonly Field[]>(
    (level, segment) =>
      typeof segment === "number" ? level : descendedFields(level.find((field) => field.name === segment)),
    fields,
  );
  return members.map((field) => field.name);
}

const descendedFields = (field: Field | undefined): readonly Field[] => field?.fields ?? field?.item?.fields ?? [];

/** A value that almost equals one of an open enum is a typo; any other may be newer than this provider (A002). */
function nearMisses(fields: readonly Field[], input: Values): Failure[] {
  return fields.flatMap((field) => visit(field, input[field.name], [field.name]));

  function visit(field: Field, value: unknown, path: readonly Segment[]): Failure[] {
    if (value === undefined || value === null || isUnknown(value)) return [];
    if (field.type === "object")
      return [
        ...misspeltMembers(field, value as Values, path),
        ...(field.fields ?? []).flatMap((member) =>
          visit(member, (value as Values)[member.name], [...path, member.name]),
        ),
      ];
    if (field.type === "array" && Array.isArray(value))
      return value.flatMap((entry, index) => visit(field.item!, entry, [...path, index]));
    if (field.type === "map" && typeof value === "object" && !Array.isArray(value))
      return keyFailures(field, value, path);
    if (typeof value !== "string" || !field.values || field.closed || field.values.includes(value)) return [];
    const near = likelyTypoOf(value, field.values);
    return near === undefined
      ? []
      : [
          {
            path: pathText(path),
            reason: `\`${value}\` is not a value; did you mean \`${near}\`? Known: ${field.values.map((known) => `\`${known}\``).join(", ")}`,
          },
        ];
  }
}

/** A newer release of the API may have added a member; one that almost is another is a typo all the same. */
function misspeltMembers({ fields = [], markers }: Field, values: Values, path: readonly Segment[]): Failure[] {
  if (!markers.grows) return [];
  const known = fields.map(({ name }) => name);
  return Object.keys(values).flatMap((name) => {
    const near = known.includes(name) ? undefined : likelyTypoOf(name, known);
    const reason = `is not a property of \`${pathText(path)}\`; did you mean \`${near}\`?`;
    return near === undefined ? [] : [{ path: pathText([...path, name]), reason }];
  });
}

/**
 * Changes that no update and no replacement can make, of what the program alone decides. Whether a field of the object
 * changes is up to the diff, which knows the object: drift that the program has accepted is no change.
 */
function identityFailures(spec: ResourceSpec, olds: Values, news: Values): Failure[] {
  const { resourceId, behaviours } = spec.fields;
  const { neverReplaced, neverReused } = spec.identity;
  const changed = (field: Field): boolean => {
    const [was, is] = [olds[field.name], news[field.name]];
    return was !== undefined && is !== undefined && !containsUnknown(is) && differences(field, is, was).length > 0;
  };
  if (neverReplaced) {
    const moved = resourceId && changed(resourceId) ? [resourceId.name] : [];
    const account =
      optionsIn(olds).accountId !== undefined &&
      optionsIn(news).accountId !== undefined &&
      !isUnknown(optionsIn(news).accountId) &&
      optionsIn(olds).accountId !== optionsIn(news).accountId
        ? ["accountId"]
        : [];
    return [...moved, ...account].map((path) => ({
      path,
      reason: `cannot change: a change would delete this ${spec.kind.toLowerCase()} and create another. Declare a new resource, and remove this one when it is no longer needed`,
    }));
  }
  const pinned =
    neverReused && resourceId && news[resourceId.name] !== undefined && news[resourceId.name] === olds[resourceId.name];
  const reason = `a change starts a new run, and the id \`${String(resourceId && news[resourceId.name])}\` can never be used again; give a new \`${resourceId?.name}\` or drop it`;
  const restarting = behaviours.filter((field) => field.markers.restarts && changed(field));
  return pinned ? restarting.map((field) => ({ path: field.name, reason })) : [];
}

/**
 * Keys that a program's map must not have: those that the service keeps for
 * itself, and those that this provider writes.
 */
function keyFailures(field: Field, value: object, path: readonly Segment[]): { path: string; reason: string }[] {
  const { keyPrefix } = field.markers;
  return Object.keys(value).flatMap((key) => {
    const at = pathText([...path, key]);
    if (isOwnerKey(field, key))
      return [{ path: at, reason: "is reserved: this provider records the object's owner in it; use another key" }];
    if (keyPrefix === undefined || key.startsWith(keyPrefix)) return [];
    return [{ path: at, reason: `keys must begin with \`${keyPrefix}\`; write \`${keyPrefix}${key}\`` }];
  });
}

/** Digests tell whether two values are equal, and what was there before may hold what is secret now. */
const secretRecords = ["digests", "previous"];

/** Top-level properties of a kind that are ciphertext in state: the engine marks secrets by these names alone. */
export const secretProperties = memoizeByKey((spec: ResourceSpec): ReadonlySet<string> => {
  const { message, outputs, behaviours } = spec.fields;
  const own = [...message, ...outputs, ...behaviours].filter(containsSecret).map((field) => field.name);
  return new Set(own.length === 0 ? [] : [...own, ...secretRecords]);
});
