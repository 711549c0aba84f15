import { createHash } from "node:crypto";
import { holdsSecret } from "../../core/checks/check";
import type { Hidden } from "../../core/declaration/own-records";
import type { ResourceSpec } from "../../core/declaration/resource";
import { resourceNameIn } from "../../core/fields/tokens";
import { slug } from "../../core/values/names";
import type { Values } from "../types";

const longest = 63;

/**
 * An id that the same declaration gets again after a crash, and another declaration does not: `<slug of the name>-<7
 * hex>`. Inputs are not part of it, so that a crash followed by an edit finds the first object.
 */
export function automaticId(hidden: Hidden, account: string, attempt: number): string {
  const [, project] = /^urn:pulumi:[^:]*::([^:]*)::/.exec(hidden.urn) ?? [];
  const name = resourceNameIn(hidden.urn);
  const digest = createHash("sha256")
    .update(JSON.stringify([hidden.organization, project, hidden.stack, hidden.urn, account, attempt]))
    .digest("hex")
    .slice(0, 7);
  return `${slug(name)
    .slice(0, longest - digest.length - 1)
    .replace(/-+$/, "")}-${digest}`;
}

/** Attempts to try when ids are taken: a handful of probes finds a free one among any number of tombstones. */
export function* attempts(): Generator<number> {
  yield 0;
  for (let attempt = 1; attempt <= 1 << 20; attempt *= 2) yield attempt;
}

/** Whether an id is one of this declaration's automatic ones. */
export const isAutomatic = (hidden: Hidden, account: string, id: string): boolean =>
  [...attempts()].some((attempt) => automaticId(hidden, account, attempt) === id);

/** The same declaration under each URN that it has or had. */
export const underEachName = (hidden: Hidden): Hidden[] =>
  [hidden.urn, ...(hidden.aliases ?? [])].map((urn) => ({ ...hidden, urn }));

/** The id that the program chose or that its fields imply; undefined if it is automatic or chosen by the service. */
export function chosenId(spec: ResourceSpec, inputs: Values): string | undefined {
  const { resourceId } = spec.fields;
  const given = resourceId && inputs[resourceId.name];
  if (typeof given === "string") return given;
  const rule = spec.identity.default;
  return typeof rule === "object" ? slug(String(inputs[rule.hyphenOf])) : undefined;
}

/** Whether the program itself chose the id. */
export const isFixed = (spec: ResourceSpec, inputs: Values): boolean =>
  spec.fields.resourceId !== undefined && typeof inputs[spec.fields.resourceId.name] === "string";

/** Text of the natural key in lower case; undefined if the kind has none or a part is missing. */
export function naturalKey(spec: ResourceSpec, values: Values): string | undefined {
  const parts = (spec.identity.naturalKey ?? []).map((name) => values[name]);
  return parts.length > 0 && parts.every((part) => typeof part === "string" && part !== "")
    ? JSON.stringify(parts.map((part) => String(part).toLowerCase()))
    : undefined;
}

/** Stands for a natural key where the key itself, an email or a name of a credential, is not to be read. */
export const digestOfKey = (kind: string, account: string, key: string): string =>
  createHash("sha256")
    .update(JSON.stringify([kind, account, key]))
    .digest("hex");

/** Digest of a program's inputs, secrets left out; tells an edit from a repetition. */
export function inputsDigest(spec: ResourceSpec, inputs: Values): string {
  const message = spec.fields.message
    .filter((field) => !holdsSecret(field))
    .map((field) => [field.name, inputs[field.name] ?? null]);
  return createHash("sha256").update(JSON.stringify(message)).digest("hex");
}

/** The stack and project of a URN. */
export const stackOf = (urn: string): string => urn.split("::").slice(0, 2).join("::");

/** The name of the stack of a URN. */
export const stackNameOf = (urn: string): string => urn.split("::")[0]!.replace("urn:pulumi:", "");

export const projectOf = (urn: string): string | undefined => urn.split("::")[1];

/** What stays of a URN where its stack is renamed: types and name. */
export const tailOf = (urn: string): string => urn.split("::").slice(2).join("::");

/** What a program writes so that a resource continues with what it was before. */
export function aliasText(former: string, urn: string): string {
  const name = resourceNameIn(former);
  const isOnlyRenamed = former === urn.slice(0, urn.lastIndexOf("::") + 2) + name;
  return `aliases: [${isOnlyRenamed ? `{ name: "${name}" }` : `"${former}"`}]`;
}
