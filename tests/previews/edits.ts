import type { ResourceState } from "../../engine/state/resource-state";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { ownOptions } from "../../provider/core/declaration/surface";
import type { Field } from "../../provider/core/fields/fields";
import { memberOf } from "../../provider/core/pulumi-names";
import { specOf } from "../../provider/resources/index";
import { otherValue } from "../core/other-values";

/** One input of one resource of a program, and the value that it gets. */
export interface InputEdit {
  kind: string;
  resource: string;
  input: string;
  value: unknown;
}

/** Models and shapes that there are, so that a change of one leads to another. */
const others: Readonly<Record<string, readonly string[]>> = {
  models: ["accounts/platform/models/open-8b", "accounts/platform/models/open-1b"],
  deploymentShapes: ["default", "accounts/platform/deploymentShapes/open-8b-throughput"],
};

/** Every literal that the program of these resources gives, changed; and a protection that is lifted. */
export const editsOf = (resources: readonly ResourceState[]): InputEdit[] =>
  resources.flatMap(({ urn, type, inputs = {}, propertyDependencies = {} }) => {
    const resource = urn.slice(urn.lastIndexOf("::") + 2);
    const kind = memberOf(type)!;
    const isLiteral = ({ name }: Field): boolean =>
      inputs[name] !== undefined && (propertyDependencies[name] ?? []).length === 0;
    const changed = settable(specOf(kind)!)
      .filter(isLiteral)
      .map((field) => ({ kind, resource, input: field.name, value: otherOf(field, inputs[field.name]) }));
    return [...changed, { kind, resource, input: "deletionProtection", value: false }].filter(
      ({ value }) => value !== undefined,
    );
  });

const settable = (spec: ResourceSpec): readonly Field[] => [
  ...spec.fields.message,
  ...(spec.fields.resourceId ? [spec.fields.resourceId] : []),
  ...ownOptions(spec).filter(({ name }) => name !== "timeouts"),
];

function otherOf(field: Field, value: unknown): unknown {
  if (field.markers.secret) return "another-value";
  const known = others[field.markers.refersTo?.collection ?? ""] ?? [];
  if (known.includes(String(value))) return known.find((each) => each !== value);
  if (field.markers.sameAs === "letterCase") return `other-${String(value)}`;
  return otherValue(field, value);
}

/** The program of an example with the edit made to whatever it registers. */
export const withEdit = (program: string, { kind, resource, input, value }: InputEdit): string =>
  `import { runtime } from "@pulumi/pulumi";
runtime.registerStackTransformation(({ type, name, props, opts }) =>
  type.endsWith(":${kind}") && name === ${JSON.stringify(resource)}
    ? { props: { ...props, ${input}: ${JSON.stringify(value)} }, opts }
    : undefined,
);
${program}`;
