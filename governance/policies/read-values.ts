import type { Field } from "../../provider/core/fields/fields";
import { didYouMean } from "../../provider/core/values/did-you-mean";
import { snakeCase } from "../../provider/core/values/names";
import { isObject, isUnknown, type Values } from "../../provider/core/values/values";
import { z } from "../../provider/core/zod";
import { managedSpecs } from "../../provider/resources/index";

/** What a rule cannot judge: `says` which value that is, and what to do. */
export class Unjudged {
  constructor(readonly says: string) {}
}

/** A value as a rule reads it; undefined: nobody sets it. */
type Read<T> = T | Unjudged | undefined;

export const isUnjudged = (value: unknown): value is Unjudged => value instanceof Unjudged;

/** A preview does not know the value yet: `up` judges it. */
class NotKnownYet extends Error {}

function isUnset(value: unknown): value is null | undefined {
  if (isUnknown(value)) throw new NotKnownYet("The value is known only once the program has run.");
  return value === undefined || value === null;
}

/** The verdict of `judge` on values; undefined if a preview does not know one of them yet. */
export function onceKnown<T>(judge: () => T): T | undefined {
  try {
    return judge();
  } catch (error) {
    if (error instanceof NotKnownYet) return undefined;
    throw error;
  }
}

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
};

/** Says of a value that the rule cannot judge it. */
export const unreadable = (field: string, value: unknown, is: string): Unjudged =>
  new Unjudged(
    `has the \`${field}\` ${shown(value)}, which is ${is}, so that the policy cannot judge it. Set a value that the reference lists.`,
  );

/** What is allowed only as the vocabulary spells it: how the service reads another spelling is not known. */
export const otherSpelling = (field: string, value: unknown, word: string): Unjudged =>
  unreadable(field, value, `not spelled \`${word}\` as in the vocabulary`);

/** A field of a managed kind. Rules name their fields in code, so that one that does not exist is a mistake there. */
export function fieldOf(kind: string, name: string): Field {
  const fields = managedSpecs.find((spec) => spec.kind === kind)?.fields;
  const field = [...(fields?.message ?? []), ...(fields?.directives ?? [])].find((each) => each.name === name);
  if (!field) throw new Error(`${kind} has no field ${name}.`);
  return field;
}

/** Values that say nothing, as if the field were unset. */
const saysNothing = (value: string): boolean => value === "" || value.endsWith("_UNSPECIFIED");

/** Letter case, blanks and hyphens do not tell words apart. */
const plain = (text: string): string =>
  text
    .trim()
    .toUpperCase()
    .replace(/[\s_-]+/g, "_");

/** What services put before each value of the enum: the beginning of its unspecified value, and the field's name. */
function prefixesOf({ name, values = [] }: Field): string[] {
  const own = values.flatMap((value) => /^(.*_)UNSPECIFIED$/.exec(value)?.[1] ?? []);
  return [...own, `${snakeCase(name).toUpperCase()}_`];
}

interface Word {
  /** The value of the vocabulary that the text means; empty if unspecified. */
  word: string;
  /** Whether it is spelled as the vocabulary spells it. */
  isExact: boolean;
}

/** The word of a field's vocabulary that a value means, by its canonical form. */
export function wordIn(field: Field, value: unknown): Read<Word> {
  if (isUnset(value)) return undefined;
  if (typeof value !== "string") return unreadable(field.name, value, "not text");
  const values = field.values ?? [];
  if (value.trim() === "" || (values.includes(value) && saysNothing(value))) return { word: "", isExact: true };
  if (values.includes(value)) return { word: value, isExact: true };
  const text = plain(value);
  const spellings = [text, ...prefixesOf(field).flatMap((prefix) => withoutPrefix(text, prefix))];
  const word = values.find((each) => spellings.includes(plain(each)));
  if (word === undefined) return unreadable(field.name, value, "not in the vocabulary");
  return { word: saysNothing(word) ? "" : word, isExact: false };
}

const withoutPrefix = (text: string, prefix: string): string[] =>
  text.startsWith(prefix) ? [text.slice(prefix.length)] : [];

/** A number of things: a whole number, not below zero. */
export function countIn(name: string, value: unknown): Read<number> {
  if (isUnset(value)) return undefined;
  return Number.isSafeInteger(value) && (value as number) >= 0
    ? (value as number)
    : unreadable(name, value, "not a whole number of 0 or more");
}

export function flagIn(name: string, value: unknown): Read<boolean> {
  if (isUnset(value)) return undefined;
  return typeof value === "boolean" ? value : unreadable(name, value, "neither true nor false");
}

/** Free text; blank text says nothing. */
export function textIn(name: string, value: unknown): Read<string> {
  if (isUnset(value)) return undefined;
  if (typeof value !== "string") return unreadable(name, value, "not text");
  return value.trim() === "" ? undefined : value;
}

/** A map of text: its values are read one by one. */
export function mapIn(name: string, value: unknown): Read<Values> {
  if (isUnset(value)) return undefined;
  return isObject(value) ? value : unreadable(name, value, "not a map of text");
}

/** What a configuration may name: the words of a field's vocabulary that say something, spelled as they are there. */
export function wordOf(field: Field) {
  const words = (field.values ?? []).filter((value) => !saysNothing(value));
  return z.string().refine((text) => words.includes(text), {
    error: ({ input }) =>
      `names ${JSON.stringify(input)}, which does not exist${didYouMean(String(input), words)}; there are ${words.join(", ")}`,
  });
}
