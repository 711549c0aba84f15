import type { Field } from "../fields/fields";
import { camelCase, snakeCase } from "../values/names";
import { type DialectTable, isPrefix, longestPrefix, toServiceValue } from "./table";

/** The target vocabulary. */
export type TargetVocabulary = "theirs" | "ours";

/** A one-to-one relation of words; those that it does not know are their own counterparts. */
type Pairs = Readonly<Record<TargetVocabulary, ReadonlyMap<string, string>>>;

interface Level {
  names: Pairs;
  /** By our names. */
  fields: ReadonlyMap<string, Field>;
}

/** A name in the other spelling, and the field that it stands for among its siblings. */
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
 * Both directions of a renaming. A word of ours that has become another one is none of theirs:
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
