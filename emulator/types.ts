import type { ResourceSpec } from "../provider/core/declaration/resource";
import type { DialectTable } from "../provider/core/wire/vocabulary";

/** Types that the emulator's parts share. Only `serve.ts` uses sockets, only `persistence.ts` the disk. */

export type Fields = { [field: string]: unknown };

export type Role = "admin" | "user" | "contributor" | "inference-user" | "custom" | "superuser";

/** The sender of a request. A key belongs to one account, a superuser key to all. */
export interface Caller {
  account: string;
  role: Role;
  key: string;
}

/** One object of the emulated service. */
export interface StoredObject {
  kind: string;
  /** Resource name; the key of the store. */
  name: string;
  /** The message as a reader gets it, before masks and settings; never holds the value of a secret. */
  fields: Fields;
  /**
   * Input-only values, kept so that a test of the emulator can ask whether they
   * arrived; never answered, journaled or printed.
   */
  hidden?: Fields | undefined;
  /**
   * States still to come, with the emulator's time at which each begins; the first one has
   * begun. The state `""` takes the object away.
   */
  plan?: readonly { state: string; at: number }[] | undefined;
  /** Bookkeeping of the emulated service, such as the time of the last inference request. */
  notes?: Fields | undefined;
}

/**
 * The emulator's time in milliseconds since 1970; `real` follows the
 * machine's, multiplied by `speed` from the start on.
 */
export interface EmulatorClock {
  kind: "real" | "manual";
  now(): number;
  /** Moves a manual clock. */
  advance(ms: number): void;
  /** Goes on from `time`, never back; for a world that is restored. */
  resumeAt(time: number): void;
  /** Changes the pace of a real clock from now on. */
  setSpeed(speed: number): void;
}

export type ErrorStyle = "flat" | "nested" | "text" | "html" | "empty";

/** Variations of a service; each names the convention it varies. Merged per account. */
export interface Settings {
  speed: number;
  /** A030 */
  patch: "mask" | "derive" | "populated" | "replace";
  /** A030: camelCase or unknown mask paths are accepted. */
  maskPaths: "strict" | "lenient";
  /** A031: whether the body of an update may hold what cannot change. */
  fixedFields: "pass" | "refuse";
  /** Whether a create with `validateOnly` creates nothing, as the description says. */
  validateOnly: "honor" | "ignore";
  /** A002: whether values that the description does not list are refused. */
  enums: "closed" | "open";
  /** A002 */
  strict: boolean;
  /** A042 */
  softDelete: boolean;
  /** A091 */
  errorStyle: ErrorStyle;
  /** A094 */
  emitUnset: boolean;
  /** A018 */
  unknownFields: "refuse" | "ignore";
  /** A050 */
  userDelete: "allow" | "unimplemented";
  /** A046 */
  annotationsPatch: "allow" | "refuse";
  /** A053 */
  missingSecret: 404 | 500;
  /** A003 */
  denied: 403 | 404;
  /** A061 */
  externalKeyReady: boolean;
  /** What the preset of keys with the role `custom` amounts to (A056). */
  permissionPreset: Exclude<Role, "custom" | "superuser">;
  /** Whether a deployment without a shape needs `acceptShapelessRisk`, as the description announces. */
  shapeless: "allow" | "refuse";
  /** Whether enforced retention of inference refuses uploads, or lets weights pass (A064). */
  uploads: "allow" | "refuseRetained";
  /**
   * Whether input-only values, such as a secret's, are answered: a service that does that must not leak them (A054).
   */
  inputOnly: "hidden" | "answered";
  /**
   * What happens to the deployed models of a deployment that is deleted: they go
   * with it, or it stays as long as there are any.
   */
  deploymentInUse: "unload" | "refuse";
  /** A100 */
  dialect: DialectTable;
  /** Whether jobs and deployments are created of any model, or only of one that exists and is uploaded. */
  models: "any" | "ready";
  /** What cannot be changed is answered in another form: a version's name, numbers as text, numbers that are capped. */
  unmaskedForm: "plain" | "version" | "text-numbers" | "capped";
  /** Numbers and booleans are answered as they are, or as text. */
  scalars: "plain" | "text";
  /** The key under which lists are answered; null: the collection's. */
  listKey: string | null;
  /** Collections that cannot be listed. */
  listOff: readonly string[];
  /** Collections whose objects cannot be read by their names. */
  getOff: readonly string[];
  /** The body of a 404; `plain` is as `errorStyle` has it. */
  gone: "plain" | "bare" | "html" | "problem";
  /** How answers are compressed, regardless of `accept-encoding`. */
  compress: "none" | "gzip" | "br";
  /** What creates and updates answer: the object, an empty object, or 204 and nothing. */
  emptyWrites: "object" | "{}" | 204;
  /** Objects have a member that differs with each read. */
  etag: boolean;
  /** Free text is answered in another form. */
  textForm: "plain" | "nfd" | "crlf" | "trim";
  /** The id of a create is ignored (A011). */
  ignoreId: boolean;
  /** Names have the id of another account. */
  wrongName: boolean;
  /** A096; absent = none */
  rateLimit?: { perSecond: number; burst: number };
}

/** An HTTP request, as the application sees it. */
export interface ApiRequest {
  method: string;
  /** Percent-encoded, as received. */
  path: string;
  query: ReadonlyMap<string, string>;
  headers: Readonly<Record<string, string>>;
  /** Parsed JSON, or undefined where there is none. */
  body: unknown;
}

export interface ApiResponse {
  status: number;
  /**
   * JSON value, MUST NOT be changed: the same object is the same text. Undefined is an empty body; with a
   * `content-type` in `headers` it is plain text.
   */
  body: unknown;
  headers?: Readonly<Record<string, string>> | undefined;
}

/** A refusal: thrown by handlers, turned into an answer in one place, in the style the settings ask for. */
export class ApiError extends Error {
  override readonly name = "Refusal";
  readonly details: readonly unknown[];

  constructor(
    readonly status: number,
    /** gRPC number (A091). */
    readonly code: number,
    message: string,
    { details = [] }: { details?: readonly unknown[] } = {},
  ) {
    super(message);
    this.details = details;
  }
}

/**
 * The world of the emulated service. Every mutation goes through it, so that
 * persistence, transitions and lists see the same.
 */
export interface World {
  readonly clock: EmulatorClock;
  get(name: string): StoredObject | undefined;
  /** Adds or replaces. */
  put(object: StoredObject): void;
  remove(name: string): void;
  /** Objects of a kind in an account, or in all of them, ordered by name. Tombstones included. */
  list(kind: string, account?: string): StoredObject[];
  all(): Iterable<StoredObject>;
  readonly keys: ReadonlyMap<string, { account: string; role: Role }>;
  setKey(key: string, account: string, role: Role): void;
  removeKey(key: string): void;
  settingsOf(account: string): Settings;
  changeSettings(change: Partial<Settings>, account?: string): void;
  /** A copy of everything, and back. */
  snapshot(): unknown;
  restore(snapshot: unknown): void;
  /** Called after each mutation, for persistence, with the resource name where it was one object. */
  onChange(listener: (name?: string) => void): void;
  /** The object as it was before its last mutation; for answers that lag behind. */
  previous(name: string): StoredObject | undefined;
  /** A new UUID. */
  uuid(): string;
}

/** A list request (A095). */
export interface PageRequest {
  spec: ResourceSpec;
  /**
   * What the caller may see, tombstones left out, ordered by name. Computed
   * members are in place, unset ones may be absent.
   */
  objects: readonly Fields[];
  query: ReadonlyMap<string, string>;
  /** The query parameters that this list knows; a list without `orderBy` ignores one (accounts). */
  parameters: readonly string[];
  /** What a page token is bound to besides the other parameters: the path and the caller. */
  scope: string;
  /** The last touch for an object that is on the page, before the read mask. */
  render(fields: Fields): Fields;
}
