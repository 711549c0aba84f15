import type { EngineState, OtherEntry } from "../../protocol/engine-state";
import type { Values } from "../../provider/lifecycle/types";
import { hiddenOf } from "./harness";

/** The state of an engine that can be asked, as a test writes it down. */
export interface StateOfTest extends EngineState {
  /** Outputs by id. */
  entries: Map<string, Values>;
  /** URNs of operations that an earlier run left pending. */
  updating: Set<string>;
  /** Since when. */
  creating: Map<string, number>;
  unseen: string[];
  /** What other stacks have, by id. */
  others: Map<string, { holder: OtherEntry; outputs: Values }>;
}

/** `urn`: of its entries. */
export function engineState(
  entries: readonly { id: string; outputs: Values }[] = [],
  urn = urnIn("Deployment"),
): StateOfTest {
  const state: StateOfTest = {
    entries: new Map(entries.map(({ id, outputs }) => [id, outputs])),
    updating: new Set(),
    creating: new Map(),
    unseen: [],
    others: new Map(),
    holderOf(id, matches) {
      const outputs = state.entries.get(id);
      return outputs && matches(outputs, urn) ? urn : undefined;
    },
    async heldElsewhere(id, matches) {
      const other = state.others.get(id);
      return { holder: other && matches(other.outputs) ? other.holder : undefined, unread: [] };
    },
    mayBeChanged: (matches) => [...state.updating].some(matches),
    creatingSince: (matches) => [...state.creating].find(([urn]) => matches(urn))?.[1],
    noteUnseen: (matches) => void state.unseen.push(...[...state.updating].filter(matches)),
  };
  return state;
}

export const urnIn = (kind: string, name = "it"): string => hiddenOf(kind, name).urn;
