import type { ResourceState } from "../state/types";

/** A change of a state file's resources; changes nothing but the file. */
export type Edit = (resources: readonly ResourceState[]) => ResourceState[];

/** Marks of a resource in the state that an edit sets or removes. */
export type Mark = "taint" | "protect";

/** Ignores resources that await deletion. Throws for a URN that the state does not have. */
export function marked(mark: Mark, on: boolean, urns: readonly string[] | "all"): Edit {
  return (resources) => {
    if (urns !== "all")
      requireAll(
        resources.filter((state) => state.delete !== true),
        urns,
      );
    const isMeant = ({ urn, delete: replaced }: ResourceState) =>
      replaced !== true && (urns === "all" || urns.includes(urn));
    return resources.map((state) => (isMeant(state) ? withMark(state, mark, on) : state));
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
