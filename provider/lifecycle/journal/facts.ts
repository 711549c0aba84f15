/** One object for good: a name returns, a name with its creation time does not. Some kinds show no creation time. */
export interface ObjectIdentity {
  name: string;
  createTime?: string | undefined;
}

/** Distinguishes an object from every other one of its account. */
export const objectKey = ({ name, createTime = "" }: ObjectIdentity): string => `${name} ${createTime}`;

/** What only one live object can have at a time: a name, or a natural key, of which only a digest is written down. */
export interface Slot {
  name?: string | undefined;
  keyDigest?: string | undefined;
}

/** What was sent with a create, by path, as salted digests: enough to recognise it, and no value of an input. */
export interface SentDigests {
  salt: string;
  fields: Record<string, string>;
}

/** What every fact records beside the event. */
export interface FactContext {
  kind: string;
  urn: string;
  /** Base URL of the service. */
  origin: string;
  account: string;
  /** This machine's clock, in milliseconds since 1970. */
  at: number;
}

/** A create is about to be sent. */
export interface SentFact {
  fact: "sent";
  /** Identifies the attempt. */
  id: string;
  place: Slot;
  /** The service's clock, at most a second behind; absent where it was not known. */
  clock?: number | undefined;
  /** By the same clock: what was created later is not its result. Absent in journals of earlier releases. */
  until?: number | undefined;
  /** Digest of the inputs. */
  digest: string;
  sent?: SentDigests | undefined;
  /** Of settings, which are always there: their version before the change. */
  version?: string | undefined;
}

interface About {
  object: ObjectIdentity;
  keyDigest?: string | undefined;
}

/** What happened to a create or an object. Holds no value of an input. */
export type Event =
  | SentFact
  /**
   * That attempt certainly created nothing. `refused`: as far as the answer to it says. What stood in its place may be
   * its own result, sent twice by a gateway. Earlier releases read an end.
   */
  | { fact: "void"; id: string; refused?: true }
  /** The object is about to be changed. */
  | (About & { fact: "writing"; id: string })
  /** The outcome of that change is known. */
  | { fact: "written"; id: string }
  /** A request of that URN created the object: it was answered, or proven since. */
  | (About & { fact: "made" })
  /** A state holds the object under that URN. */
  | (About & { fact: "held"; adopted?: true | undefined })
  /** The object was deleted, or its stack retained it and no longer manages it. */
  | (About & { fact: "gone" });

export type Fact = Event & FactContext;

/**
 * What happened to the creates and objects of stacks, in order. Nothing in it is changed or taken back. The arrays grow
 * by later facts, those of other processes included; where a journal was shortened, it is another array.
 */
export interface OwnershipJournal {
  /** Durable when it resolves. */
  append(fact: Fact): Promise<void>;
  /** What happened to one stack in one account of one service. */
  read(origin: string, account: string, stack: string): Promise<readonly Fact[]>;
  /** The same of every stack that was run on this machine. */
  readAll(origin: string, account: string): Promise<readonly (readonly Fact[])[]>;
}

/**
 * The fact in a line; undefined for a line that a crash has torn: its request was never sent. `seen`, which earlier
 * releases wrote, says nothing any longer.
 */
export function factIn(line: string): Fact | undefined {
  try {
    const fact: unknown = JSON.parse(line);
    return isFact(fact) ? fact : undefined;
  } catch {
    return undefined;
  }
}

const texts = ["kind", "urn", "origin", "account"];

const ofObjects = ["made", "held", "gone", "writing"];

/** A project may name any folder, so a line may be anything. */
function isFact(value: unknown): value is Fact {
  const { fact, id, place, object, at, ...rest } = (value ?? {}) as Record<string, unknown>;
  if (typeof at !== "number" || !texts.every((name) => typeof rest[name] === "string")) return false;
  if (fact === "sent") return typeof id === "string" && typeof place === "object" && place !== null;
  if (fact === "void" || fact === "written") return typeof id === "string";
  if (fact === "writing" && typeof id !== "string") return false;
  return ofObjects.includes(String(fact)) && typeof (object as { name?: unknown } | null)?.name === "string";
}
