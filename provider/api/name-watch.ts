import { ModelPlatformError, problemOf } from "../core/errors";
import type { Parameters } from "../core/values/names";
import type { ApiOperation, Json } from "./types";

/** What responses imply about an account's names. */
interface SeenNames {
  /** A response named an object of the account in the declared form. */
  areOwn: boolean;
  /** A response named one as another account's, in another form, or not at all. */
  refused?: ModelPlatformError | undefined;
  /** The create that goes alone. */
  leading?: Promise<void> | undefined;
}

/**
 * Ensures that no account is filled with objects whose names cannot be used: until a response has named one of its
 * objects, creates go one at a time, and after a response that names one in another way, none is sent.
 */
export class NameWatch {
  private readonly accounts = new Map<string, SeenNames>();

  /** Resolves as `call` does: at once, or for a create in its turn. Rejects a create that must not be sent. */
  async during<T>(operation: ApiOperation, parameters: Parameters, call: () => Promise<T>): Promise<T> {
    const seen = operation.verb === "create" ? this.seenOf(operation, parameters) : undefined;
    if (!seen) return call();
    while (!seen.areOwn && seen.leading) await seen.leading;
    if (seen.refused) throw notSent(operation, seen.refused);
    if (seen.areOwn) return call();
    const created = call();
    const end = (): void => void (seen.leading = undefined);
    seen.leading = created.then(end, end);
    return created;
  }

  /** A response that can be used. */
  note(operation: ApiOperation, parameters: Parameters, response: Json): void {
    const seen = this.seenOf(operation, parameters);
    if (!seen) return;
    const members = response[operation.spec.collection];
    const hasName = Array.isArray(members) ? members.length > 0 : typeof response["name"] === "string";
    seen.areOwn ||= hasName;
  }

  /** A response whose names cannot be used. */
  refuse(operation: ApiOperation, parameters: Parameters, error: ModelPlatformError): void {
    const seen = this.seenOf(operation, parameters);
    if (seen) seen.refused ??= error;
  }

  /** Undefined for operations about more than one account. */
  private seenOf({ ofAnyAccount }: ApiOperation, { account }: Parameters): SeenNames | undefined {
    if (account === undefined || account === "-" || ofAnyAccount) return undefined;
    const key = String(account);
    const seen = this.accounts.get(key) ?? { areOwn: false };
    this.accounts.set(key, seen);
    return seen;
  }
}

const notSent = ({ name, kind }: ApiOperation, cause: ModelPlatformError): ModelPlatformError =>
  new ModelPlatformError(`${kind} was not created: the names in another answer cannot be used: ${problemOf(cause)}`, {
    operation: name,
    advice: cause.advice,
    topic: "the-answer-is-not-the-apis",
    cause,
  });
