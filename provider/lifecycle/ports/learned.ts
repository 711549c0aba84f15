import { isModelPlatformError, ModelPlatformError, problemOf } from "../../core/errors";

/** From this many on, a batch waits for no more reads. */
const expectedBatch = 8;

/** The number of operations counts as known once it was seen so many times in a row. */
const memory = 3;

/**
 * How many operations on a collection run at once. An engine limits them and does not say to how many: once the same
 * number has waited several times in a row and nobody else came, a batch of that size is complete.
 */
export class Concurrency {
  private underWay = 0;
  /** The numbers of the last times that all waited and nobody else came. */
  private complete: number[] = Array<number>(memory).fill(expectedBatch);

  /** With so many waiting, a batch is complete. */
  get limit(): number {
    return Math.max(...this.complete);
  }

  async during<T>(operation: () => Promise<T>): Promise<T> {
    this.underWay += 1;
    if (this.underWay > this.limit) this.complete.fill(expectedBatch);
    try {
      return await operation();
    } finally {
      this.underWay -= 1;
    }
  }

  /** So many have waited, and no other read arrived. */
  waited(waiting: number): void {
    if (waiting === this.underWay && waiting < expectedBatch) this.complete = [...this.complete.slice(1), waiting];
  }
}

/**
 * The first create of a collection goes alone, until the service has accepted one: where names have another form, one
 * object is at stake and not all. After an answer that cannot be used, no other is sent. Where ids turn out not to
 * count, every create goes alone: what a lost answer was about is then told apart from what the others create.
 */
export class FirstCreate {
  private isAccepted = false;
  /** Whether a requested id is the object's; undefined until an answer has shown it. */
  private idsCount: boolean | undefined;
  private leading: Promise<void> | undefined;
  private unusable: ModelPlatformError | undefined;

  constructor(private readonly kind: string) {}

  /** The service has given an object another id than requested. */
  noteOtherId(): void {
    this.idsCount = false;
  }

  /** The service has given an object the requested id, now or in an earlier run. */
  noteOwnId(): void {
    this.idsCount ??= true;
  }

  /** An answer has shown what was created, and not all of it can be used. */
  noteUnusable(error: unknown): void {
    if (isModelPlatformError(error)) this.unusable = error;
  }

  /** Whether a create that is sent again is known to create no second object. */
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

  /** A refusal, or no answer, does not show the form of answers: the next create goes alone as well. */
  private end(error?: unknown): void {
    this.leading = undefined;
    if (error === undefined) this.isAccepted = this.idsCount !== false;
    else if (isModelPlatformError(error) && error.answerAt !== undefined) this.unusable = error;
  }
}

const notSent = (kind: string, cause: ModelPlatformError): ModelPlatformError =>
  new ModelPlatformError(`${kind} was not created: the answer to another create cannot be used: ${problemOf(cause)}`, {
    advice: cause.advice,
    topic: "the-answer-is-not-the-apis",
    outcome: "none",
    cause,
  });

/** What a service's reads may not show yet: replicas answer what was true before. */
export class Lag {
  private seen = 0;
  private readonly created = new Map<string, number>();

  /** How far reads were seen behind writes, in milliseconds. */
  get longest(): number {
    return this.seen;
  }

  note(ms: number): void {
    this.seen = Math.max(this.seen, ms);
  }

  /** This process has created the object of that name. */
  noteCreated(name: string, at: number): void {
    this.created.set(name, at);
  }

  /** When this process has created the object of that name, in milliseconds since 1970. */
  createdAt(name: string): number | undefined {
    return this.created.get(name);
  }
}
