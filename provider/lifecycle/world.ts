import type { Upload } from "../api/types";
import type { Guest, ResourceSpec } from "../core/resource";
import type { SentDigests } from "./ownership/evidence";
import type { Current, Declared } from "./ownership/memory";
import type { RunClaims } from "./ownership/run-claims";
import type { Preflighter } from "./preflight";
import type { Values } from "./types";

/** Time as the life cycle uses it; a test moves it by hand. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms`, or rejects as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Directives of a create and options of a delete, as query parameters. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface RequestOptions {
  signal: AbortSignal;
  /** Time on the clock after which no further try is begun. */
  deadline: number;
}

export interface Sight {
  /**
   * The service has taken its deletion: that a whole list lacks it proves that it is gone, where a list has shown it
   * before.
   */
  deleted?: boolean;
  /** Nobody else is expected who would share it. */
  now?: boolean;
}

/**
 * The objects of one kind in one account: everything that the life cycle asks of the service. Errors are those of the
 * API client; `find` and `remove` hold an object gone only where that is confirmed (A093).
 */
export interface Objects {
  readonly account: string;
  /** Origin of the service, which outputs record (A006). */
  readonly origin: string;
  /** A list shows all that is there, tombstones of ids that can be used again among it where it is asked to. */
  readonly listsAll: boolean;
  /** A write of one of them may change others of them. */
  readonly entangled: boolean;
  /**
   * The service's clock, in milliseconds since 1970 and at most a second behind; undefined before it has told its time.
   */
  serviceTime(): number | undefined;
  nameOf(id: string): string;
  /** With an id the request may be repeated; without one a lost answer is an `AmbiguousOutcomeError`. */
  create(message: Values, id: string | undefined, query: Query, options: RequestOptions): Promise<Values>;
  /** Rejects where the service would refuse that create; absent where it cannot be asked. */
  validate?(message: Values, id: string, query: Query, options: RequestOptions): Promise<void>;
  /** The object, or undefined where it is gone for sure. */
  find(name: string, options: RequestOptions): Promise<Values | undefined>;
  /**
   * As `find`, and as recent, but shared with others who ask at the same time: from a request that is begun after this
   * one is asked.
   */
  look(name: string, options: RequestOptions, sight?: Sight): Promise<Values | undefined>;
  /**
   * As `find`, but may answer from a list that is some seconds old and no older than this process's last write of the
   * object.
   */
  read(name: string, options: RequestOptions): Promise<Values | undefined>;
  list(options: RequestOptions, more?: { filter?: string; deleted?: boolean }): AsyncIterable<Values>;
  update(
    name: string,
    message: Values,
    mask: readonly string[],
    query: Query,
    options: RequestOptions,
  ): Promise<Values>;
  /** False: it was gone already. */
  remove(name: string, query: Query, options: RequestOptions): Promise<boolean>;
  verb(name: string, verb: string, body: Values | undefined, options: RequestOptions): Promise<Values>;
  /** Sends a file to an address that a verb answered. */
  upload(upload: Upload): Promise<void>;
}

/** A file as it was when it was looked at. */
export interface LocalFile {
  path: string;
  /** Bytes. */
  size: number;
  /** When its content, name or rights last changed, in milliseconds since 1970: no content changes without it. */
  touched: number;
}

/** Files of the machine that the program runs on. One that cannot be read is a `ConfigurationError`. */
export interface Files {
  look(path: string): Promise<LocalFile>;
  /** Paths below a folder, with `/`, in order; what starts with a dot is left out. */
  below(folder: string): Promise<string[]>;
  /** SHA-256 of the content, in hexadecimal. */
  digest(file: LocalFile, signal: AbortSignal): Promise<string>;
  /** The content from a byte on; an error where the file has become shorter. */
  open(file: LocalFile, from: number): AsyncIterable<Uint8Array>;
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
  /** Of settings, which are always there: their version before the change. */
  version?: string;
  /** The engine has presented the object since, so that it stands in a state. */
  settled?: boolean;
}

export interface Intents {
  find(origin: string, account: string, urn: string): Promise<Intent | undefined>;
  /** Durable when it resolves. */
  write(intent: Intent): Promise<void>;
  /** The create was refused, or met an object that is not ours: nothing is under way for this URN. */
  withdraw(origin: string, account: string, urn: string): Promise<void>;
  /**
   * The engine knows the object of this URN by this name. Resolves to the name of
   * another object that was begun for this URN.
   */
  settle(origin: string, account: string, urn: string, name: string): Promise<string | undefined>;
  /** Intents of any URN that name the object. */
  naming(origin: string, account: string, name: string): Promise<readonly Intent[]>;
}

/** What one process has seen; lost with it. */
export interface Memory {
  /** When an object was made by this process, by name. */
  readonly createdAt: Map<string, number>;
  /** What the program says of each URN that it declares. */
  readonly declared: Map<string, Declared>;
  /** What the program goes on with, by URN: the object that this process has judged or made for it. */
  readonly current: Map<string, Current>;
  /** Recorded outputs that the engine presented, by URN. */
  readonly presented: Map<string, Values>;
  /** Names of objects whose record, when a diff showed it, asked for no protection, by URN. */
  readonly unprotected: Map<string, string>;
  /** Declarations of objects that are to be made and that others serve from, by URN. */
  readonly newHosts: Map<string, { spec: ResourceSpec; account: unknown; inputs: Values }>;
}

/** Everything around the life cycle, handed in. */
export interface World {
  clock: Clock;
  memory: Memory;
  /** What the declarations of this run claim, in all its processes. */
  claims: RunClaims;
  intents: Intents;
  /** Objects of a kind, as the settings for that account reach them. */
  objects(kind: string, account: string): Promise<Objects>;
  /**
   * Rejects where the service does not know the account's key or cannot be
   * reached: asked once, before the first create.
   */
  admit(account: string, signal: AbortSignal): Promise<void>;
  /** Whether every new declaration is judged before the first write. */
  preflight: boolean;
  /** What the service would refuse, by reads. */
  judge: Preflighter["judge"];
  /** The kind whose objects a collection holds. */
  kindOf(collection: string): string;
  /** The kinds whose objects serve from objects of this kind. */
  guestsOf(spec: ResourceSpec): readonly Guest[];
  /** Account to use where the program names none; rejects where none is set. */
  defaultAccount(): Promise<string>;
  recover: "ask" | "take" | "new";
  allowEndpointChange: boolean;
  /** Whether an object is protected from deletion where its program does not say. */
  deletionProtection: boolean;
  /** Whether objects that can carry it are given their owner's name. */
  ownershipMarker: boolean;
  env: Readonly<Record<string, string | undefined>>;
  readFile(path: string): Promise<string>;
  files: Files;
  /** Text of `bytes` random bytes, in hexadecimal. */
  randomHex(bytes: number): string;
}

export const newMemory = (): Memory => ({
  createdAt: new Map(),
  declared: new Map(),
  current: new Map(),
  presented: new Map(),
  unprotected: new Map(),
  newHosts: new Map(),
});
