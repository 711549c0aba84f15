import * as pulumi from "@pulumi/pulumi";
import type { ResourceSpec } from "../core/declaration/resource";
import { fieldAtPath } from "../core/fields/fields";
import { memberOf } from "../core/pulumi-names";
import { nameOutput } from "../core/references";
import { pathText, type Segment } from "../core/values/values";
import { allSpecs, specOf } from "../resources/index";

/**
 * Refuses a resource where one of its outputs is meant, and the name of an object of another kind. The SDK would send
 * all of the one, and a preview does not know the other before there is an object.
 */
export function refuseOtherResources(spec: ResourceSpec, name: string, args: object): void {
  for (const { path, value, resource } of resourcesIn(args, [])) {
    const refusal = refusalOf(spec, path, resource, value !== resource);
    if (refusal !== undefined) throw new pulumi.RunError(`${spec.kind} ${name}: ${refusal}`);
  }
}

/** A place of a program's arguments that has a resource as a whole, or its name. */
interface NamedResource {
  path: readonly Segment[];
  value: unknown;
  resource: pulumi.Resource;
}

/** Looks into plain lists and objects alone: the rest is not known yet, or is the SDK's. */
function* resourcesIn(value: unknown, path: readonly Segment[]): Generator<NamedResource> {
  if (typeof value !== "object" || value === null) return;
  if (pulumi.Output.isInstance(value)) {
    const resource = namedBy(value);
    if (resource) yield { path, value, resource };
  } else if (pulumi.Resource.isInstance(value)) yield { path, value, resource: value };
  else if (Array.isArray(value))
    for (const [index, entry] of value.entries()) yield* resourcesIn(entry, [...path, index]);
  else if (Object.getPrototypeOf(value) === Object.prototype)
    for (const [key, member] of Object.entries(value)) yield* resourcesIn(member, [...path, key]);
}

/** The resource whose very `name` or `id` an output is. */
function namedBy(output: pulumi.Output<unknown>): pulumi.Resource | undefined {
  const { resources } = output as unknown as { resources?: () => Iterable<pulumi.Resource> };
  for (const resource of resources?.call(output) ?? []) {
    const { id, name } = resource as unknown as { id?: unknown; name?: unknown };
    if (output === id || output === name) return resource;
  }
  return undefined;
}

function refusalOf(
  spec: ResourceSpec,
  path: readonly Segment[],
  resource: pulumi.Resource,
  isName: boolean,
): string | undefined {
  const { __name: name, __pulumiType: type = "" } = resource as unknown as { __name?: string; __pulumiType?: string };
  const kind = memberOf(type) ?? type;
  const named = specOf(kind);
  const collection = fieldAtPath(spec, path)?.markers.refersTo?.collection;
  if (isName && (named === undefined || collection === undefined || named.collection === collection)) return undefined;
  const wanted = allSpecs.find((candidate) => candidate.collection === collection)?.kind;
  const output = named && collection && nameOutput(named, collection, wanted);
  const thing = wanted === undefined ? "a value" : `the name of a ${wanted}`;
  const hint = output ? `, which this one has in \`${output}\`` : "";
  const subject = isName ? `the name of the ${kind} \`${name}\`` : `the ${kind} \`${name}\` as a whole`;
  return `\`${pathText(path)}\` is ${subject}. Give ${thing}${hint}.`;
}
