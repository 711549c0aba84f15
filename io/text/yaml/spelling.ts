import { jsonScalar, type YamlScalar, yamlScalar } from "./scalar";

/** A value of a YAML file that takes edits. */
export type YamlValue = YamlScalar | readonly YamlValue[] | { readonly [key: string]: YamlValue };

/** Where in the file; a number is a place in a list. */
export type YamlPath = readonly (string | number)[];

/** What follows a key and its colon. */
export const under = (value: YamlValue, indent: string, newline: string): string =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
    ? block(value, `${indent}  `, newline)
    : ` ${flow(value, (scalar) => yamlScalar(scalar))}`;

/** A mapping over several lines, each begun by a line break. */
export function block(value: YamlValue, indent: string, newline: string): string {
  return Object.entries(value as Readonly<Record<string, YamlValue>>)
    .map(([key, member]) => `${newline}${indent}${yamlScalar(key)}:${under(member, indent, newline)}`)
    .join("");
}

/** On one line, in brackets. */
export function flow(value: YamlValue, spell: (scalar: YamlScalar) => string): string {
  if (Array.isArray(value)) return `[${value.map((element: YamlValue) => flow(element, spell)).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value)
      .map(
        ([key, member]) =>
          `${spell === jsonScalar ? jsonScalar(key) : yamlScalar(key, "double")}: ${flow(member, spell)}`,
      )
      .join(", ")}}`;
  return spell(value as YamlScalar);
}
