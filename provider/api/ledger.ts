import type { Ledger, Tally } from "./types";

/** A ledger that the client writes into. */
export interface WritableLedger extends Ledger {
  /** A request leaves the machine. */
  send(account: string | undefined, operation: string): void;
  refuse(account: string | undefined, operation: string): void;
  fail(account: string | undefined, operation: string): void;
}

/** Placeholder for the account of a key without one. */
const nobody = "-";

export function createLedger(): WritableLedger {
  const tallies = new Map<string, Tally>();
  const tally = (account: string | undefined, operation: string): Tally => {
    const key = JSON.stringify([account, operation]);
    const found = tallies.get(key) ?? { account: account ?? nobody, operation, sent: 0, refused: 0, failed: 0 };
    tallies.set(key, found);
    return found;
  };
  return {
    send: (account, operation) => void tally(account, operation).sent++,
    refuse: (account, operation) => void tally(account, operation).refused++,
    fail: (account, operation) => void tally(account, operation).failed++,
    tallies: () => [...tallies.values()].map((entry) => ({ ...entry })),
    sent: ({ account, operation } = {}) =>
      [...tallies.values()]
        .filter(
          (entry) =>
            (account === undefined || entry.account === account) &&
            (operation === undefined || entry.operation === operation),
        )
        .reduce((sum, entry) => sum + entry.sent, 0),
  };
}
