import type { EngineState } from "../../protocol/engine-state";
import type { Stopwatch } from "../api/time";
import type { ClientSettings, ListMember, Upload } from "../api/types";
import { unusableIn } from "../api/unusable-values";
import type { CheckFailure } from "../core/check";
import type { RecordedSettings } from "../core/declaration/own-fields";
import type { ResourceSpec } from "../core/declaration/resource";
import type { EngineActivity } from "./memory/engine-activity";
import type { OwnershipJournal } from "./memory/history";
import type { Lag } from "./memory/lag";
import type { Run } from "./memory/run";
import type { Values } from "./types";

/** An object of the service. Each has a name; its declaration describes the rest. */
export interface LiveObject extends Values {
  name: string;
}

/** Objects of one response. */
interface ObjectPage {
  items: readonly ListMember<LiveObject>[];
  /** Requests the page again; absent for the first one. */
  token?: string | undefined;
  isLast: boolean;
}

/**
 * Searches for the result of a create whose response was lost, if the service chooses names. Objects that are `isTaken`
 * are the results of other creates. Resolves to undefined if it created nothing.
 */
export type FindCreated = (lost: unknown, isTaken: (name: string) => boolean) => Promise<LiveObject | undefined>;

/** What is known before a create is sent. */
interface CreateKnowledge {
  findCreated?: FindCreated | undefined;
  /** An earlier create of the kind returned the id that it had requested. */
  idsCount?: boolean;
}

/** Called right before and after each write, with the object's name unless it is not known yet. */
export type OnWrite = (name: string | undefined) => void;

/** Directives of a create and options of a delete, as query parameters. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface RequestOptions {
  signal: AbortSignal;
  /** Time after which no further attempt starts. */
  deadline: number;
  /** One request, even if it fails. */
  once?: boolean;
  /** What to do where the answer to a write is lost. */
  ifLost?: () => string;
  /** Receives what a long wait before a request is for, and until when. */
  onWait?: (text: string) => void;
}

export interface ReadHints {
  /**
   * The service has accepted its deletion: a whole list that lacks it proves that, if a list has shown it before, and
   * so does a 404 in the words of a missing object.
   */
  deleted?: boolean | undefined;
  /** Nothing is expected there, as before a create: a 404 in the words of a missing object proves it. */
  absent?: boolean | undefined;
  /** A poll of somebody who waits: due in `ms` milliseconds, and at least `apart` milliseconds after another poll. */
  wait?: { ms: number; apart: number } | undefined;
}

/**
 * The objects of one kind in one account: everything that the life cycle needs of the service. Errors are those of the
 * API client; `find` and `remove` report a deletion only if it is confirmed (A093).
 */
export interface ObjectCollection {
  readonly account: string;
  /** Base URL of the service, which outputs record (A006). */
  readonly origin: string;
  /** Settings that outputs record beside it; absent if the service follows the conventions. */
  readonly serviceSettings?: RecordedSettings | undefined;
  /** It can be read by name or listed; otherwise only responses of writes show it. */
  readonly isReadable: boolean;
  /** Lists leave out nothing but tombstones, and on request not even those of ids that can be used again. */
  readonly listIsComplete: boolean;
  /** Writing one of them may change others. */
  readonly writesAffectOthers: boolean;
  /**
   * The service's clock, in milliseconds since 1970 and at most a second behind; undefined before its first response.
   */
  serviceTime(): number | undefined;
  nameOf(id: string): string;
  /** Whether the create of that object had a response that cannot be used. */
  isUnusable?(name: string): boolean;
  /**
   * With an id that is known to count, the request may be retried; with any other, each retry follows a poll. Otherwise
   * a lost response is an `AmbiguousOutcomeError`.
   */
  create(
    message: Values,
    id: string | undefined,
    query: Query,
    options: RequestOptions,
    known?: CreateKnowledge,
  ): Promise<LiveObject>;
  /** Rejects if the service would reject that create; absent if the service cannot validate. */
  readonly validate?:
    | ((message: Values, id: string, query: Query, options: RequestOptions) => Promise<void>)
    | undefined;
  /** Whether the service respects it and creates nothing; undefined if unknown. */
  readonly validateOnly?: (() => "honored" | "ignored" | undefined) | undefined;
  /** The object; undefined if confirmed deleted (A093). */
  find(name: string, options: RequestOptions, hints?: ReadHints): Promise<LiveObject | undefined>;
  /** Runs an operation on one of them: its reads are shared with those of all others under way. */
  during<T>(operation: () => Promise<T>): Promise<T>;
  /**
   * As `find`, and as recent, but shared with others who ask at the same time: from a request that starts after this
   * call.
   */
  poll(name: string, options: RequestOptions, hints?: ReadHints): Promise<LiveObject | undefined>;
  /**
   * As `find`, but perhaps from a list that is some seconds old, and no older than this process's last write of the
   * object.
   */
  read(name: string, options: RequestOptions): Promise<LiveObject | undefined>;
  /** The objects of a list that is at most some seconds old; undefined if no list could be read. */
  recent(options: RequestOptions): Promise<Iterable<LiveObject> | undefined>;
  /**
   * The first page of the list at this process's first call, without what it has written since; empty if no list could
   * be read. Only if that page was the whole list, it lacks what is not there.
   */
  seenFirst(options: RequestOptions): Promise<{ objects: readonly LiveObject[]; isWhole: boolean }>;
  list(options: RequestOptions): AsyncIterable<LiveObject>;
  /** The pages of the list, from a token on, which must be of a list with the same `deleted`. */
  pages(options: RequestOptions, more?: { deleted?: boolean; from?: string }): AsyncIterable<ObjectPage>;
  update(
    name: string,
    message: Values,
    mask: readonly string[],
    query: Query,
    options: RequestOptions,
  ): Promise<LiveObject>;
  /** False: it was already deleted. */
  remove(name: string, query: Query, options: RequestOptions): Promise<boolean>;
  verb(name: string, verb: string, body: Values | undefined, options: RequestOptions): Promise<Values>;
  /** Sends a file to an address that a verb returned. */
  upload(upload: Upload): Promise<void>;
}

/** The requests of a collection, with options that all of them share. */
interface BoundRequests {
  create(message: Values, id: string | undefined, query: Query, known?: CreateKnowledge): Promise<LiveObject>;
  readonly validate?: ((message: Values, id: string, query: Query) => Promise<void>) | undefined;
  find(name: string, hints?: ReadHints): Promise<LiveObject | undefined>;
  poll(name: string, hints?: ReadHints): Promise<LiveObject | undefined>;
  read(name: string): Promise<LiveObject | undefined>;
  recent(): Promise<Iterable<LiveObject> | undefined>;
  seenFirst(): ReturnType<ObjectCollection["seenFirst"]>;
  list(): AsyncIterable<LiveObject>;
  update(name: string, message: Values, mask: readonly string[], query: Query): Promise<LiveObject>;
  remove(name: string, query: Query): Promise<boolean>;
  verb(name: string, verb: string, body: Values | undefined): Promise<Values>;
}

/** A collection as one operation has it. */
export interface BoundCollection extends BoundRequests, Omit<ObjectCollection, keyof BoundRequests | "pages"> {
  /** The collection itself, which all operations share. */
  readonly shared: ObjectCollection;
  /** The object, whoever has read it. Rejects one with a value that the operation needs and cannot use. */
  usable(live: LiveObject | undefined): LiveObject | undefined;
}

/**
 * Binds the requests of a collection to options, which are asked for at each request. `needs`: whether the operation
 * needs a property of the objects that it reads by name.
 */
export function bindRequests(
  shared: ObjectCollection,
  options: () => RequestOptions,
  needs: (property: string) => boolean,
): BoundCollection {
  const { validate, ...rest } = shared;
  const usable = (live: LiveObject | undefined): LiveObject | undefined => {
    const unusable = live && unusableIn(live).find(({ property }) => needs(property));
    if (unusable) throw unusable.error;
    return live;
  };
  const requests: BoundRequests = {
    create: (message, id, query, known) => shared.create(message, id, query, options(), known),
    validate: validate && ((message, id, query) => validate(message, id, query, options())),
    find: async (name, hints) => usable(await shared.find(name, options(), hints)),
    poll: async (name, hints) => usable(await shared.poll(name, options(), hints)),
    read: async (name) => usable(await shared.read(name, options())),
    recent: () => shared.recent(options()),
    seenFirst: () => shared.seenFirst(options()),
    list: () => shared.list(options()),
    update: (name, message, mask, query) => shared.update(name, message, mask, query, options()),
    remove: (name, query) => shared.remove(name, query, options()),
    verb: (name, verb, body) => shared.verb(name, verb, body, options()),
  };
  return { ...rest, ...requests, shared, usable };
}

/** Time for the life cycle; tests move it by hand. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms`, or rejects as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A file as it was when it was examined. */
export interface LocalFile {
  path: string;
  /** Bytes. */
  size: number;
  /** When its content, name or rights last changed, in milliseconds since 1970: no content changes without it. */
  touched: number;
}

/** Files of the machine that the program runs on. One that cannot be read is a `ConfigurationError`. */
export interface Files {
  stat(path: string): Promise<LocalFile>;
  /** Paths below a folder, with `/`, in order; what starts with a dot is left out. */
  below(folder: string): Promise<string[]>;
  /** SHA-256 of the content, in hexadecimal. */
  digest(file: LocalFile, signal: AbortSignal): Promise<string>;
  /** The content from a byte on; an error if the file has become shorter. */
  open(file: LocalFile, from: number): AsyncIterable<Uint8Array>;
}

/** Where a program's values and files are read. */
export interface LocalMachine {
  env: Readonly<Record<string, string | undefined>>;
  /** What an input `valueFrom` stands for, as inputs. Rejects with a `ConfigurationError` where that is missing. */
  valuesFrom(source: unknown): Promise<Values>;
  files: Files;
}

/** A declaration under check, in a known account. */
export interface PreflightSubject {
  spec: ResourceSpec;
  account: string;
  olds: Values;
  inputs: Values;
  signal: AbortSignal;
}

/** Everything that an operation needs from outside. */
export interface Ports {
  settings: ClientSettings;
  /** All kinds. */
  specs: readonly ResourceSpec[];
  clock: Clock;
  /** Measures the waits for objects. */
  stopwatch: Pick<Stopwatch, "during">;
  /** Observed lag of reads behind writes. */
  lag: Lag;
  /** What the engine reports of its state; undefined if it cannot be asked. */
  state?: EngineState | undefined;
  journal: OwnershipJournal;
  /** Objects of a kind, as the settings for that account reach them. */
  objects(kind: string, account: string): ObjectCollection;
  /**
   * Rejects if the service does not know the account's key or cannot be reached: requested once per account, before its
   * first create.
   */
  verifyKey(account: string, signal: AbortSignal): Promise<void>;
  /**
   * What the service would reject, judged by reads: each object once per process. Sends nothing if nothing new is
   * declared.
   */
  preflight(subject: PreflightSubject): Promise<{ failures: CheckFailure[]; warnings: string[] }>;
  machine: LocalMachine;
  /** Text of `bytes` random bytes, in hexadecimal. */
  randomHex(bytes: number): string;
}

/** What the life cycle needs: it alone begins the calls of a resource. */
export interface LifecyclePorts extends Ports {
  /** What this process has seen of the run, and what all its processes claim. */
  run: Run;
  /** Calls of the engine as they come in. */
  activity: EngineActivity;
}
