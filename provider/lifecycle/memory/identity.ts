import { createHash } from "node:crypto";
import { trimEndOf } from "../../../io/text/trim";
import { isLoopback } from "../../api/settings/endpoint";
import { type HiddenContext, isNew, recordsIn } from "../../core/declaration/own-fields";
import type { ResourceSpec } from "../../core/declaration/resource";
import { ModelPlatformError } from "../../core/errors";
import { resourceNameIn } from "../../core/pulumi-names";
import { containsSecret } from "../../core/secrets";
import { foldAscii } from "../../core/values/letter-case";
import { fillTemplate, isSegment, slug } from "../../core/values/names";
import { memoizeByText } from "../../core/values/once";
import { containsUnknown, isUnknown } from "../../core/values/values";
import type { Values } from "../types";

export const nameOf = (spec: ResourceSpec, account: string, id: string): string =>
  fillTemplate(spec.name.replace(/\{(?!account)\w+\}/g, "{id}"), { account, id });

const longest = 63;

/**
 * An id that the same declaration gets again after a crash, and another declaration does not: `<slug of the name>-<7
 * hex>`. Inputs are not part of it, so that a crash followed by an edit finds the first object.
 */
export function automaticId(hidden: HiddenContext, account: string, attempt: number): string {
  const [, project] = /^urn:pulumi:[^:]*::([^:]*)::/.exec(hidden.urn) ?? [];
  const name = resourceNameIn(hidden.urn);
  const digest = createHash("sha256")
    .update(JSON.stringify([hidden.organization, project, hidden.stack, hidden.urn, account, attempt]))
    .digest("hex")
    .slice(0, 7);
  return `${withinLength(slug(name), longest - digest.length - 1)}-${digest}`;
}

const withinLength = (text: string, length: number): string => trimEndOf(text.slice(0, length), /-/);

/** Attempts to try when ids are taken: a handful of probes finds a free one among any number of tombstones. */
export function* attemptNumbers(): Generator<number> {
  yield 0;
  for (let attempt = 1; attempt <= 1 << 20; attempt *= 2) yield attempt;
}

/** Whether an id is one of this declaration's automatic ones. */
export const isAutomatic = (hidden: HiddenContext, account: string, id: string): boolean =>
  [...attemptNumbers()].some((attempt) => automaticId(hidden, account, attempt) === id);

/** The same declaration under each URN that it has or had. */
export const underEachName = (hidden: HiddenContext): HiddenContext[] =>
  [hidden.urn, ...(hidden.aliases ?? [])].map((urn) => ({ ...hidden, urn }));

/** Where the id comes from: it is automatic, chosen by the program or a field, or a natural key replaces it. */
export type IdSource = "automatic" | "chosen" | "key";

/** Where the id of an object comes from that the program declares. */
export function idSourceOf(spec: ResourceSpec, inputs: Values): IdSource {
  if (naturalKey(spec, inputs) !== undefined || spec.identity.decidedBy === "service") return "key";
  return chosenId(spec, inputs) === undefined ? "automatic" : "chosen";
}

/** The id that the program chose or that its fields imply; undefined if it is automatic or chosen by the service. */
export function chosenId(spec: ResourceSpec, inputs: Values): string | undefined {
  const { resourceId } = spec.fields;
  const input = resourceId && inputs[resourceId.name];
  if (typeof input === "string") return input;
  const rule = spec.identity.default;
  return typeof rule === "object" ? slug(String(inputs[rule.hyphenOf])) : undefined;
}

/** Whether the program itself chose the id. */
export const hasChosenId = (spec: ResourceSpec, inputs: Values): boolean =>
  spec.fields.resourceId !== undefined && typeof inputs[spec.fields.resourceId.name] === "string";

/**
 * The id by which a stack names an object that would have an automatic one (`pulumi:autonaming`); null where the
 * program has to give it, undefined where the stack says nothing. An object that is there keeps its id. An id of the
 * stack counts as chosen: unlike an automatic one, other declarations may have it as well.
 */
export function idByStack(
  { identity, fields: { resourceId } }: ResourceSpec,
  naming: HiddenContext["naming"],
  olds: Values,
  news: Values,
): string | null | undefined {
  if (naming === undefined || resourceId === undefined) return undefined;
  // An id that is never reused could name one run of a job, and no other.
  if (identity.decidedBy !== "client" || identity.default !== "automatic" || identity.neverReused) return undefined;
  if ((news[resourceId.name] ?? undefined) !== undefined) return undefined;
  const recorded = olds[resourceId.name];
  if (!isNew(olds)) return typeof recorded === "string" ? recorded : undefined;
  if (naming.mode === "disabled") return null;
  return naming.mode === "enforce" ? naming.proposedName : withinLength(slug(naming.proposedName), longest);
}

/** Text of the natural key, ASCII letters in lower case; undefined if the kind has none or a part is missing. */
export function naturalKey(spec: ResourceSpec, values: Values): string | undefined {
  const parts = (spec.identity.naturalKey ?? []).map((name) => values[name]);
  return parts.length > 0 && parts.every((part) => typeof part === "string" && part !== "")
    ? JSON.stringify(parts.map((part) => foldAscii(String(part))))
    : undefined;
}

/** Represents a natural key whose text, an email or a name of a credential, must not be readable. */
export const digestNaturalKey = (kind: string, account: string, key: string): string =>
  createHash("sha256")
    .update(JSON.stringify([kind, account, key]))
    .digest("hex");

/** Digest of a program's inputs without secrets; distinguishes an edit from a repetition. */
export function inputsDigest(spec: ResourceSpec, inputs: Values): string {
  const message = spec.fields.message
    .filter((field) => !containsSecret(field))
    .map((field) => [field.name, inputs[field.name] ?? null]);
  return createHash("sha256").update(JSON.stringify(message)).digest("hex");
}

/** An object that a declaration names as its own, and the inputs by which it does. */
interface Claim {
  /**
   * The same for every declaration of that object: its resource name, or its
   * collection with a digest of the natural key.
   */
  key: string;
  properties: readonly string[];
}

/**
 * The objects that a program's inputs claim: by a chosen id, by a natural key, or as the only one of the account. What
 * is not known yet claims nothing, and neither does an automatic id, which follows from the URN.
 */
export function objectClaims(spec: ResourceSpec, account: unknown, inputs: Values): Claim[] {
  if (typeof account !== "string" || isUnknown(account) || !isSegment(account)) return [];
  if (spec.singleton) return [{ key: nameOf(spec, account, ""), properties: ["accountId"] }];
  const claims: Claim[] = [];
  const { fields, identity } = spec;
  const idField =
    fields.resourceId && inputs[fields.resourceId.name] !== undefined ? fields.resourceId.name : undefined;
  const property = idField ?? (typeof identity.default === "object" ? identity.default.hyphenOf : "");
  const id = typeof inputs[property] === "string" && !isUnknown(inputs[property]) ? chosenId(spec, inputs) : undefined;
  if (id !== undefined && isSegment(id)) claims.push({ key: nameOf(spec, account, id), properties: [property] });
  const key = naturalKey(spec, inputs);
  const properties = identity.naturalKey ?? [];
  if (key === undefined || properties.some((name) => containsUnknown(inputs[name]))) return claims;
  const digest = digestNaturalKey(spec.kind, account, key);
  return [...claims, { key: `accounts/${account}/${spec.collection}#${digest}`, properties }];
}

/** The keys of what the inputs claim. Of the inputs they show the account and the id only. */
export const claimsOf = (spec: ResourceSpec, account: unknown, inputs: Values): string[] =>
  objectClaims(spec, account, inputs).map(({ key }) => key);

/**
 * Loopback origins count as one: an emulator gets another port each time (A006). The path of a base URL belongs to it:
 * one origin may have several services.
 */
export const canonicalBaseUrl = memoizeByText((base: string): string => {
  if (!URL.canParse(base)) return base;
  const { hostname, origin, pathname } = new URL(base);
  return `${isLoopback(hostname) ? "loopback" : origin}${pathname.replace(/\/$/, "")}`;
});

/**
 * A wrong base URL must not make every object look deleted, so recorded objects are only looked up at their own base
 * URL (A006).
 */
export function assertSameEndpoint(title: string, outputs: Values, base: string, allowed: boolean): void {
  const recorded = recordsIn(outputs).endpoint;
  if (recorded === undefined || recorded === base || allowed || canonicalBaseUrl(recorded) === canonicalBaseUrl(base))
    return;
  throw new ModelPlatformError(`${title} was recorded at ${recorded}, and the base URL is now ${base}`, {
    code: "another-address",
    advice:
      "Set `modelplatform:baseUrl` back, or set `modelplatform:allowEndpointChange` to true if the service has really moved.",
  });
}

/** The stack and project of a URN. */
export const stackOf = (urn: string): string => urn.split("::").slice(0, 2).join("::");

export const stackNameOf = (urn: string): string => urn.split("::")[0]!.replace("urn:pulumi:", "");

export const projectOf = (urn: string): string | undefined => urn.split("::")[1];

/** What stays of a URN where its stack is renamed: types and name. */
export const urnWithoutStack = (urn: string): string => urn.split("::").slice(2).join("::");

/**
 * What a program writes so that a resource continues with what it was before. A program serves several stacks: each
 * puts in its own name, unless the resource comes from another stack.
 */
export function aliasText(former: string, urn: string): string {
  const name = resourceNameIn(former);
  const isOnlyRenamed = former === urn.slice(0, urn.lastIndexOf("::") + 2) + name;
  if (isOnlyRenamed) return `aliases: [{ name: "${name}" }]`;
  if (stackOf(former) !== stackOf(urn)) return `aliases: ["${former}"]`;
  return `aliases: ["urn:pulumi:" + pulumi.getStack() + "${former.slice(former.indexOf("::"))}"]`;
}
