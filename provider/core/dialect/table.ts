import type { ResourceSpec } from "../declaration/resource";
import { type Field, fieldsOf } from "../fields/fields";
import { didYouMean } from "../values/closest";
import { memoizeByKey } from "../values/once";
import { z } from "../zod";

/**
 * How a service spells what this package calls by neutral words (A100): fields by name; values of enums
 * one by one, or by a prefix that ends in `_`.
 */
export interface DialectTable {
  readonly fields: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, string>>;
}

const words = z.record(z.string(), z.string()).default({});

const Table = z.strictObject({ fields: words, values: words });

export const isPrefix = (value: string): boolean => value.endsWith("_");

/** A value as the service spells it, by the table alone: its own entry, else the longest prefix that fits. */
export function toServiceValue({ values }: DialectTable, value: string): string {
  if (Object.hasOwn(values, value)) return values[value]!;
  const prefix = longestPrefix(Object.keys(values).filter(isPrefix), value);
  return prefix === undefined ? value : values[prefix]! + value.slice(prefix.length);
}

export const longestPrefix = (prefixes: readonly string[], value: string): string | undefined =>
  prefixes.filter((prefix) => value.startsWith(prefix)).sort((a, b) => b.length - a.length)[0];

/** The members of one message, and whose they are. */
interface Message {
  owner: string;
  fields: readonly Field[];
}

/** The members of an object of a kind, as it is sent and answered. */
export const membersOf = ({ fields }: ResourceSpec): readonly Field[] => [...fields.message, ...fields.outputs];

/** Every message that travels, those within messages included. */
const messagesOf = memoizeByKey((specs: readonly ResourceSpec[]): readonly Message[] => {
  const within = (owner: string, fields: readonly Field[]): Message[] => [
    { owner, fields },
    ...fields.flatMap((field) => deeper(owner, field)),
  ];
  const deeper = (owner: string, field: Field): Message[] => [
    ...(field.fields ? within(`${owner}.${field.name}`, field.fields) : []),
    ...(field.item ? deeper(owner, field.item) : []),
  ];
  return specs.flatMap((spec) => [
    ...within(spec.kind, membersOf(spec)),
    ...within(spec.kind, spec.fields.directives),
    ...Object.values(spec.operations).flatMap((operation) =>
      [operation?.request, operation?.answer].flatMap((schema) => (schema ? within(spec.kind, fieldsOf(schema)) : [])),
    ),
  ]);
});

/**
 * Reads a dialect and judges it by the messages of `specs`. `problems` are whole sentences, all there are; a table with
 * problems MUST NOT be used, because names would be lost on the way.
 */
export function readDialect(
  value: unknown,
  specs: readonly ResourceSpec[],
): { table: DialectTable; problems: readonly string[] } {
  const read = Table.safeParse(value);
  if (!read.success) {
    const problems = read.error.issues.map((issue) =>
      issue.code === "unrecognized_keys"
        ? `There is no \`${issue.keys.join("`, `")}\`.`
        : `\`${issue.path.join(".") || "it"}\`: ${issue.message}.`,
    );
    return {
      table: { fields: {}, values: {} },
      problems: [
        ...problems,
        'It has the form `{"fields": {ours: theirs}, "values": {ours: theirs}}`, names and values being text.',
      ],
    };
  }
  const messages = messagesOf(specs);
  return {
    table: read.data,
    problems: [...new Set([...fieldProblems(read.data, messages), ...valueProblems(read.data, messages)])],
  };
}

function fieldProblems({ fields }: DialectTable, messages: readonly Message[]): string[] {
  const known = [...new Set(messages.flatMap((message) => message.fields.map(({ name }) => name)))];
  const entries = Object.entries(fields);
  const unknown = entries
    .filter(([ours]) => !known.includes(ours))
    .map(([ours]) => sentence(`\`${ours}\` is not a field${didYouMean(ours, known)}`));
  const unfit = entries
    .filter(([ours, theirs]) => !isName(ours, theirs))
    .map(
      ([ours, theirs]) =>
        `\`${ours}\` cannot become ${JSON.stringify(theirs)}: a field's name is ${ours.includes("_") ? "lower case with underscores" : "camelCase"}, of letters and digits.`,
    );
  return [...unknown, ...unfit, ...doubles(entries), ...entries.flatMap((entry) => collision(entry, messages, fields))];
}

const sentence = (text: string): string => (text.endsWith("?") ? text : `${text}.`);

/** The two spellings of a field, in bodies and in paths, must be made from each other: so the style is kept. */
const isName = (ours: string, theirs: string): boolean =>
  (ours.includes("_") ? /^[a-z][a-z0-9_]*$/ : /^[a-z][A-Za-z0-9]*$/).test(theirs);

const doubles = (entries: readonly (readonly [string, string])[]): string[] =>
  entries.flatMap(([ours, theirs], index) =>
    entries
      .slice(index + 1)
      .flatMap(([other, same]) => (same === theirs ? [`\`${ours}\` and \`${other}\` both become \`${theirs}\`.`] : [])),
  );

/** A name that a sibling already has, and keeps. */
function collision(
  [ours, theirs]: readonly [string, string],
  messages: readonly Message[],
  renamed: DialectTable["fields"],
): string[] {
  if (ours === theirs || Object.hasOwn(renamed, theirs)) return [];
  const has = ({ fields }: Message, name: string): boolean => fields.some((field) => field.name === name);
  const owners = [
    ...new Set(messages.filter((message) => has(message, ours) && has(message, theirs)).map(({ owner }) => owner)),
  ];
  return owners.length === 0
    ? []
    : [`\`${ours}\` becomes \`${theirs}\`, which is the name of another field of ${owners.join(", ")}.`];
}

function valueProblems(table: DialectTable, messages: readonly Message[]): string[] {
  const enums = new Map(
    messages.flatMap(({ fields }) => fields.flatMap(enumsIn)).map((field) => [field.values!.join(" "), field]),
  );
  const known = [...new Set([...enums.values()].flatMap((field) => field.values!))];
  const entries = Object.entries(table.values);
  const prefixes = entries.filter(([ours]) => isPrefix(ours));
  return [
    ...entries.flatMap(([ours, theirs]) => entryProblem(ours, theirs, known)),
    ...doubles(prefixes),
    ...[...enums.values()].flatMap((field) =>
      doubles(field.values!.map((value) => [value, toServiceValue(table, value)] as const)).map(
        (problem) => `Of \`${field.name}\`, ${problem}`,
      ),
    ),
  ];
}

function entryProblem(ours: string, theirs: string, known: readonly string[]): string[] {
  if (isPrefix(ours)) {
    if (!known.some((value) => value.startsWith(ours))) return [`No value begins with \`${ours}\`.`];
    return /^[A-Za-z0-9][A-Za-z0-9_-]*_$/.test(theirs)
      ? []
      : [`The prefix \`${ours}\` cannot become ${JSON.stringify(theirs)}: a prefix ends in \`_\`.`];
  }
  if (!known.includes(ours)) return [sentence(`\`${ours}\` is not a value of any field${didYouMean(ours, known)}`)];
  return /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(theirs)
    ? []
    : [`\`${ours}\` cannot become ${JSON.stringify(theirs)}: a value is of letters, digits, \`_\` and \`-\`.`];
}

function enumsIn(field: Field): Field[] {
  return [...(field.values && field.values.length > 0 ? [field] : []), ...(field.item ? enumsIn(field.item) : [])];
}
