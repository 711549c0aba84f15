import { canonical } from "../identity/endpoint";
import { stackOf } from "../identity/ids";
import type { Fact, OwnershipJournal } from "../ports/journal";
import { OwnershipHistory } from "./history";

/** Histories, and how many of their facts are read. They are extended by later facts, not read again. */
const histories = new WeakMap<readonly Fact[], { history: OwnershipHistory; length: number }>();

function historyIn(facts: readonly Fact[]): OwnershipHistory {
  const known = histories.get(facts) ?? { history: new OwnershipHistory(), length: 0 };
  histories.set(facts, known);
  for (; known.length < facts.length; known.length += 1) known.history.add(facts[known.length]!);
  return known.history;
}

/** What is known of the creates and objects of the stack of a URN, in one account of one service. */
export const historyOf = async (
  journal: OwnershipJournal,
  origin: string,
  account: string,
  urn: string,
): Promise<OwnershipHistory> => historyIn(await journal.read(canonical(origin), account, stackOf(urn)));

/** The same of each stack that was run on this machine. */
export const historiesOf = async (
  journal: OwnershipJournal,
  origin: string,
  account: string,
): Promise<readonly OwnershipHistory[]> => (await journal.readAll(canonical(origin), account)).map(historyIn);
