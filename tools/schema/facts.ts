import { defaultTimeout, type ResourceSpec } from "../../provider/core/declaration/resource";
import type { Rule, RuleCondition } from "../../provider/core/declaration/rules";
import type { Field } from "../../provider/core/fields/fields";
import { containsSecret } from "../../provider/core/secrets";
import { parametersOf } from "../../provider/core/values/names";

/** What the rules of a kind say about the field at `path`, as sentences. */
export const ruleSentences = (rules: readonly Rule[], path: string): string[] =>
  rules.flatMap((rule) => sentencesOf(rule, path));

function sentencesOf(rule: Rule, path: string): string[] {
  switch (rule.rule) {
    case "exclusive":
      return about(path, rule.fields, (others) => `Not together with ${joinWords(others, "or")}.`);
    case "exactlyOne":
      return about(
        path,
        rule.fields,
        () => `Exactly one of ${joinWords(rule.fields.map(quotedName), "and")} must be set.`,
      );
    case "anyOf":
      return rule.groups.some((group) => group.some(({ field }) => field === path)) ? [oneOfGroups(rule.groups)] : [];
    case "requires":
      return rule.field === path ? [`Needs ${quotedName(rule.needs)} as well.`] : [];
    case "onlyWith":
      return rule.field === path ? [`Only with ${joinWords(rule.conditions.map(conditionText), "or")}.`] : [];
    case "requiredWith":
      return rule.field === path ? [`Required with ${conditionText(rule.condition)}.`] : [];
    case "notAbove":
      return rule.field === path ? [`Must not exceed ${quotedName(rule.bound)}.`] : [];
    case "uniqueBy":
      return rule.field === path ? [`Each ${quotedName(rule.key)} at most once.`] : [];
  }
}

/** A sentence for each of `fields`, about the others. */
const about = (path: string, fields: readonly string[], sentence: (others: string[]) => string): string[] =>
  fields.includes(path) ? [sentence(fields.filter((field) => field !== path).map(quotedName))] : [];

const oneOfGroups = (groups: readonly (readonly RuleCondition[])[]): string =>
  `One of these must be given: ${groups.map((group) => joinWords(group.map(conditionText), "and")).join(", or ")}.`;

/** A condition as a program would write it: `role: "custom"`. */
function conditionText({ field, in: values, absentIs }: RuleCondition): string {
  if (values === undefined) return quotedName(field);
  const absent = absentIs !== undefined && values.includes(absentIs) ? `, or no ${quotedName(field)}` : "";
  return `${joinWords(
    values.map((value) => `\`${nameIn(field)}: ${JSON.stringify(value)}\``),
    "or",
  )}${absent}`;
}

const nameIn = (path: string): string => path.slice(path.lastIndexOf(".") + 1);

const quotedName = (path: string): string => `\`${nameIn(path)}\``;

export function joinWords(words: readonly string[], last: "and" | "or"): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}

/**
 * What the markers of a field mean to the author of a program, in sentences: the one source of hovers, pages and the
 * schema.
 */
export interface Facts {
  /** The form of the value. */
  form: readonly string[];
  /** Its limits. */
  limits: readonly string[];
  /** The default. */
  default?: string | undefined;
  /** The effect of a change. */
  change?: string | undefined;
  /** The effect of removing it from the program. */
  removal?: string | undefined;
  /** The effect of removing a part of it. */
  partRemoval?: string | undefined;
  /** How it is kept secret. */
  secrecy?: string | undefined;
}

/** Sentences of a field that a program sets; `spec` is the kind that it is an input of. */
export function inputFacts(field: Field, spec?: ResourceSpec): Facts {
  const value = defaultOf(field, spec);
  const change = spec && changeOf(field, spec);
  return {
    ...outputFacts(field),
    limits: [
      ...valuesOf(field),
      ...limitsOf(field),
      ...(spec ? ruleSentences(spec.rules, field.path) : []),
      ...ownerOf(field),
    ],
    default: value,
    change,
    ...(spec && leavesService(field, spec) && { removal: wholeRemovalOf(field), partRemoval: partRemovalOf(field) }),
  };
}

/** Sentences of a field that a program reads. */
export function outputFacts(field: Field): Facts {
  const secrecy = secrecyOf(field);
  return { form: formOf(field), limits: [], secrecy };
}

/** The sentences about a field besides its description, in reading order. */
export function sentencesIn({ form, limits, default: value, change, secrecy, ...removed }: Facts): string[] {
  const told = [value && `Default: ${value}.`, change, removed.removal, removed.partRemoval, secrecy];
  const last = told.filter((text) => text !== undefined);
  return [...form, ...limits, ...last];
}

function formOf({ type, format, markers, item }: Field): string[] {
  const compared = [
    ...(markers.setOf === undefined ? [] : ["The order does not matter."]),
    ...(markers.sameAs === "freeText" ? ["Line ends, blanks at them and Unicode forms are not compared."] : []),
  ];
  const unit = markers.unit === undefined ? [] : [`Unit: ${markers.unit}.`];
  const form = formOfText(format, markers.sameAs === "duration", markers.refersTo?.collection);
  const elements = type === "array" && item ? formOf(item) : [];
  return [...(form === undefined ? [] : [form]), ...unit, ...elements, ...compared];
}

function formOfText(
  format: string | undefined,
  isDuration: boolean,
  collection: string | undefined,
): string | undefined {
  if (isDuration) return "A duration: a number with the unit `ms`, `s`, `m`, `h` or `d`.";
  if (format === "date-time") return "A time in RFC 3339 format.";
  if (format === "int64") return "A whole number of up to 64 bits, as a string of digits.";
  if (collection !== undefined) return `A resource name: \`accounts/{account}/${collection}/{id}\`.`;
  return undefined;
}

/** Of more values than these, an editor lists the type's. */
const mostNamed = 8;

/** The values of an enum that the description does not name. */
function valuesOf({ values = [], description, closed, markers, item }: Field): string[] {
  if (item) return valuesOf({ ...item, description });
  const { order = [] } = markers.opens ?? {};
  const named = (texts: readonly unknown[]): string[] => texts.map((text) => `\`${text}\``);
  if (order.length > 1) return [`From the least access to the most: ${named(order).join(", ")}.`];
  const meant = named(values.filter((value) => !value.endsWith("_UNSPECIFIED")));
  const isAlreadyListed = meant.length > mostNamed || meant.every((value) => description.includes(value));
  if (isAlreadyListed) return [];
  return [closed ? `One of ${joinWords(meant, "or")}.` : `Known values: ${joinWords(meant, "and")}.`];
}

function rangeOf({ minimum, exclusiveMinimum, maximum, exclusiveMaximum }: Field): string | undefined {
  if (minimum !== undefined && maximum !== undefined) return `From ${minimum} to ${maximum}.`;
  const bounds = [
    ["at least", minimum],
    ["more than", exclusiveMinimum],
    ["at most", maximum],
    ["less than", exclusiveMaximum],
  ].flatMap(([words, bound]) => (bound === undefined ? [] : [`${words} ${bound}`]));
  const range = bounds.join(" and ");
  return range === "" ? undefined : `${range[0]!.toUpperCase()}${range.slice(1)}.`;
}

function limitsOf(field: Field): string[] {
  const { maxLength, markers } = field;
  return [
    rangeOf(field),
    maxLength !== undefined ? `At most ${maxLength} characters.` : undefined,
    markers.convention && `It ${markers.convention.rule}.`,
  ].filter((text) => text !== undefined);
}

const ownerOf = ({ markers: { ownedBy } }: Field): string[] =>
  ownedBy ? [`While \`${ownedBy.field}\` is set, it decides this.`] : [];

/** The documented default, as the end of `Default: …`. */
export function defaultOf({ required, markers }: Field, spec?: ResourceSpec): string | undefined {
  const { behaviour, resetTo, unsetValue, default: words, serverDefault } = markers;
  if (required) return undefined;
  if (words !== undefined) return words.replace("{timeouts}", timeoutsOf(spec));
  if (typeof resetTo === "object") return `the larger of \`${resetTo.largerOf[0]}\` and ${resetTo.largerOf[1]}`;
  const value = resetTo ?? behaviour?.default ?? unsetValue;
  if (value !== undefined) return `\`${value}\``;
  return serverDefault ? "chosen by the service" : undefined;
}

/** How long the operations of the kind wait where a program does not say, in words. */
function timeoutsOf(spec: ResourceSpec | undefined): string {
  const { create, update, delete: removal } = spec?.timeouts ?? {};
  return create === undefined
    ? `${defaultTimeout} each`
    : `\`${create}\` (create), \`${update}\` (update) and \`${removal}\` (delete)`;
}

/** What a change of a kind's input does, where it is not simply sent. */
function changeOf({ name, markers }: Field, spec: ResourceSpec): string | undefined {
  if (markers.immutable)
    return spec.identity.neverReplaced ? "A change is refused." : "A change replaces the resource.";
  if (markers.restarts) return "A value that is added or changed replaces the resource.";
  if (markers.directive)
    return parametersOf(spec.operations.update?.route ?? "").includes(name)
      ? "It is sent with each create and update, and is not compared with the live object."
      : "Used at creation only; a later change does nothing.";
  if (markers.recordedOnly) return "Used at creation only; a later change is recorded and not sent.";
  if (markers.serverMoved) return "The service changes it on its own; it is sent only where the program sets it.";
  return undefined;
}

/** Whether a program that no longer sets a field, or a part of it, asks something of the service by that. */
function leavesService({ path, markers }: Field, spec: ResourceSpec): boolean {
  const isChangeable = !markers.immutable && !markers.recordedOnly && spec.operations.update !== undefined;
  return isChangeable && spec.fields.message.some((own) => own.path === path);
}

/** What becomes of the live value of an input that leaves the program, in a word; empty where nothing is asked. */
export function removalWord(field: Field, spec: ResourceSpec): string {
  if (field.required || !leavesService(field, spec)) return "";
  const { onRemoval } = field.markers;
  if (onRemoval === "clear" || onRemoval === "reset") return onRemoval === "clear" ? "cleared" : "default";
  return field.nullable ? "kept" : "kept, without `null`";
}

function partRemovalOf({ type, fields, markers }: Field): string | undefined {
  if (type === "map") return "Removing an entry deletes it.";
  if (fields === undefined) return undefined;
  if (markers.whole) return "Removing one of its properties clears that property.";
  const clears = fields.some(({ nullable }) => nullable) ? "; `null` clears it" : "";
  return `Removing one of its properties leaves the live value${clears}.`;
}

function wholeRemovalOf({ required, nullable, markers }: Field): string | undefined {
  if (required) return undefined;
  if (markers.onRemoval === "clear")
    return nullable ? "Removing it clears it; so does `null`." : "Removing it clears it.";
  if (markers.onRemoval === "reset") return "Removing it restores the default.";
  return `Removing it leaves the live value${nullable ? "; `null` clears it" : ""}.`;
}

function secrecyOf(field: Field): string | undefined {
  if (!containsSecret(field)) return undefined;
  const unseen = field.markers.inputOnly ? " The service never returns it, so its drift cannot be detected." : "";
  return field.markers.secret
    ? `Secret: encrypted in state, masked wherever it is shown.${unseen}`
    : "Holds a secret, which is encrypted in state and masked wherever it is shown.";
}
