import { isModelPlatformError, ModelPlatformError, problemOf } from "../../core/errors";

/**
 * The first create of a collection goes alone, until the service has accepted one: if names have another form, one
 * object is at stake and not all. After an unusable response, no other is sent. If ids turn out not to count, every
 * create goes alone, so that a lost response cannot be about another create.
 */
export class FirstCreate {
  private isAccepted = false;
  /** Whether a requested id is the object's; undefined until a response proves it. */
  private idsCount: boolean | undefined;
  private leading: Promise<void> | undefined;
  private unusable: ModelPlatformError | undefined;

  constructor(private readonly kind: string) {}

  /** The service chose another id than requested. */
  noteOtherId(): void {
    this.idsCount = false;
  }

  /** The service used the requested id, now or in an earlier run. */
  noteOwnId(): void {
    this.idsCount ??= true;
  }

  /** A response named what was created, but not all of it can be used. */
  noteUnusable(error: unknown): void {
    if (isModelPlatformError(error)) this.unusable = error;
  }

  /** Whether a retried create is known to create no second object. */
  get isRepeatable(): boolean {
    return this.idsCount === true;
  }

  /** Resolves as `create` does, which is called in its turn, or not at all. */
  async during<T>(create: () => Promise<T>): Promise<T> {
    while (!this.isAccepted && this.leading) await this.leading;
    if (this.unusable) throw notSent(this.kind, this.unusable);
    if (this.isAccepted) return create();
    const created = create();
    this.leading = created.then(
      () => this.end(),
      (error: unknown) => this.end(error),
    );
    return created;
  }

  /** A rejection, or no response, does not show the form of responses: the next create goes alone as well. */
  private end(error?: unknown): void {
    this.leading = undefined;
    if (error === undefined) this.isAccepted = this.idsCount !== false;
    else if (isModelPlatformError(error) && error.answerAt !== undefined) this.unusable = error;
  }
}

const notSent = (kind: string, cause: ModelPlatformError): ModelPlatformError =>
  new ModelPlatformError(`${kind} was not created: the answer to another create cannot be used: ${problemOf(cause)}`, {
    code: "unusable-answer",
    advice: cause.advice,
    topic: "the-answer-is-not-the-apis",
    outcome: "none",
    cause,
  });
