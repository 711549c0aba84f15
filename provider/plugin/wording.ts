import { ownCommand } from "../../io/text/command-line";
import type { CheckFailure } from "../core/check";
import { inputFields, outputFields } from "../core/declaration/surface";
import type { Field } from "../core/fields/fields";
import { dynamicToken, pluginToken } from "../core/pulumi-names";
import { settingFields } from "../core/settings";
import { snakeCase } from "../core/values/names";
import { memoize } from "../core/values/once";
import { functions } from "../resources/functions";
import { managedSpecs } from "../resources/index";

/** Who reads a text of the plugin. */
export interface Reader {
  /** The program uses this package's own classes, and is installed beside its command. */
  readsTypeScript: boolean;
  /** The built-in engine runs the plugin, so the package's command is at hand. */
  hasOwnCommand: boolean;
  /** Of the plugin. */
  version: string;
}

/** A text about resources as somebody reads it whose program declares them with the plugin's classes. */
export function toPluginWording(text: string, { readsTypeScript, hasOwnCommand, version }: Reader): string {
  const named = text.replaceAll(dynamicToken(""), pluginToken(""));
  if (readsTypeScript) return named;
  const own = ownCommand.join(" ");
  return inBothSpellings(hasOwnCommand ? named : named.replaceAll(`${own} `, `${own}@${version} `));
}

/** An engine prints the property as the schema has it. */
export function toPluginFailure({ property, reason }: CheckFailure, reader: Reader): CheckFailure {
  const told = toPluginWording(reason, reader);
  const name = snakePath(property);
  const isPlain = reader.readsTypeScript || name === property || told.includes(name);
  return { property, reason: isPlain ? told : `${told} (\`${name}\` in Python)` };
}

/** A name, the rest of its path, and the value that a text gives it: `onFailure: "rerun"`. */
const quoted = /`([a-z][A-Za-z]*)([.[][^`:]*)?(?:: ([^`]+))?`/g;

/** Each name of several words with the spelling of Python where it is first named; others' are found by either. */
function inBothSpellings(text: string): string {
  const told = new Set<string>();
  return text.replace(quoted, (whole, name: string, rest = "", value?: string) => {
    const path = `${name}${rest}`;
    const snake = snakePath(path);
    const other = value === undefined ? snake : `${snake}=${inPython(value)}`;
    if (snake === path || told.has(other)) return whole;
    told.add(other);
    return `${whole} (\`${other}\` in Python)`;
  });
}

/** The keys of a map are a program's own, and stay as they are. */
function snakePath(path: string): string {
  const segments = path.split(/(?=[.[])/);
  const map = segments.findIndex((segment) => maps().has(segment.replace(".", "")));
  return segments.map((segment, index) => (map >= 0 && index > map ? segment : inSnakeCase(segment))).join("");
}

const inSnakeCase = (segment: string): string =>
  segment.replace(/^\.?([a-z][A-Za-z]*)/, (whole, word: string) => (names().has(word) ? snakeCase(whole) : whole));

const literals: Readonly<Record<string, string>> = { true: "True", false: "False", null: "None" };

const inPython = (value: string): string => literals[value] ?? value;

/** What programs spell in the way of their language: properties, functions, and an option that messages name. */
const names = memoize((): ReadonlySet<string> => {
  const fields = [...settingFields, ...managedSpecs.flatMap((spec) => [...inputFields(spec), ...outputFields(spec)])];
  return new Set([...namesIn(fields), ...Object.keys(functions), "deleteBeforeReplace"]);
});

const maps = memoize((): ReadonlySet<string> => {
  const all = managedSpecs.flatMap((spec) => [...inputFields(spec), ...outputFields(spec)]);
  return new Set(fieldsIn(all).flatMap(({ name, type }) => (type === "map" ? [name] : [])));
});

const namesIn = (fields: readonly Field[]): string[] => fieldsIn(fields).map(({ name }) => name);

const fieldsIn = (fields: readonly Field[]): Field[] =>
  fields.flatMap((field) => [field, ...fieldsIn([...(field.fields ?? []), ...(field.item ? [field.item] : [])])]);
