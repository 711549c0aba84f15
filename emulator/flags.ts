import type { ResourceSpec } from "../provider/core/declaration/resource";
import { invalidField } from "./refusals";
import type { Fields } from "./types";

/** The directives of a create that are set. An absent one and `false` are the same. */
export function directivesOf(spec: ResourceSpec, query: ReadonlyMap<string, string>): Fields {
  return Object.fromEntries(spec.fields.directives.flatMap(({ name }) => (flag(query, name) ? [[name, true]] : [])));
}

/** A boolean query parameter; absent is false. */
export function flag(query: ReadonlyMap<string, string>, name: string): boolean {
  const text = query.get(name) ?? "";
  if (text === "" || text === "false" || text === "0") return false;
  if (text === "true" || text === "1") return true;
  throw invalidField(name, "must be `true` or `false`");
}
