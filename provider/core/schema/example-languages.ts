import type { ResourceSpec } from "../declaration/resource";
import { inputFields } from "../declaration/surface";
import type { Field } from "../fields/fields";
import { packageName } from "../fields/tokens";
import { memberName, type TypeNames } from "../fields/type-names";
import { snakeCase } from "../values/names";
import { exampleProgram } from "./example-program";

/** How a language writes the example of a kind, from the same values. */
interface Language {
  name: string;
  /** A member of an object, or an argument. */
  member(name: string, value: string): string;
  /** A message, of the type that it has in the language. */
  message(type: string, members: string[], indent: string): string;
  list(item: Field, entries: string[]): string;
  /** A value of an enum that does not grow. */
  enumeration(type: string, value: string): string;
  scalar(field: Field, value: unknown): string;
  program(kind: string, members: string[]): string;
}

const text = (value: unknown): string => JSON.stringify(value);
const capital = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
const block = (open: string, lines: readonly string[], close: string, indent: string): string =>
  [open, ...lines.map((line) => `${indent}${line}`), `${indent.slice(0, -4)}${close}`].join("\n");
const deeper = "    ";

const python: Language = {
  name: "python",
  member: (name, value) => `"${snakeCase(name)}": ${value},`,
  message: (_, members, indent) => block("{", members, "}", indent),
  list: (_, entries) => `[${entries.join(", ")}]`,
  enumeration: (type, value) => `modelplatform.${type}.${snakeCase(memberName(value)).slice(1).toUpperCase()}`,
  scalar: (_, value) => (typeof value === "boolean" ? capital(String(value)) : text(value)),
  program: (kind, members) => {
    const named = members.map((member) => member.replace(/^"(\w+)": /, "$1="));
    const made = block(`example = modelplatform.${kind}(`, ['"example",', ...named], ")", deeper);
    return `import pulumi_${packageName} as modelplatform\n\n${made}`;
  },
};

const go: Language = {
  name: "go",
  member: (name, value) => `${capital(name)}: ${value},`,
  message: (type, members, indent) => block(`&modelplatform.${type}Args{`, members, "}", indent),
  list: (item, entries) => `pulumi.${goTypes[item.type]}Array{${entries.join(", ")}}`,
  enumeration: (type, value) =>
    `modelplatform.${type}${memberName(value).includes("_") ? "_" : ""}${memberName(value)}`,
  scalar: ({ type }, value) => `pulumi.${goTypes[type]}(${text(value)})`,
  program: (kind, members) =>
    block(
      `example, err := modelplatform.New${kind}(ctx, "example", &modelplatform.${kind}Args{`,
      members,
      "})",
      deeper,
    ),
};
const goTypes: Readonly<Record<string, string>> = {
  string: "String",
  integer: "Int",
  number: "Float64",
  boolean: "Bool",
};

const csharp: Language = {
  name: "csharp",
  member: (name, value) => `${capital(name)} = ${value},`,
  message: (type, members, indent) => block(`new ModelPlatform.Inputs.${type}Args {`, members, "}", indent),
  list: (_, entries) => `new[] { ${entries.join(", ")} }`,
  enumeration: (type, value) => `ModelPlatform.${type}.${memberName(value)}`,
  scalar: (_, value) => text(value),
  program: (kind, members) => {
    const made = block(`var example = new ModelPlatform.${kind}("example", new() {`, members, "});", deeper);
    return `using ModelPlatform = Pulumi.ModelPlatform;\n\n${made}`;
  },
};

const java: Language = {
  name: "java",
  member: (name, value) => `.${name}(${value})`,
  message: (type, members, indent) =>
    `${block(`${type}Args.builder()`, members, "", indent).trimEnd()}\n${indent}.build()`,
  list: (_, entries) => entries.join(", "),
  enumeration: (type, value) => `${type}.${memberName(value)}`,
  scalar: (_, value) => text(value),
  program: (kind, members) =>
    block(
      `var example = new ${kind}("example", ${kind}Args.builder()`,
      [...members, ".build());"],
      "",
      deeper,
    ).trimEnd(),
};

const yaml: Language = {
  name: "yaml",
  member: (name, value) => (value.startsWith("\n") ? `${name}:${value}` : `${name}: ${value}`),
  message: (_, members, indent) => `\n${members.map((member) => `${indent}${member}`).join("\n")}`,
  list: (_, entries) => `[${entries.join(", ")}]`,
  enumeration: (_, value) => text(value),
  scalar: (_, value) => text(value),
  program: (kind, members) =>
    `resources:\n  example:\n    type: ${packageName}:${kind}\n    properties:\n${members.map((member) => `      ${member}`).join("\n")}`,
};

/** What a value is written in. */
interface Writing {
  language: Language;
  names: TypeNames;
}

function valueOf(writing: Writing, field: Field, value: unknown, indent: string): string {
  const { language, names } = writing;
  if (Array.isArray(value))
    return language.list(
      field.item!,
      value.map((entry) => valueOf(writing, field.item!, entry, indent)),
    );
  if (typeof value === "object" && value !== null) {
    const members = membersOf(writing, field.fields ?? [], value, `${indent}${deeper}`);
    return language.message(names.nameOf(field) ?? "", members, `${indent}${deeper}`);
  }
  const type = field.closed ? names.nameOf(field) : undefined;
  return type === undefined ? language.scalar(field, value) : language.enumeration(type, String(value));
}

const membersOf = (writing: Writing, fields: readonly Field[], values: object, indent: string): string[] =>
  Object.entries(values).map(([name, value]) => {
    const field = fields.find((candidate) => candidate.name === name)!;
    return writing.language.member(name, valueOf(writing, field, value, indent));
  });

/** The example of a kind in every language, as blocks of a description. */
export function exampleBlocks(spec: ResourceSpec, names: TypeNames): string {
  const written = [python, go, csharp, java, yaml].map((language) => {
    const indent = language === yaml ? "    " : deeper;
    const members = membersOf({ language, names }, inputFields(spec), spec.example, indent);
    return fenced(language.name, language.program(spec.kind, members));
  });
  return [fenced("typescript", exampleProgram(spec)), ...written].join("\n\n");
}

const fenced = (language: string, program: string): string => `\`\`\`${language}\n${program}\n\`\`\``;
