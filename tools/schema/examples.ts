import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { inputFields } from "../../provider/core/declaration/surface";
import type { Field } from "../../provider/core/fields/fields";
import { packageName } from "../../provider/core/pulumi-names";
import { snakeCase } from "../../provider/core/values/names";
import { memberName, type TypeNames } from "./type-names";

/** The shortest program that declares an object of the kind, with the package `from`. */
export function exampleProgram(spec: ResourceSpec, from: string): string {
  const statement = exampleStatement(spec);
  return `import { ${spec.kind} } from "${from}";\n\n${statement}`;
}

export const exampleStatement = ({ kind, example }: ResourceSpec): string =>
  `const example = new ${kind}("example", ${literal(example)});`;

/** The shortest program that calls the function. */
export function exampleInvocation(name: string, example: Readonly<Record<string, unknown>>, from: string): string {
  const args = Object.keys(example).length === 0 ? "" : literal(example);
  return `import { ${name}Output } from "${from}";\n\nconst result = ${name}Output(${args});`;
}

/** A value as a program writes it. */
export function literal(value: unknown, indent = ""): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const deeper = `${indent}  `;
  const entries = Array.isArray(value)
    ? value.map((entry) => literal(entry, deeper))
    : Object.entries(value).map(
        ([name, member]) =>
          `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}: ${literal(member, deeper)}`,
      );
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return entries.length === 0
    ? `${open}${close}`
    : `${open}\n${entries.map((entry) => `${deeper}${entry},\n`).join("")}${indent}${close}`;
}

/** What programs of a language import, without the package's own name in C# and Java. */
export interface SdkNames {
  nodejs: string;
  go: string;
  csharp: string;
  java: string;
}

/** How a language writes the example of a kind or a function, from the same values. */
interface Language {
  name: string;
  /** A member of an object, or an argument. */
  member(name: string, value: string): string;
  /** A message, of the type that it has in the language. */
  message(type: string, members: string[], indent: string): string;
  list(item: Field, entries: string[]): string;
  map(item: Field, entries: [key: string, value: string][]): string;
  /** A value of an enum that does not grow. */
  enumeration(type: string, value: string): string;
  scalar(field: Field, value: unknown): string;
  program(kind: string, members: string[]): string;
  /** A call of a function, in the form whose arguments may be outputs. */
  invocation(called: ExampleCall, members: string[]): string;
}

interface ExampleCall {
  name: string;
  /** Whether a kind is called as what the function gets. */
  getsKind: boolean;
}

const text = (value: unknown): string => JSON.stringify(value);
const capitalize = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
const block = (open: string, lines: readonly string[], close: string, indent: string): string =>
  lines.length === 0
    ? `${open}${close}`
    : [open, ...lines.map((line) => `${indent}${line}`), `${indent.slice(0, -4)}${close}`].join("\n");
const deeper = "    ";

const python: Language = {
  name: "python",
  member: (name, value) => `"${snakeCase(name)}": ${value},`,
  message: (_, members, indent) => block("{", members, "}", indent),
  list: (_, entries) => `[${entries.join(", ")}]`,
  map: (_, entries) => `{${entries.map(([key, value]) => `${text(key)}: ${value}`).join(", ")}}`,
  enumeration: (type, value) => `modelplatform.${type}.${snakeCase(memberName(value)).slice(1).toUpperCase()}`,
  scalar: (_, value) => (typeof value === "boolean" ? capitalize(String(value)) : text(value)),
  program: (kind, members) =>
    pythonProgram(block(`example = modelplatform.${kind}(`, ['"example",', ...wrapInName(members)], ")", deeper)),
  invocation: ({ name }, members) =>
    pythonProgram(block(`result = modelplatform.${snakeCase(name)}_output(`, wrapInName(members), ")", deeper)),
};
const pythonProgram = (statement: string): string => `import pulumi_${packageName} as modelplatform\n\n${statement}`;
const wrapInName = (members: readonly string[]): string[] =>
  members.map((member) => member.replace(/^"(\w+)": /, "$1="));

const go: Language = {
  name: "go",
  member: (name, value) => `${capitalize(name)}: ${value},`,
  message: (type, members, indent) => block(`&modelplatform.${type}Args{`, members, "}", indent),
  list: (item, entries) => `pulumi.${goTypes[item.type]}Array{${entries.join(", ")}}`,
  map: (item, entries) =>
    `pulumi.${goTypes[item.type]}Map{${entries.map(([key, value]) => `${text(key)}: ${value}`).join(", ")}}`,
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
  invocation: ({ name, getsKind }, members) => {
    // `Get` and a kind's name read the state of a resource.
    const called = getsKind ? capitalize(name).replace(/^Get/, "Lookup") : capitalize(name);
    return block(
      `result := modelplatform.${called}Output(ctx, modelplatform.${called}OutputArgs{`,
      members,
      "})",
      deeper,
    );
  },
};
const goTypes: Readonly<Record<string, string>> = {
  string: "String",
  integer: "Int",
  number: "Float64",
  boolean: "Bool",
};

const csharpOf = (namespace: string): Language => ({
  name: "csharp",
  member: (name, value) => `${capitalize(name)} = ${value},`,
  message: (type, members, indent) => block(`new ModelPlatform.Inputs.${type}Args {`, members, "}", indent),
  list: (_, entries) => `new[] { ${entries.join(", ")} }`,
  map: (_, entries) => `{ ${entries.map(([key, value]) => `[${text(key)}] = ${value}`).join(", ")} }`,
  enumeration: (type, value) => `ModelPlatform.${type}.${memberName(value)}`,
  scalar: (_, value) => text(value),
  program: (kind, members) => {
    const made = block(`var example = new ModelPlatform.${kind}("example", new() {`, members, "});", deeper);
    return `${csharpImport(namespace)}${made}`;
  },
  invocation: ({ name }, members) => {
    const [open, close] = members.length === 0 ? ["", ");"] : ["new() {", "});"];
    return `${csharpImport(namespace)}${block(`var result = ModelPlatform.${capitalize(name)}.Invoke(${open}`, members, close, deeper)}`;
  },
});
const csharpImport = (namespace: string): string => `using ModelPlatform = ${namespace}.ModelPlatform;\n\n`;

const javaOf = (base: string): Language => ({
  name: "java",
  member: (name, value) => `.${name}(${value})`,
  message: (type, members, indent) =>
    `${block(`${type}Args.builder()`, members, "", indent).trimEnd()}\n${indent}.build()`,
  list: (_, entries) => entries.join(", "),
  map: (_, entries) => `Map.of(${entries.map(([key, value]) => `${text(key)}, ${value}`).join(", ")})`,
  enumeration: (type, value) => `${type}.${memberName(value)}`,
  scalar: (_, value) => text(value),
  program: (kind, members) => {
    const built = block(
      `var example = new ${kind}("example", ${kind}Args.builder()`,
      [...members, ".build());"],
      "",
      deeper,
    );
    return javaProgram(base, [kind, `${kind}Args`], built);
  },
  invocation: ({ name }, members) => {
    const [functions, args] = [`${capitalize(packageName)}Functions`, `${capitalize(name)}Args`];
    if (members.length === 0) return javaProgram(base, [functions], `var result = ${functions}.${name}();`);
    const built = block(`var result = ${functions}.${name}(${args}.builder()`, [...members, ".build());"], "", deeper);
    return javaProgram(base, [functions, `inputs.${args}`], built);
  },
});

/** The statement after what it needs: the named classes, and those of the values in it. */
function javaProgram(base: string, classes: readonly string[], statement: string): string {
  const inner = [
    ...[...statement.matchAll(/[ (](\w+Args)\.builder\(\)/g)].map(([, name]) => `inputs.${name}`),
    ...[...statement.matchAll(/\((\w+)\.[A-Z]\w*\)/g)].map(([, name]) => `enums.${name}`),
  ].filter((name) => !classes.some((known) => name.endsWith(`.${known}`)));
  const imports = [...new Set([...classes, ...inner])].map((name) => `import ${base}.${packageName}.${name};`);
  if (statement.includes("Map.of(")) imports.push("import java.util.Map;");
  return `${imports.join("\n")}\n\n${statement.trimEnd()}`;
}

const yaml: Language = {
  name: "yaml",
  member: (name, value) => (value.startsWith("\n") ? `${name}:${value}` : `${name}: ${value}`),
  message: (_, members, indent) => `\n${members.map((member) => `${indent}${member}`).join("\n")}`,
  list: (_, entries) => `[${entries.join(", ")}]`,
  map: (_, entries) => `{ ${entries.map(([key, value]) => `${text(key)}: ${value}`).join(", ")} }`,
  enumeration: (_, value) => text(value),
  scalar: (_, value) => text(value),
  program: (kind, members) =>
    `resources:\n  example:\n    type: ${packageName}:${kind}\n    properties:\n${members.map((member) => `      ${member}`).join("\n")}`,
  invocation: ({ name }, members) => {
    const argumentsText =
      members.length === 0 ? "" : `\n      arguments:\n${members.map((member) => `        ${member}`).join("\n")}`;
    return `variables:\n  result:\n    fn::invoke:\n      function: ${packageName}:${name}${argumentsText}`;
  },
};

/** What a value is written in. */
interface WritingContext {
  language: Language;
  names: TypeNames;
}

function valueOf(writing: WritingContext, field: Field, value: unknown, indent: string): string {
  const { language, names } = writing;
  if (Array.isArray(value))
    return language.list(
      field.item!,
      value.map((entry) => valueOf(writing, field.item!, entry, indent)),
    );
  if (field.type === "map") {
    const entries = Object.entries(value as object).map(([key, entry]): [string, string] => [
      key,
      valueOf(writing, field.item!, entry, indent),
    ]);
    return language.map(field.item!, entries);
  }
  if (typeof value === "object" && value !== null) {
    const members = membersOf(writing, field.fields ?? [], value, `${indent}${deeper}`);
    return language.message(names.nameOf(field) ?? "", members, `${indent}${deeper}`);
  }
  const type = field.closed ? names.nameOf(field) : undefined;
  return type === undefined ? language.scalar(field, value) : language.enumeration(type, String(value));
}

const membersOf = (writing: WritingContext, fields: readonly Field[], values: object, indent: string): string[] =>
  Object.entries(values).map(([name, value]) => {
    const field = fields.find((candidate) => candidate.name === name)!;
    return writing.language.member(name, valueOf(writing, field, value, indent));
  });

const othersOf = (sdks: SdkNames): Language[] => [python, go, csharpOf(sdks.csharp), javaOf(sdks.java), yaml];

/** The example of a kind in every language, as blocks of a description. */
export function resourceExamples(spec: ResourceSpec, names: TypeNames, sdks: SdkNames): string {
  const written = othersOf(sdks).map((language) => {
    const members = membersOf({ language, names }, inputFields(spec), spec.example, deeper);
    return codeFence(language.name, language.program(spec.kind, members));
  });
  return [codeFence("typescript", exampleProgram(spec, sdks.nodejs)), ...written].join("\n\n");
}

/** The same of a function. */
export function functionExamples(
  { name, inputs, example, getsKind }: CalledFunction,
  names: TypeNames,
  sdks: SdkNames,
): string {
  const written = othersOf(sdks).map((language) => {
    const members = membersOf({ language, names }, inputs, example, deeper);
    return codeFence(language.name, language.invocation({ name, getsKind }, members));
  });
  return [codeFence("typescript", exampleInvocation(name, example, sdks.nodejs)), ...written].join("\n\n");
}

interface CalledFunction extends ExampleCall {
  inputs: readonly Field[];
  example: Readonly<Record<string, unknown>>;
}

const codeFence = (language: string, program: string): string => `\`\`\`${language}\n${program}\n\`\`\``;
