import { isDeepStrictEqual } from "node:util";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { Field } from "../../provider/core/fields/fields";
import { policyBody } from "../contract/reference/conventional-operations";
import {
  mutableDeploymentFields,
  mutableModelFields,
  replacingDeploymentFields,
  replacingModelFields,
} from "../contract/reference/mutability";
import { deployedModelBody, listedOperations, userBody } from "../contract/reference/operations";
import { reference } from "../contract/reference/tables";
import type { Values } from "../values";

/**
 * What the four kinds of server make of a PATCH (A030), written from the convention's
 * text and the fact tables, not from the code.
 */

export type ServerKind = "mask" | "derive" | "populated" | "replace";

export const serverKinds: readonly ServerKind[] = ["mask", "derive", "populated", "replace"];

/** Fields that an update can write, by kind of object. */
export const mutableFields: Readonly<Record<string, readonly string[]>> = {
  Deployment: mutableDeploymentFields,
  Model: mutableModelFields,
  DeployedModel: deployedModelBody,
  User: userBody,
  Secret: ["keyName", "value"],
  PolicySettings: policyBody,
};

/** Fields without which an update is refused (A031). */
const requiredFields: Readonly<Record<string, readonly string[]>> = {
  Deployment: ["baseModel"],
  User: listedOperations.find(({ name }) => name === "updateUser")!.requiredBody!,
  Secret: listedOperations.find(({ name }) => name === "updateSecret")!.requiredBody!,
};

/** Fields that keep the value given at creation. The body of an update may repeat it. */
export const fixedFields: Readonly<Record<string, readonly string[]>> = {
  Deployment: [...replacingDeploymentFields, "expireTime"],
  Model: replacingModelFields,
};

/** What a server that replaces the object decides by itself (A004, A061). */
const spared: Readonly<Record<string, readonly string[]>> = {
  Deployment: ["activeModelVersion", "targetModelVersion"],
  PolicySettings: ["cmekRequired"],
};

/** What a shape decides (A047): the members of its snapshot, one of them under another name. */
export const shapeOwned: readonly string[] = reference.DeploymentShapeVersion.fields
  .map(({ path }) => path.replace("snapshot.", "").replace("numLoraDeviceCached", "numPeftDeviceCached"))
  .filter((name) => mutableDeploymentFields.includes(name) && !["displayName", "description"].includes(name));

/** The object after a PATCH. Throws where the service would answer 400. */
export function patched(
  kind: ServerKind,
  spec: ResourceSpec,
  stored: Values,
  mask: readonly string[] | undefined,
  body: Values,
): Values {
  const mutable = mutableFields[spec.kind]!;
  const fixed = fixedFields[spec.kind] ?? [];
  const required = requiredFields[spec.kind] ?? [];
  for (const name of required) if (body[name] === undefined) throw new Error(`${name} is required`);
  for (const name of Object.keys(body))
    if (![...mutable, ...required].includes(name) && !(fixed.includes(name) && isSame(body[name], stored[name])))
      throw new Error(`${name} cannot be updated`);
  const given = mask?.map(
    (path) => mutable.find((name) => snake(name) === path) ?? refuse(`${path} is no path of a mask`),
  );
  const after = write(stored, body, pathsFor(kind, spec, stored, given, body));
  return withoutUndefined({ ...after, ...resolvedShape(stored, after) });
}

/** Members that say nothing may be left out. */
const isSame = (sent: unknown, stored: unknown): boolean =>
  isDeepStrictEqual(JSON.parse(JSON.stringify(sent), unsaid), JSON.parse(JSON.stringify(stored), unsaid));

const unsaid = (_: string, value: unknown): unknown => (value === "" || value === null ? undefined : value);

function refuse(reason: string): never {
  throw new Error(reason);
}

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

type Path = readonly string[];

function pathsFor(
  kind: ServerKind,
  spec: ResourceSpec,
  stored: Values,
  mask: readonly string[] | undefined,
  body: Values,
): readonly Path[] {
  switch (kind) {
    case "mask":
      return mask ? mask.map((name) => [name]) : leavesOf(spec.fields.message, body);
    case "derive":
      return leavesOf(spec.fields.message, body);
    case "populated":
      return mask
        ? mask.map((name) => [name])
        : leavesOf(spec.fields.message, body).filter((path) => isPopulated(at(body, path)));
    case "replace":
      return [...mutableFields[spec.kind]!, ...(fixedFields[spec.kind] ?? [])]
        .filter((name) => Object.hasOwn(body, name) || !isSpared(spec, stored, body, name))
        .map((name) => [name]);
  }
}

function isSpared(spec: ResourceSpec, stored: Values, body: Values, name: string): boolean {
  const shape = Object.hasOwn(body, "deploymentShape") ? body["deploymentShape"] : stored["deploymentShape"];
  return (
    (spared[spec.kind] ?? []).includes(name) ||
    (spec.kind === "Deployment" && shapeOwned.includes(name) && typeof shape === "string" && shape !== "")
  );
}

/**
 * Nested messages expand to leaves; lists and maps are whole; null and zero
 * count as present; an empty message says nothing.
 */
function leavesOf(fields: readonly Field[], body: Values, parent: Path = []): readonly Path[] {
  return Object.entries(body).flatMap(([name, value]) => {
    const field = fields.find((candidate) => candidate.name === name);
    const isMessage = field?.type === "object" && value !== null && typeof value === "object";
    return isMessage ? leavesOf(field.fields ?? [], value as Values, [...parent, name]) : [[...parent, name]];
  });
}

const isPopulated = (value: unknown): boolean =>
  value !== null &&
  value !== "" &&
  value !== 0 &&
  value !== false &&
  !(typeof value === "object" && Object.keys(value as object).length === 0);

const at = (root: Values, path: Path): unknown =>
  path.reduce<unknown>((value, name) => (value as Values | undefined)?.[name], root);

function write(stored: Values, body: Values, paths: readonly Path[]): Values {
  return paths.reduce((object, path) => writeAt(object, path, at(body, path)), stored);
}

function writeAt(object: Values, [name, ...rest]: Path, value: unknown): Values {
  const inner = rest.length === 0 ? value : writeAt((object[name!] ?? {}) as Values, rest, value);
  return withoutUndefined({ ...object, [name!]: inner ?? undefined });
}

const withoutUndefined = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/** A shape is answered as the version that it stands for. */
function resolvedShape(before: Values, after: Values): Values {
  const shape = after["deploymentShape"];
  if (typeof shape !== "string" || shape === "" || shape === before["deploymentShape"] || shape.includes("/versions/"))
    return {};
  return {
    deploymentShape: shape === "default" ? "accounts/platform/deploymentShapes/s9/versions/v2" : `${shape}/versions/v2`,
  };
}
