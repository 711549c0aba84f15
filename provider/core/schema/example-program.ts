import type { ResourceSpec } from "../declaration/resource";

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
