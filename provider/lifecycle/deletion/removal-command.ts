import type { ResourceSpec } from "../../core/declaration/resource";
import { accountOf, lastSegment, snakeCase } from "../../core/values/names";

/** How a person deletes an object that no state holds. */
export const removalCommand = (spec: ResourceSpec, name: string): string => commandFor("delete", spec, name);

/** How a person calls an operation on one object. */
export function commandFor(verb: "get" | "delete", spec: ResourceSpec, name: string): string {
  const [, id = "id"] = /\{(?!account)(\w+)\}$/.exec(spec.name) ?? [];
  const option = snakeCase(id).replaceAll("_", "-");
  return `\`npx pulumi-modelplatform call ${verb}${spec.kind} --account ${accountOf(name)} --${option} ${lastSegment(name)}\``;
}
