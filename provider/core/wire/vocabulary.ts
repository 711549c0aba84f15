import type { ResourceSpec } from "../declaration/resource";
import { type Field, fieldsOf } from "../fields/fields";
import { didYouMean } from "../values/did-you-mean";
import { camelCase, snakeCase } from "../values/names";
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

const isPrefix = (value: string): boolean => value.endsWith("_");

/** A value as the service spells it, by the table alone: its own entry, else the longest prefix that fits. */
function toServiceValue({ values }: DialectTable, value: string): string {
  if (Object.hasOwn(values, value)) return values[value]!;
  const prefix = longestPrefix(Object.keys(values).filter(isPrefix), value);
  return prefix === undefined ? value : values[prefix]! + value.slice(prefix.length);
}

const longestPrefix = (prefixes: readonly string[], value: string): string | undefined =>
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

export type TargetVocabulary = "theirs" | "ours";

/** A one-to-one relation of words; those that it does not know are their own counterparts. */
type Pairs = Readonly<Record<TargetVocabulary, ReadonlyMap<string, string>>>;

interface Level {
  names: Pairs;
  /** By our names. */
  fields: ReadonlyMap<string, Field>;
}

/** A name in the other spelling, and the field that it names among its siblings. */
export interface FieldName {
  text: string;
  field: Field | undefined;
}

/** What fields are called and how their values are spelt, in one direction. */
export interface Words {
  /** A member of a message, by its name in a body. */
  readonly member: (siblings: readonly Field[], name: string) => FieldName;
  /** A step of a path, in whichever case it is written. */
  readonly step: (siblings: readonly Field[], text: string) => FieldName;
  value(field: Field, value: string): string;
  /** A field's name, wherever it occurs. */
  name(name: string): string;
}

/** Both directions of a table that has no problems. */
export function createWords(table: DialectTable): Readonly<Record<TargetVocabulary, Words>> {
  const everywhere = bothDirections(Object.entries(table.fields));
  const levels = new WeakMap<readonly Field[], Level>();
  const enums = new WeakMap<readonly string[], Pairs>();
  const prefixes = Object.entries(table.values).filter(([ours]) => isPrefix(ours));
  const prefixPairs = { theirs: new Map(prefixes), ours: new Map(prefixes.map(([ours, theirs]) => [theirs, ours])) };

  function levelOf(siblings: readonly Field[]): Level {
    const renamed = siblings.flatMap(({ name }) =>
      Object.hasOwn(table.fields, name) ? [[name, table.fields[name]!] as const] : [],
    );
    const level = levels.get(siblings) ?? {
      names: bothDirections(renamed),
      fields: new Map(siblings.map((field) => [field.name, field])),
    };
    levels.set(siblings, level);
    return level;
  }

  function pairsOf(values: readonly string[]): Pairs {
    const pairs = enums.get(values) ?? bothDirections(values.map((value) => [value, toServiceValue(table, value)]));
    enums.set(values, pairs);
    return pairs;
  }

  const towards = (way: TargetVocabulary): Words => {
    const back = way === "ours" ? "theirs" : "ours";
    const member = (siblings: readonly Field[], name: string): FieldName => {
      const { names, fields } = levelOf(siblings);
      const text = names[way].get(name) ?? name;
      return { text, field: fields.get(way === "ours" ? text : name) };
    };
    return {
      member,
      step(siblings, text) {
        const { names, fields } = levelOf(siblings);
        const word = names[way].has(text) || fields.has(text) ? text : camelCase(text);
        const { text: other, field } = member(siblings, word);
        if (other === word) return { field, text };
        return { field, text: /[A-Z]/.test(text) ? other : snakeCase(other) };
      },
      value({ values }, value) {
        if (!values) return value;
        return (
          pairsOf(values)[way].get(value) ??
          withPrefix(value, prefixPairs[way]) ??
          withPrefix(value, prefixPairs[back]) ??
          value
        );
      },
      name: (name) => everywhere[way].get(name) ?? name,
    };
  };
  return { theirs: towards("theirs"), ours: towards("ours") };
}

function withPrefix(value: string, prefixes: ReadonlyMap<string, string>): string | undefined {
  const prefix = longestPrefix([...prefixes.keys()], value);
  return prefix === undefined ? undefined : prefixes.get(prefix)! + value.slice(prefix.length);
}

/**
 * Both directions of a renaming. A word of ours that has become another one is not one of theirs:
 * where it turns up anyway it changes places with the word that took over, so that nothing is
 * lost and nothing passes for what it is not.
 */
function bothDirections(entries: readonly (readonly [string, string])[]): Pairs {
  const theirs = new Map(entries.filter(([ours, word]) => ours !== word));
  const ours = new Map([...theirs].map(([word, other]) => [other, word]));
  for (const end of [...ours.keys()].filter((word) => !theirs.has(word))) {
    let start = end;
    for (let before = ours.get(start); before !== undefined; before = ours.get(start)) start = before;
    theirs.set(end, start);
    ours.set(start, end);
  }
  return { theirs, ours };
}
