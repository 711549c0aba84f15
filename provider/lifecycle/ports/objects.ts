import type { Upload } from "../../api/types";
import type { RecordedSettings } from "../../core/declaration/own-records";
import type { Values } from "../types";
import type { Concurrency } from "./learned";

/** An object of the service. Each has a name; its declaration describes the rest. */
export interface LiveObject extends Values {
  name: string;
}

/** Objects that one request has answered. */
interface ObjectPage {
  items: readonly LiveObject[];
  /** By which the page is to be had again; absent for the first one. */
  token?: string | undefined;
}

/**
 * Looks for what a create whose answer was lost has created, where a service gives names of its own. Those that
 * `isTaken` are the results of other creates. Resolves to undefined where it has created nothing.
 */
export type FindCreated = (lost: unknown, isTaken: (name: string) => boolean) => Promise<LiveObject | undefined>;

/** What is known before a create is sent. */
interface CreateKnowledge {
  findCreated?: FindCreated | undefined;
  /** An earlier create of the kind was answered with the id that it had requested. */
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
  /** One request, whatever becomes of it. */
  once?: boolean;
  /** What to do where the answer to a write is lost. */
  ifLost?: string;
}

export interface ReadHints {
  /**
   * The service has accepted its deletion: that a whole list lacks it proves that it is gone, where a list has shown it
   * before, and so does a 404 in the words of a missing object.
   */
  deleted?: boolean | undefined;
  /** Sent at once, without waiting for others to share it. */
  now?: boolean | undefined;
}

/**
 * The objects of one kind in one account: everything that the life cycle needs of the service. Errors are those of the
 * API client; `find` and `remove` hold an object gone only where that is confirmed (A093).
 */
export interface ObjectCollection {
  readonly account: string;
  /** Base URL of the service, which outputs record (A006). */
  readonly origin: string;
  /** Settings that outputs record beside it; absent where the service keeps to the conventions. */
  readonly serviceSettings?: RecordedSettings | undefined;
  /** It can be read by name or listed; otherwise what a write answers is all there is to know. */
  readonly isReadable: boolean;
  /** Lists leave out nothing but tombstones, and on request not even those of ids that can be used again. */
  readonly listIsComplete: boolean;
  /** Writing one of them may change others. */
  readonly writesAffectOthers: boolean;
  readonly concurrency: Concurrency;
  /**
   * The service's clock, in milliseconds since 1970 and at most a second behind; undefined before it has told its time.
   */
  serviceTime(): number | undefined;
  nameOf(id: string): string;
  /** Whether the create of the object of that name was answered with something that cannot be used. */
  isUnusable?(name: string): boolean;
  /**
   * With an id that is known to count, the request may be retried, and with another one each time after a poll;
   * otherwise a lost answer is an `AmbiguousOutcomeError`.
   */
  create(
    message: Values,
    id: string | undefined,
    query: Query,
    options: RequestOptions,
    known?: CreateKnowledge,
  ): Promise<LiveObject>;
  /** Rejects if the service would refuse that create; absent if the service cannot validate. */
  readonly validate?:
    | ((message: Values, id: string, query: Query, options: RequestOptions) => Promise<void>)
    | undefined;
  /** Whether the service keeps to it and creates nothing; undefined while that is not known. */
  readonly validateOnly?: (() => "honored" | "ignored" | undefined) | undefined;
  /** The object, or undefined where it is gone for sure. */
  find(name: string, options: RequestOptions, hints?: ReadHints): Promise<LiveObject | undefined>;
  /**
   * As `find`, and as recent, but shared with others who ask at the same time: from a request that is started after
   * this one is asked.
   */
  poll(name: string, options: RequestOptions, hints?: ReadHints): Promise<LiveObject | undefined>;
  /**
   * As `find`, but may answer from a list that is some seconds old and no older than this process's last write of the
   * object.
   */
  read(name: string, options: RequestOptions): Promise<LiveObject | undefined>;
  /** What a list shows that is at most some seconds old; undefined where no list could be read. */
  recent(options: RequestOptions): Promise<Iterable<LiveObject> | undefined>;
  /**
   * What the first page of the list showed when this process first asked, without what it has written since. Proves
   * nothing about the absence of others; empty where no list could be read.
   */
  seenFirst(options: RequestOptions): Promise<readonly LiveObject[]>;
  list(options: RequestOptions): AsyncIterable<LiveObject>;
  /** The pages of the list, from that of a token on, which is of a list with the same `deleted`. */
  pages(options: RequestOptions, more?: { deleted?: boolean; from?: string }): AsyncIterable<ObjectPage>;
  update(
    name: string,
    message: Values,
    mask: readonly string[],
    query: Query,
    options: RequestOptions,
  ): Promise<LiveObject>;
  /** False: it was gone already. */
  remove(name: string, query: Query, options: RequestOptions): Promise<boolean>;
  verb(name: string, verb: string, body: Values | undefined, options: RequestOptions): Promise<Values>;
  /** Sends a file to an address that a verb answered. */
  upload(upload: Upload): Promise<void>;
}
