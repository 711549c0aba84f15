/**
 * What was sent with a create, by path, as salted digests: enough to
 * recognise it in an answer, and no value of an input.
 */
export interface SentDigests {
  salt: string;
  fields: Record<string, string>;
}

/**
 * Before a create is sent, what it is going to make is written down, so that a later run
 * finds it again. Holds no value of an input.
 */
export interface Intent {
  kind: string;
  urn: string;
  origin: string;
  account: string;
  /** Resource name, where the client decides it. */
  name?: string;
  /** Digest of the natural key, where the kind has one. */
  keyDigest?: string;
  /** When the create was about to be sent, in milliseconds since 1970. */
  time: number;
  /** Digest of the inputs. */
  digest: string;
  /**
   * The service's clock when the create was about to be sent, at most a second behind; absent where it was not known.
   */
  clock?: number;
  /** What was sent. */
  sent?: SentDigests;
  /** The object was there before, and this declaration took it over. */
  taken?: true;
  /** Another declaration of the stack has taken the object over since. */
  passedOn?: true;
  /** The URNs under which this declaration had the object before. */
  formerly?: readonly string[];
  /** Of settings, which are always there: their version before the change. */
  version?: string;
  /** The engine has presented the object since, so that it stands in a state. */
  settled?: boolean;
  /** `createTime` of the object that the state holds; absent where it has none. */
  made?: string;
  /** The declaration makes another object by now, which has the note of its own URN; this one is kept beside it. */
  of?: string;
}

export interface Intents {
  find(origin: string, account: string, urn: string): Promise<Intent | undefined>;
  /** Durable when it resolves. */
  write(intent: Intent): Promise<void>;
  /** The create was refused, or met an object that is not ours: nothing is under way for this URN. */
  withdraw(origin: string, account: string, urn: string): Promise<void>;
  /**
   * A state holds the object of this URN. Resolves to the name of
   * another object that was started for this URN.
   */
  settle(
    origin: string,
    account: string,
    urn: string,
    object: Pick<Intent, "made"> & { name: string },
  ): Promise<string | undefined>;
  /** Intents of any URN whose object has this name, or a natural key with this digest. */
  naming(origin: string, account: string, subject: string): Promise<readonly Intent[]>;
}
