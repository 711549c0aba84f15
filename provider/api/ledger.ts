import { accountOf } from "../core/values/names";
import type { ApiOperation, RequestCount, RequestStats } from "./types";

/** Placeholder for the account of a key without one. */
const nobody = "-";

/** A read by name that was answered with the object. */
interface SeenObject {
  operation: string;
  name: string;
}

/** What a client has sent, and what it has seen of the service. */
export class RequestLedger implements RequestStats {
  private readonly byOperation = new Map<string, RequestCount>();
  /** By kind and account: the last object that was read by name. */
  private readonly seen = new Map<string, SeenObject>();

  /** The tally of an operation with the key of an account. */
  countRequest(account: string | undefined, operation: string): RequestCount {
    const key = JSON.stringify([account, operation]);
    let tally = this.byOperation.get(key);
    if (!tally) {
      tally = { account: account ?? nobody, operation, sent: 0, refused: 0, failed: 0 };
      this.byOperation.set(key, tally);
    }
    return tally;
  }

  counts(): readonly RequestCount[] {
    return [...this.byOperation.values()].map((entry) => ({ ...entry }));
  }

  sent({ account, operation }: { account?: string; operation?: string } = {}): number {
    return [...this.byOperation.values()]
      .filter((each) => account === undefined || each.account === account)
      .filter((each) => operation === undefined || each.operation === operation)
      .reduce((sum, each) => sum + each.sent, 0);
  }

  /** An object of the service was read by its name. */
  noteRead({ kind, name: operation }: ApiOperation, name: string): void {
    this.seen.set(JSON.stringify([kind, accountOf(name)]), { operation, name });
  }

  /** Whether objects of the kind have been read in the account of `name`. */
  hasRead(kind: string, name: string): boolean {
    return this.seen.has(JSON.stringify([kind, accountOf(name)]));
  }

  /** The last object of each kind that was read in the account of `name`, but for that one itself. */
  hasReadOther(name: string): SeenObject[] {
    return [...this.seen.values()].filter((each) => each.name !== name && accountOf(each.name) === accountOf(name));
  }
}
