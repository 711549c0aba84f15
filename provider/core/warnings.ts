import { releasedPaths } from "./comparison/desired";
import { isNew } from "./declaration/own-fields";
import type { ResourceSpec } from "./declaration/resource";
import { brokenRules } from "./declaration/rules";
import { durationSeconds, isUnset } from "./fields/equality";
import type { Field } from "./fields/fields";
import type { Convention } from "./fields/markers";
import { didYouMean } from "./values/did-you-mean";
import { isUnknown, pathText, type Segment, type Values } from "./values/values";

/**
 * What is allowed and still worth a warning: deprecated fields, conventions not kept,
 * values newer than this provider (A002, A004).
 */
export function warningsFor(spec: ResourceSpec, olds: Values, input: Values): string[] {
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
    ...partOfName(field, value).map(
      (part) =>
        `${at}: ${JSON.stringify(value)} is ${part} and not a resource name, \`accounts/{account}/${field.markers.refersTo?.collection}/{id}\`; the service may refuse it`,
    ),
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

/** What a reference is that is less than a whole name. */
function partOfName({ markers: { refersTo, anyValue } }: Field, value: unknown): string[] {
  if (refersTo === undefined || refersTo.idAlone || typeof value !== "string") return [];
  if (value === "" || value === anyValue) return [];
  if (!value.includes("/")) return ["an id"];
  return value.startsWith(`${refersTo.collection}/`) ? ["the end of a name"] : [];
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
