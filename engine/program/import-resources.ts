import { unsupportedError } from "../errors";
import type { Context } from "../plan/context";
import { plainGoal, stateOf } from "../plan/goal";
import { importStep } from "../plan/steps";
import type { Executor } from "../run/executor";
import {
  formatReference,
  formatUrn,
  isObject,
  isProviderType,
  type PropertyMap,
  packageOf,
  qualifiedTypeOf,
  type ResourceState,
  stackType,
} from "../state/resource-state";
import type { Registrar } from "./registrar";

/** An existing object, and its name in the state. */
interface ImportedResource {
  type: string;
  /** Unique among the imported ones; `parent` and `provider` refer to it. */
  name: string;
  /** As the program calls it. Default: `name`. */
  logicalName?: string;
  /** Components and providers have none. */
  id?: string;
  component?: boolean | undefined;
  parent?: string;
  provider?: string;
  /** Inputs to record. Default: all that the provider reads. */
  properties?: readonly string[] | undefined;
  /** Inputs that the provider cannot read; a provider's configuration. */
  inputs?: PropertyMap | undefined;
  /** All outputs: the provider is not called. */
  outputs?: PropertyMap | undefined;
}

export interface ImportRequest {
  resources: readonly ImportedResource[];
  /** URNs of the state, for names that are not among the resources. */
  nameTable?: Readonly<Record<string, string>> | undefined;
  /** Default: true, as with Pulumi: whether the program matches is not known yet. */
  protect?: boolean | undefined;
}

/** Adds existing objects to the state, which must not hold them yet. Entries with the same id are unchanged. */
export async function importResources(
  context: Context,
  executor: Executor,
  registrar: Registrar,
  request: ImportRequest,
): Promise<void> {
  const { project, stack } = context;
  const root = { type: stackType, name: `${project}-${stack}`, custom: false };
  const { urn } = (await registrar.register(plainGoal(root), "", new Map())).state;
  const run = new ImportRun({ context, executor, registrar, request, root: urn });
  const results = await Promise.allSettled(request.resources.map(async ({ name }) => run.resolve(name, [])));
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}

interface ImportParts {
  context: Context;
  executor: Executor;
  registrar: Registrar;
  request: ImportRequest;
  /** The stack's own resource. */
  root: string;
}

/** Imports each resource once, after those that it refers to. */
class ImportRun {
  private readonly byName: ReadonlyMap<string, ImportedResource>;
  private readonly done = new Map<string, Promise<ResourceState>>();

  constructor(private readonly parts: ImportParts) {
    const { resources } = parts.request;
    this.byName = new Map(resources.map((resource) => [resource.name, resource]));
    if (this.byName.size < resources.length)
      throw new Error(
        "two of the resources to import have the same `name`; give each its own, and set `logicalName` to the name in the program",
      );
  }

  /** The state that a name refers to. `above` are the names that refer to it. */
  resolve(name: string, above: readonly string[]): Promise<ResourceState> {
    if (above.includes(name))
      throw new Error(`the resources to import refer to each other in a circle: ${[...above, name].join(", ")}`);
    const resource = this.byName.get(name);
    const state =
      this.done.get(name) ?? (resource ? this.importOne(resource, [...above, name]) : this.recordedUrn(name));
    this.done.set(name, state);
    return state;
  }

  private async recordedUrn(name: string): Promise<ResourceState> {
    const { context, request } = this.parts;
    const ref = context.ledger.old(request.nameTable?.[name] ?? "");
    if (!ref)
      throw new Error(`"${name}" is neither among the resources to import nor, by the name table, in the state`);
    return ref.state;
  }

  private async importOne(resource: ImportedResource, above: readonly string[]): Promise<ResourceState> {
    const { root, context, registrar } = this.parts;
    const { type, id, logicalName: name = resource.name, inputs: properties = {} } = resource;
    const custom = resource.component !== true;
    const parent = resource.parent === undefined ? root : (await this.resolve(resource.parent, above)).urn;
    const goal = { type, name, parent, properties, custom };
    if (!custom || isProviderType(type)) return (await registrar.register(plainGoal(goal), "", new Map())).state;
    if (!id) throw new Error(`${type} ${name} has no id to import`);
    const urn = formatUrn({ ...context, parentType: qualifiedTypeOf(parent), type, name });
    const before = context.ledger.old(urn)?.state;
    if (before?.id === id) return before;
    if (before) throw new Error(`${urn} is already in the state, with the id ${before.id ?? "none"}`);
    const provider = await this.providerOf(resource, above);
    return this.read({ ...resource, id }, urn, { ...goal, provider });
  }

  private async providerOf({ type, provider }: ImportedResource, above: readonly string[]): Promise<string> {
    if (provider === undefined) return this.parts.registrar.defaultProvider(packageOf(type));
    const { urn, id = "" } = await this.resolve(provider, above);
    return formatReference({ urn, id });
  }

  /** Has the provider read the object, unless the request knows all of it, and records it. */
  private async read(
    { id, outputs, properties = [] }: ImportedResource & { id: string },
    urn: string,
    goal: Parameters<typeof plainGoal>[0],
  ): Promise<ResourceState> {
    const { executor, request } = this.parts;
    const protect = request.protect !== false;
    const desiredState = stateOf(plainGoal({ ...goal, protect }), urn, undefined, undefined);
    const step = importStep({ ...desiredState, id, outputs }, properties);
    await executor.chain([step]);
    return step.next!.state;
  }
}

/** Members of an entry that only the Pulumi CLI uses. */
const notHere = ["version", "pluginDownloadUrl", "remote", "parameterization", "extension"];

/**
 * Reads what `pulumi import --file` reads. Throws an error that names the entry at fault, without any value of the
 * file.
 */
export function parseImportFile(text: string): ImportRequest {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw new Error("the import file is not valid JSON; `codify --import` writes one");
  }
  if (!isObject(document) || !Array.isArray(document["resources"]))
    throw new Error("the import file has no list `resources`; `codify --import` writes one");
  if (document["providerInputs"] !== undefined) throw unsupportedError("The member `providerInputs` of an import file");
  const nameTable = isObject(document["nameTable"]) ? (document["nameTable"] as Record<string, string>) : {};
  return { resources: document["resources"].map(resourceIn), nameTable };
}

const mapIn = (value: unknown): PropertyMap | undefined => (isObject(value) ? (value as PropertyMap) : undefined);

function resourceIn(entry: unknown, index: number): ImportedResource {
  if (!isObject(entry) || typeof entry["type"] !== "string" || typeof entry["name"] !== "string")
    throw new Error(`entry ${index + 1} of the import file has no \`type\` or no \`name\``);
  const { type, name } = entry;
  const foreign = notHere.find((member) => entry[member] !== undefined);
  if (foreign !== undefined) throw unsupportedError(`The member \`${foreign}\` of "${name}" in an import file`);
  const texts = Object.fromEntries(
    ["id", "logicalName", "parent", "provider"].flatMap((member) =>
      typeof entry[member] === "string" && entry[member] !== "" ? [[member, entry[member]]] : [],
    ),
  ) as Partial<ImportedResource>;
  return {
    type,
    name,
    ...texts,
    component: entry["component"] === true ? true : undefined,
    properties: Array.isArray(entry["properties"]) ? entry["properties"].map(String) : undefined,
    inputs: mapIn(entry["inputs"]),
    outputs: mapIn(entry["outputs"]),
  };
}
