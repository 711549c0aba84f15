/**
 * What was sent with a create, by path, as salted digests: enough to
 * recognise it in an answer, and no value of an input.
 */
export interface SentDigests {
  salt: string;
  fields: Record<string, string>;
}

/** An object that a note knows, and its `createTime`. */
export interface Made {
  name: string;
  made: string;
}

/**
 * Before a create is sent, what it is going to make is written down, so that a later run
 * finds it again. Holds no value of an input.
 */
export interface Intent {
  kind: string;
  urn: string;
  /** Base URL of the service. */
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
  clock?: number | undefined;
  /** When the create was sent again, where it was, on both clocks. */
  again?: Pick<Intent, "time" | "clock">;
  /** What was sent. */
  sent?: SentDigests;
  /** The object was there before, and this declaration took it over. */
  taken?: true;
  /** Of what was taken over: its own stack had made it. */
  own?: true;
  /** Another declaration of the stack has taken the object over since. */
  passedOn?: true;
  /** The URNs under which this declaration had the object before. */
  formerly?: readonly string[];
  /** Of settings, which are always there: their version before the change. */
  version?: string;
  /** A state holds the object, or held it. */
  settled?: boolean;
  /** `createTime`, where it has one, of what the state holds, what was taken over, or what was proven to be begun. */
  made?: string;
  /** What was there when the create was about to be sent, and might pass for its result. */
  stood?: readonly Made[];
  /** `createTime` of the object that the declaration had when the create was about to be sent. */
  succeeds?: string;
  /** URN of the declaration, where that makes another object by now: `urn` is then a key beside it. */
  of?: string;
}

export interface Intents {
  find(origin: string, account: string, urn: string): Promise<Intent | undefined>;
  /** Durable when it resolves. */
  write(intent: Intent): Promise<void>;
  /** Nothing is under way for this URN any longer: the create made nothing, or what it made is gone. */
  withdraw(origin: string, account: string, urn: string): Promise<void>;
  /**
   * A state holds this object of the URN. Resolves to the name of another one, where the note is about that; it then
   * stays open.
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
