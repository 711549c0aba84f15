import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { inputFields, observedFields, observedSummary, outputFields } from "../../provider/core/declaration/surface";
import type { Field } from "../../provider/core/fields/fields";
import { memberName, type TypeNames, typeDescription } from "../../provider/core/fields/type-names";
import type { FunctionDoc } from "../../provider/core/schema/schema";
import { settingFields } from "../../provider/core/settings";
import { fileText, pulumiTypes, typeImports } from "./generated-file";
import { comment, unionType } from "./layout";
import { argsName, enumValues, members, type Position, type TypeTexts } from "./type-text";

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
