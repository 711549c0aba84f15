import type { PropertyMap, ResourceState } from "../state/types";
import type { Alias } from "./aliases";

/** The desired state of one resource, as the program declares it. */
export interface Goal {
  type: string;
  name: string;
  custom: boolean;
  properties: PropertyMap;
  parent?: string | undefined;
  /** Reference of the provider instance; components and providers have none. */
  provider?: string;
  /** Of the package's SDK, as the program's resource reports it. */
  version?: string | undefined;
  /** Absent, like `retainOnDelete` and `deletedWith`: as the parent has it. */
  protect?: boolean | undefined;
  dependencies: string[];
  propertyDependencies: { [property: string]: string[] };
  /** Absent: the provider decides. */
  deleteBeforeReplace?: boolean | undefined;
  ignoreChanges: string[];
  replaceOnChanges: string[];
  additionalSecretOutputs: string[];
  aliases: Alias[];
  /** In seconds. */
  customTimeouts: { create?: number; update?: number; delete?: number };
  retainOnDelete?: boolean | undefined;
  deletedWith?: string | undefined;
  hideDiff: string[];
  sourcePosition?: string;
  stackTrace?: { sourcePosition?: string }[] | undefined;
}

/** The goal of a resource without special options. */
export const plainGoal = (goal: Pick<Goal, "type" | "name" | "custom"> & Partial<Goal>): Goal => ({
  properties: {},
  dependencies: [],
  propertyDependencies: {},
  ignoreChanges: [],
  replaceOnChanges: [],
  additionalSecretOutputs: [],
  aliases: [],
  customTimeouts: {},
  hideDiff: [],
  ...goal,
});

/** A `.get`: the program wants to see an object that it does not manage. */
export interface ReadGoal {
  type: string;
  name: string;
  id: string;
  properties: PropertyMap;
  parent?: string | undefined;
  provider: string;
  version?: string | undefined;
  dependencies: string[];
  additionalSecretOutputs: string[];
  sourcePosition?: string;
  stackTrace?: { sourcePosition?: string }[] | undefined;
}

type Draft = { [Key in keyof ResourceState]?: ResourceState[Key] | undefined };

/** Omits empty values, as a state file does. */
function compact(draft: Draft & { urn: string; custom: boolean; type: string }): ResourceState {
  const empty = (value: unknown) =>
    value === undefined ||
    value === false ||
    (typeof value === "object" && value !== null && Object.keys(value).length === 0);
  const kept = Object.entries(draft).filter(([, value]) => !empty(value));
  return { ...Object.fromEntries(kept), urn: draft.urn, custom: draft.custom, type: draft.type };
}

/** The goal's state; its id and outputs follow from the step. `alias` is the URN that it was found under. */
export function stateOf(
  goal: Goal,
  urn: string,
  old: ResourceState | undefined,
  alias: string | undefined,
): ResourceState {
  return compact({
    urn,
    custom: goal.custom,
    type: goal.type,
    inputs: goal.properties,
    parent: goal.parent,
    protect: goal.protect,
    dependencies: goal.dependencies,
    provider: goal.provider,
    propertyDependencies: goal.propertyDependencies,
    additionalSecretOutputs: goal.additionalSecretOutputs,
    aliases: alias === undefined ? [] : [alias],
    customTimeouts: goal.customTimeouts,
    retainOnDelete: goal.retainOnDelete,
    deletedWith: goal.deletedWith,
    created: old?.created,
    modified: old?.modified,
    sourcePosition: goal.sourcePosition,
    stackTrace: goal.stackTrace,
    ignoreChanges: goal.ignoreChanges,
    hideDiff: goal.hideDiff,
    replaceOnChanges: goal.replaceOnChanges,
  });
}

export function stateOfRead(goal: ReadGoal, urn: string): ResourceState {
  return compact({
    urn,
    custom: true,
    id: goal.id,
    type: goal.type,
    inputs: goal.properties,
    parent: goal.parent,
    external: true,
    dependencies: goal.dependencies,
    provider: goal.provider,
    additionalSecretOutputs: goal.additionalSecretOutputs,
    sourcePosition: goal.sourcePosition,
    stackTrace: goal.stackTrace,
  });
}
