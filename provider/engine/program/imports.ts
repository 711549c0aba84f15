import type { PropertyMap, ResourceState } from "../../state/types";
import { formatReference, formatUrn, isProviderType, packageOf, qualifiedTypeOf, stackType } from "../../state/urns";
import type { Context } from "../plan/context";
import { plainGoal, stateOf } from "../plan/goal";
import { importStep } from "../plan/steps";
import type { Executor } from "../run/executor";
import type { Registrar } from "./registrar";

/** An existing object, and its name in the state. */
export interface ImportedResource {
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
  /** Everything: the provider is not asked. */
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
  const root = await registrar.register(
    plainGoal({ type: stackType, name: `${project}-${stack}`, custom: false }),
    "",
    new Map(),
  );
  const byName = new Map(request.resources.map((resource) => [resource.name, resource]));
  if (byName.size < request.resources.length)
    throw new Error(
      "two of the resources to import have the same `name`; give each its own, and set `logicalName` to the name in the program",
    );
  const done = new Map<string, Promise<ResourceState>>();

  /** The state that a name refers to. */
  function named(name: string, above: readonly string[]): Promise<ResourceState> {
    const resource = byName.get(name);
    if (above.includes(name))
      throw new Error(`the resources to import refer to each other in a circle: ${[...above, name].join(", ")}`);
    const known = done.get(name) ?? (resource ? take(resource, [...above, name]) : recorded(name));
    done.set(name, known);
    return known;
  }

  async function recorded(name: string): Promise<ResourceState> {
    const held = context.ledger.old(request.nameTable?.[name] ?? "");
    if (!held)
      throw new Error(`"${name}" is neither among the resources to import nor, by the name table, in the state`);
    return held.state;
  }

  async function take(resource: ImportedResource, above: readonly string[]): Promise<ResourceState> {
    const parent = resource.parent === undefined ? root.state.urn : (await named(resource.parent, above)).urn;
    const common = {
      type: resource.type,
      name: resource.logicalName ?? resource.name,
      parent,
      properties: resource.inputs ?? {},
    };
    if (resource.component === true || isProviderType(resource.type))
      return (await registrar.register(plainGoal({ ...common, custom: resource.component !== true }), "", new Map()))
        .state;
    if (!resource.id) throw new Error(`${resource.type} ${common.name} has no id to import`);
    const urn = formatUrn({
      project,
      stack,
      parentType: qualifiedTypeOf(parent),
      type: common.type,
      name: common.name,
    });
    const before = context.ledger.old(urn)?.state;
    if (before?.id === resource.id) return before;
    if (before) throw new Error(`${urn} is already in the state, with the id ${before.id ?? "none"}`);
    const provider =
      resource.provider === undefined
        ? await registrar.defaultProvider(packageOf(resource.type))
        : referenceOf(await named(resource.provider, above));
    const wanted = stateOf(
      plainGoal({ ...common, custom: true, provider, protect: request.protect !== false }),
      urn,
      undefined,
      undefined,
    );
    const { id, outputs, properties = [] } = resource;
    const step = importStep({ ...wanted, id, outputs }, properties);
    await executor.chain([step]);
    return step.made!.state;
  }

  const results = await Promise.allSettled(request.resources.map(async ({ name }) => named(name, [])));
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}

const referenceOf = ({ urn, id = "" }: ResourceState): string => formatReference({ urn, id });
