import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { ApiError, ApiRequest, Caller, Fields, Settings, StoredObject, World } from "../types";

/** One request on its way through the application. */
export interface ServiceCall {
  world: World;
  request: ApiRequest;
  caller: Caller;
  spec: ResourceSpec;
  /** The path's parameters, decoded. */
  parameters: Readonly<Record<string, string>>;
  /** The path's account; the caller's where the path names none. */
  account: string;
  /** Resource name of the object that the path names. */
  name: string;
  settings: Settings;
  now: number;
}

/** A change on its way into an object. */
export interface ObjectChange {
  before: StoredObject;
  after: StoredObject;
  /** Top-level members that the request changes, input-only ones included. */
  changed: ReadonlySet<string>;
}

/**
 * What a kind of object does beyond create, read, update and delete. All of it is optional. Hooks get values and answer
 * values; one that refuses throws a Refusal and MUST NOT have changed the world before.
 */
export interface Service {
  /** The id of a new object, where the request gives none. */
  id?(fields: Fields, call: ServiceCall): string;
  /** The service's own changes to a new object before it is stored. */
  create?(object: StoredObject, call: ServiceCall): StoredObject;
  /** What else happens once it is stored. */
  created?(object: StoredObject, call: ServiceCall): void;
  /** The service's own changes to a changed object before it is judged and stored. */
  update?(change: ObjectChange, call: ServiceCall): StoredObject;
  /** Whether a change takes effect step by step, through the declared states. Default: any change. */
  requiresRollout?(change: ObjectChange): boolean;
  updated?(object: StoredObject, call: ServiceCall): void;
  /** Refuses a deletion, or says what the object is like while it goes. */
  delete?(object: StoredObject, call: ServiceCall): StoredObject;
  /** What else happens when the object begins to go. */
  deleted?(object: StoredObject, call: ServiceCall): void;
  /** What the object is like when its next state begins, at `at`. May change other objects. */
  onStateReached?(object: StoredObject, world: World, at: number): StoredObject;
  /**
   * The message as it is now, with members that move by themselves. MUST answer the same object where nothing moves.
   */
  view?(object: StoredObject, world: World, now: number): Fields;
  /** Members that only the answer about a single object has. */
  detail?(object: StoredObject, fields: Fields, call: ServiceCall): Fields;
  /** Whether the object is hidden from every reader. */
  isHidden?(object: StoredObject): boolean;
  /** How a read of a missing object is refused, if not with the usual 404. */
  missing?(call: ServiceCall): ApiError | undefined;
  /** Operations on an object, by verb. They answer the body, or nothing where that is the object as it is then. */
  verbs?: Readonly<Record<string, (object: StoredObject, call: ServiceCall) => Fields | undefined>>;
  /** Operations on no object in particular. */
  collectionVerbs?: Readonly<Record<string, (call: ServiceCall) => Fields>>;
}
