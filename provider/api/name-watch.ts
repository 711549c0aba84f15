import { isModelPlatformError, isOfOtherForm, ModelPlatformError, problemOf } from "../core/errors";
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
 * objects, creates go one at a time, and none is sent once any response could not be used. After a response that names
 * one in another way, none is sent at all.
 */
export class NameWatch {
  private readonly accounts = new Map<string, SeenNames>();
  /** The first unusable response, about any account. */
  private unusable: ModelPlatformError | undefined;

  /** Resolves as `call` does: at once, or for a create in its turn. Rejects a create that must not be sent. */
  async during<T>(operation: ApiOperation, parameters: Parameters, call: () => Promise<T>): Promise<T> {
    const seen = operation.verb === "create" ? this.seenOf(operation, parameters) : undefined;
    if (!seen) return call();
    while (!seen.areOwn && seen.leading) await seen.leading;
    const refused = seen.refused ?? (seen.areOwn ? undefined : this.unusable);
    if (refused) throw notSent(operation, refused);
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

  /** A call failed. A success that is not a response of the API, or misnames its object, is what a create gets. */
  noteFailure({ verb }: ApiOperation, error: unknown): void {
    const isUnusable = isModelPlatformError(error) && isSuccess(error.status) && !isOfUsableForm(error);
    if (isUnusable && (verb === "get" || verb === "list")) this.unusable ??= error;
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

const isSuccess = (status = 0): boolean => status >= 200 && status < 300;

/** A value of it cannot be used, or only its other names. */
const isOfUsableForm = (error: ModelPlatformError): boolean => error.answerAt !== undefined && !isOfOtherForm(error);

const notSent = ({ name }: ApiOperation, cause: ModelPlatformError): ModelPlatformError =>
  new ModelPlatformError(`was not sent: another answer cannot be used: ${problemOf(cause)}`, {
    code: "unusable-answer",
    operation: name,
    advice: cause.advice,
    topic: "the-answer-is-not-the-apis",
    cause,
  });
