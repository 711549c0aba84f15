import { withUrns } from "../plan/aliases";
import { withDependents } from "../plan/dependencies";
import type { ResourceState, Snapshot } from "../state/types";
import { parseUrn } from "../state/urns";

/** What names resources in a state file: their entries, and what an earlier run left pending. */
export type Entries = Pick<Snapshot, "resources" | "pendingOperations">;

/** A change of a state file's entries; changes nothing but the file. */
export type Edit = (entries: Entries) => Entries;

interface DeletionOptions {
  /** Protected resources too. */
  force?: boolean | undefined;
  /** Includes their dependents; without it, resources that others need are refused. */
  targetDependents?: boolean | undefined;
}

/** Forgets resources; their objects live on. A URN stands for every state that has it. */
export function forgetResources(urns: readonly string[] | "all", { force, targetDependents }: DeletionOptions): Edit {
  return ({ resources, pendingOperations }) => {
    const all = resources.map((state) => ({ state }));
    const named = urns === "all" ? resources.map(({ urn }) => urn) : urns;
    requireAll(resources, named);
    const condemned = withDependents(named, all);
    const others = [...condemned].filter((urn) => !named.includes(urn));
    if (others.length > 0 && targetDependents !== true)
      throw new Error(
        `${others.join(", ")} would be left without what they depend on. Name them too, or all of them with --target-dependents.`,
      );
    const spared = resources.find(({ urn, protect }) => protect === true && condemned.has(urn));
    if (spared && force !== true)
      throw new Error(`${spared.urn} is protected. Add --force, or remove the protection with \`state unprotect\`.`);
    return { resources: resources.filter(({ urn }) => !condemned.has(urn)), pendingOperations };
  };
}

/** Marks of a resource in the state that an edit sets or removes. */
export type Mark = "taint" | "protect";

/** Ignores resources that await deletion. Throws for a URN that the state does not have. */
export function setMark(mark: Mark, on: boolean, urns: readonly string[] | "all"): Edit {
  return ({ resources, pendingOperations }) => {
    if (urns !== "all")
      requireAll(
        resources.filter((state) => state.delete !== true),
        urns,
      );
    const isMeant = ({ urn, delete: replaced }: ResourceState) =>
      replaced !== true && (urns === "all" || urns.includes(urn));
    return {
      resources: resources.map((state) => (isMeant(state) ? withMark(state, mark, on) : state)),
      pendingOperations,
    };
  };
}

function withMark(state: ResourceState, mark: Mark, on: boolean): ResourceState {
  const { [mark]: _before, ...rest } = state;
  return on ? { ...(rest as ResourceState), [mark]: true } : (rest as ResourceState);
}

export function requireAll(resources: readonly ResourceState[], urns: readonly string[]): void {
  const known = new Set(resources.map(({ urn }) => urn));
  const missing = urns.filter((urn) => !known.has(urn));
  if (missing.length > 0)
    throw new Error(`The state has no resource ${missing.join(", nor ")}. \`stack --show-urns\` lists what it has.`);
}

/** Renames a resource in the state, and every reference to it. */
export function renameResource(urn: string, name: string): Edit {
  return ({ resources, pendingOperations }) => {
    const meant = resources.filter((state) => state.urn === urn);
    if (meant.length === 0)
      throw new Error(`The state has no resource ${urn}. \`stack --show-urns\` lists what it has.`);
    if (meant.length > 1)
      throw new Error(`The state has ${urn} more than once: run \`up\` first, so that the old one is deleted.`);
    const fresh = `${urn.slice(0, urn.length - parseUrn(urn).name.length)}${name}`;
    if (fresh !== urn && resources.some((state) => state.urn === fresh))
      throw new Error(`The state already has a ${fresh}.`);
    const now = (each: string) => (each === urn ? fresh : each);
    const rename = (state: ResourceState) => retargetAliases(state, withUrns(state, now));
    return {
      resources: resources.map(rename),
      pendingOperations: pendingOperations.map(({ resource, type }) => ({ resource: rename(resource), type })),
    };
  };
}

const retargetAliases = ({ aliases }: ResourceState, state: ResourceState): ResourceState =>
  aliases === undefined ? state : { ...state, aliases };
