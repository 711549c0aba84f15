import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { inputFields, observedFields, observedSummary, outputFields } from "../../provider/core/declaration/surface";
import type { Field } from "../../provider/core/fields/fields";
import { settingFields } from "../../provider/core/settings";
import { inputFacts, outputFacts } from "../schema/facts";
import type { FunctionDoc } from "../schema/schema";
import { memberName, type TypeNames, typeDescription } from "../schema/type-names";
import { comment, documentationOf, fileText, pulumiTypes, typeImports, unionType, wrapTypeArguments } from "./layout";

/** Where a type stands: among what a program gives, now or later, or among what it gets. */
export type Position = "input" | "plain" | "output";

/** How the types of fields are written. Messages and enums are referred to by `input.`, `output.` and `enums.`. */
export interface TypeTexts {
  /** The type of a field's value, by itself. */
  valueOf(field: Field, position: Position): string;
  /** The same with what else may stand there: nothing, `null`, a value that is known later. */
  memberOf(field: Field, position: Position): string;
}

const scalars: Readonly<Record<string, string>> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  any: "unknown",
  object: "Record<string, unknown>",
};

/** The name of a message where a program gives values that may be known later. */
export const argsName = (name: string): string => `${name}Args`;

export function typeTexts(names: TypeNames): TypeTexts {
  const later = (type: string, position: Position): string => (position === "input" ? `pulumi.Input<${type}>` : type);

  function valueOf(field: Field, position: Position): string {
    if (field.markers.writtenAs !== undefined && position !== "output") return field.markers.writtenAs;
    if (field.type === "array") return `${inParentheses(later(valueOf(field.item!, position), position))}[]`;
    if (field.type === "map") return mapOf(field, later(valueOf(field.item!, position), position), position);
    const name = names.nameOf(field);
    if (name === undefined) return literals(field) ?? scalars[field.type]!;
    if (field.type !== "object") return orOther(`enums.${name}`, field.closed);
    if (position === "output") return `output.${name}`;
    return `input.${position === "input" ? argsName(name) : name}`;
  }

  function memberOf(field: Field, position: Position): string {
    const value = valueOf(field, position);
    if (position === "output") return field.required ? value : orNothing(value, "undefined");
    const nothing = [...(field.nullable ? ["null"] : []), ...(field.required ? [] : ["undefined"])];
    return later(orNothing(value, ...nothing), position);
  }

  return { valueOf, memberOf };
}

/** Where the keys are known, a program can only give those; a service may answer others. */
function mapOf({ markers: { knownKeys } }: Field, value: string, position: Position): string {
  if (knownKeys === undefined || position === "output") return `Record<string, ${value}>`;
  return `Partial<Record<${enumValues(knownKeys).join(" | ")}, ${value}>>`;
}

const orNothing = (type: string, ...nothing: string[]): string =>
  type === "unknown" ? type : [type, ...nothing].join(" | ");

const inParentheses = (type: string): string => (/^[\w.]+(<.*>)?$/.test(type) ? type : `(${type})`);

/** The values of an enum that has no name, being of one value. */
const literals = ({ values, closed }: Field): string | undefined =>
  values && orOther(enumValues(values).join(" | "), closed);

/** The values of an enum as a type writes them. */
export const enumValues = (values: readonly string[]): string[] => values.map((value) => JSON.stringify(value));

/** An enum that may grow takes any text, and its values are offered anyway. */
const orOther = (type: string, isClosed: boolean): string => (isClosed ? type : `${type} | (string & {})`);

const exampleTimes: Readonly<Record<string, string>> = { "date-time": "2030-01-31T00:00:00Z", int64: "8000000000" };

/** The members of an interface, documented. `spec` is the kind whose rules hold for them. */
export const members = (fields: readonly Field[], position: Position, types: TypeTexts, spec?: ResourceSpec): string =>
  fields.map((field) => member(field, position, types, spec)).join("");

function member(field: Field, position: Position, types: TypeTexts, spec?: ResourceSpec): string {
  const type = types.memberOf(field, position);
  if (position === "output")
    return `${comment(documentationOf(field, outputFacts(field)), "  ")}${wrapTypeArguments(`  ${field.name}: ${type};`)}\n`;
  const text = comment(documentationOf(field, inputFacts(field, spec), exampleOf(field, spec)), "  ");
  return `${text}${wrapTypeArguments(`  ${field.name}${field.required ? "" : "?"}: ${type};`)}\n`;
}

/** A value as a program writes it, where a value has a form. */
function exampleOf(field: Field, spec?: ResourceSpec): unknown {
  const { example, sameAs, refersTo, resourceId } = field.markers;
  const own =
    field.path === field.name ? (spec?.example as Record<string, unknown> | undefined)?.[field.name] : undefined;
  if (example !== undefined) return example;
  if (typeof own === "string") return own;
  if (sameAs === "duration") return "45m";
  if (refersTo !== undefined) return `accounts/acme/${refersTo.collection}/example`;
  if (resourceId) return "example";
  return field.format === undefined ? undefined : exampleTimes[field.format];
}

/** Everything that the types of messages are written from. */
interface TypeSources {
  specs: readonly ResourceSpec[];
  functions: readonly FunctionDoc[];
  /** Kinds whose objects functions answer. */
  observed: readonly ResourceSpec[];
  names: TypeNames;
  types: TypeTexts;
  specOf(kind: string): ResourceSpec | undefined;
}

/** `input.ts`, `output.ts` and `enums.ts`, by name. */
export function typeFiles(sources: TypeSources): Record<string, string> {
  const { specs, functions, observed } = sources;
  const given = [...specs.flatMap(inputFields), ...settingFields];
  const inputs = functions.flatMap(({ inputs }) => inputs);
  const answered = [
    ...specs.flatMap(outputFields),
    ...functions.flatMap(({ outputs }) => outputs),
    ...observed.flatMap(observedFields),
  ];
  const taken = [...new Set(functions.flatMap(({ inputsOf }) => inputsOf ?? []))];
  return {
    "enums.ts": fileText(enums(sources), []),
    "input.ts": fileText(
      [
        messages(sources, within([...given, ...inputs]), "input"),
        messages(sources, within(inputs), "plain"),
        ...taken.map((kind) => declaration(sources, kind)),
      ].join("\n"),
      [pulumiTypes, ...typeImports(".").filter(({ word }) => word.startsWith("enums"))],
    ).replace(/\binput\./g, ""),
    "output.ts": fileText(
      [messages(sources, within(answered), "output"), ...observed.map((spec) => observation(sources, spec))].join("\n"),
      typeImports(".").filter(({ word }) => word.startsWith("enums")),
    ).replace(/\boutput\./g, ""),
    "index.ts": `${fileText("", [])}
export * as enums from "./enums";
export * as input from "./input";
export * as output from "./output";
`,
  };
}

/** The fields with all that is in them. */
function within(fields: readonly Field[]): Field[] {
  return fields.flatMap((field) => [field, ...within(field.fields ?? []), ...within(field.item ? [field.item] : [])]);
}

function messages({ names, types, specOf }: TypeSources, fields: readonly Field[], position: Position): string {
  const used = new Set(fields.map((field) => names.nameOf(field)));
  return names.all
    .filter(({ name, field }) => field.type === "object" && used.has(name) && !name.startsWith("Observed"))
    .map((type) => {
      const visibleFields = position === "output" ? type.field.fields! : type.field.fields!.filter(isInput);
      const name = position === "input" ? argsName(type.name) : type.name;
      return `${comment({ paragraphs: [typeDescription(type)] })}export interface ${name} {
${members(visibleFields, position, types, type.kind === undefined ? undefined : specOf(type.kind))}}
`;
    })
    .join("\n");
}

const isInput = ({ markers }: Field): boolean => !markers.outputOnly;

/** An object of a kind as functions answer it. */
const observation = ({ types }: TypeSources, spec: ResourceSpec): string =>
  `${comment({ paragraphs: [observedSummary(spec)] })}export interface Observed${spec.kind} {
${members(observedFields(spec), "output", types)}}
`;

/** What a program declares of a kind, for a function that takes it at once. */
function declaration({ types, specOf }: TypeSources, kind: string): string {
  const spec = specOf(kind)!;
  return `${comment({ paragraphs: [`The inputs of \`${kind}\`, with all values known. ${spec.summary}`] })}export interface ${kind} {
${members(inputFields(spec), "plain", types, spec)}}
`;
}

const enums = ({ names }: TypeSources): string =>
  names.all
    .filter(({ field }) => field.type !== "object")
    .map(
      (type) =>
        `${comment({ paragraphs: [typeDescription(type)] })}${unionType(`export type ${type.name} =`, enumValues(type.field.values!))}
${comment({ paragraphs: [typeDescription(type)] })}export const ${type.name} = {
${Object.entries(type.field.meanings!).map(enumMember).join("")}} as const;
`,
    )
    .join("\n");

const enumMember = ([value, meaning]: [string, string]): string =>
  `${comment({ paragraphs: [meaning] }, "  ")}  ${memberName(value)}: ${JSON.stringify(value)},\n`;
