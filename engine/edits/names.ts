import { withUrns } from "../plan/aliases";
import type { PropertyMap, ResourceState, Snapshot, StateValue } from "../state/types";
import { formatUrn, parseUrn, stackType } from "../state/urns";
import { mapObject, withReferences } from "../values/values";
import type { Edit } from "./marks";

/** Renames a resource in the state, and every reference to it. */
export function renamed(urn: string, name: string): Edit {
  return (resources) => {
    const meant = resources.filter((state) => state.urn === urn);
    if (meant.length === 0)
      throw new Error(`The state has no resource ${urn}. \`stack --show-urns\` lists what it has.`);
    if (meant.length > 1)
      throw new Error(`The state has ${urn} more than once: run \`up\` first, so that the old one is deleted.`);
    const fresh = `${urn.slice(0, urn.length - parseUrn(urn).name.length)}${name}`;
    if (fresh !== urn && resources.some((state) => state.urn === fresh))
      throw new Error(`The state already has a ${fresh}.`);
    const now = (each: string) => (each === urn ? fresh : each);
    return resources.map((state) => keepingAliases(state, withUrns(state, now)));
  };
}

const keepingAliases = ({ aliases }: ResourceState, state: ResourceState): ResourceState =>
  aliases === undefined ? state : { ...state, aliases };

export interface StackName {
  project: string;
  stack: string;
}

/** The URN as it is in another stack. The stack's own resource is named after both. */
export function urnIn(urn: string, to: StackName, from?: StackName): string {
  const { stack, project, qualifiedType, name } = parseUrn(urn);
  if (from !== undefined && (from.stack !== stack || from.project !== project)) return urn;
  const isStack = qualifiedType === stackType;
  return formatUrn({
    ...to,
    parentType: undefined,
    type: qualifiedType,
    name: isStack ? `${to.project}-${to.stack}` : name,
  });
}

/** The state of a stack under its new name; secrets may be ciphertext, and are unchanged. */
export function inRenamedStack(snapshot: Snapshot, from: StackName, to: StackName): Snapshot {
  const now = (urn: string) => urnIn(urn, to, from);
  const properties = (map: PropertyMap) => mapObject(map, (value: StateValue) => withReferences(value, now));
  const state = (resource: ResourceState): ResourceState => {
    const named = withAliases(withUrns(resource, now), resource.aliases?.map(now));
    const { inputs, outputs } = named;
    return { ...named, inputs: inputs && properties(inputs), outputs: outputs && properties(outputs) };
  };
  return {
    ...snapshot,
    resources: snapshot.resources.map(state),
    pendingOperations: snapshot.pendingOperations.map(({ resource, type }) => ({ resource: state(resource), type })),
  };
}

const withAliases = (state: ResourceState, aliases: string[] | undefined): ResourceState =>
  aliases === undefined ? state : { ...state, aliases };
