import { optionsIn, reservedInputs } from "./declaration/own-fields";
import type { ResourceSpec } from "./declaration/resource";
import { brokenRules } from "./declaration/rules";
import { differences } from "./fields/equality";
import type { Field } from "./fields/fields";
import { isOwnerKey } from "./fields/owner";
import { describeIssue } from "./schema-issues";
import { containsSecret } from "./secrets";
import { closest, didYouMean, likelyTypoOf } from "./values/did-you-mean";
import { containsUnknown, isUnknown, pathText, type Segment, topLevel, type Values, valueAt } from "./values/values";
import { warningsFor } from "./warnings";

/** `property` is empty if the engine, which prints the property's value, would print a secret. */
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
 * changes is up to the diff, which knows the object: drift that the program has accepted is not a change.
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
