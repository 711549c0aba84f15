import type { Effect, OperationProvenance, OperationSpec, ResourceSpec } from "../core/declaration/resource";
import type { RetirementNotice } from "../core/declaration/retirement";
import type { RedactedString, Redactor } from "../core/redact";
import type { OperationOverride } from "../core/settings";
import type { Parameters } from "../core/values/names";
import type { BodyForm } from "../core/wire/messages";
import type { z } from "../core/zod";

/** An operation of the service as it is called, with overrides applied. */
export interface ApiOperation {
  name: string;
  /** Kind of its objects. */
  kind: string;
  verb: string;
  method: string;
  /** Template with every parameter spelled out: `/v1/accounts/{account}/deployments/{deploymentId}`. */
  path: string;
  /** Query parameters that it takes, by our names. */
  query: readonly string[];
  /** The name of an id parameter on the wire, if a setting changed it. */
  idParam?: { ours: string; theirs: string };
  provenance: OperationProvenance;
  convention?: string | undefined;
  /** The API's description lists the operation and does not show its path. */
  assumedPath?: true | undefined;
  effect: Effect;
  /** The response is a list of the kind's objects. */
  lists: boolean;
  /** Objects in the response may be another account's. */
  ofAnyAccount: boolean;
  /** The response is neither an object of the kind nor a list of them. */
  answersMessage: boolean;
  /** How the message travels in the body. */
  body?: OperationSpec["body"] | undefined;
  spec: ResourceSpec;
}

export interface Catalogue {
  /** What the operations are declared in. */
  readonly specs: readonly ResourceSpec[];
  /** In the order of the specs. Operations that a setting turned off are left out. */
  readonly operations: readonly ApiOperation[];
  /** The operation of that name; an unknown one or one turned off is an error. */
  operation(name: string): ApiOperation;
  /** The operation for a verb of a kind, or undefined if the service has none or it is turned off. */
  find(kind: string, verb: string): ApiOperation | undefined;
  /** The same, but throws if the operation is missing. */
  require(kind: string, verb: string): ApiOperation;
}

/** What the setting `operations` says about one conventional operation. */
export type Override = Readonly<z.output<typeof OperationOverride>>;

export type Overrides = Readonly<Record<string, Override>>;

/** Who set a setting: the running program, files of the project, or the user's environment. */
export type SettingOrigin = "program" | "project" | "environment";

/** Where requests go. */
export interface Endpoint {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Prefix of the API's paths; empty, or starting with a slash and not ending in one. */
  readonly prefix: string;
  readonly loopback: boolean;
  /** Who named that endpoint. */
  readonly from?: SettingOrigin;
}

/** A key and its account. */
export interface Credential {
  /** Absent for the default key while no default account is set. */
  readonly account?: string;
  /** Where requests with this key go, if not to the default. */
  readonly endpoint?: Endpoint | undefined;
  readonly key: RedactedString | { readonly command: readonly string[] };
  /** Who set the key, or its command. */
  readonly from?: SettingOrigin;
}

/** One command that prints the keys of all accounts that match and have no key of their own. */
export interface KeyPattern {
  /** `*` is any text. */
  readonly pattern: string;
  /** With `{account}` in its arguments. */
  readonly command: readonly string[];
  readonly endpoint?: Endpoint | undefined;
  readonly from?: SettingOrigin;
}

/** A key of the environment that is not used, because the stack's config has another one for its account. */
export interface OverriddenKey {
  readonly account?: string | undefined;
  /** The setting of the config that has the key. */
  readonly setting: string;
  /** Where the other key is, in words. */
  readonly unused: string;
}

/** Settings after precedence, validated and frozen. Missing ones are reported by the functions that need them. */
export interface ClientSettings {
  /** Default account. */
  readonly accountId?: string | undefined;
  readonly endpoint?: Endpoint | undefined;
  /** Available keys, that of the default account first. */
  readonly credentials: readonly Credential[];
  /** Where the keys of others come from. Default: nowhere. */
  readonly keyPatterns?: readonly KeyPattern[];
  /** The file that holds keys of accounts, in words. */
  readonly keysFile?: string;
  readonly overruled: readonly OverriddenKey[];
  /** Keys, accounts or addresses are not known yet, as in the preview of what makes them. */
  readonly hasUnknowns: boolean;
  /** Ceiling of requests per second and account; absent: none. */
  readonly requestsPerSecond?: number | undefined;
  readonly preflight: boolean;
  readonly recover: "ask" | "take" | "new";
  readonly allowEndpointChange: boolean;
  /** When to warn about, or reject, what is made from a model that is to be taken down. */
  readonly retirementNotice: RetirementNotice;
  /** `deletionProtection` for resources that do not set it. */
  readonly deletionProtection: boolean;
  /** Whether objects that can carry them get marks of their stack and resource. */
  readonly ownershipMarker: boolean;
  /** Folder of the ownership journal; absent: the user's state directory. */
  readonly intents?: string | undefined;
  /** How masks of updates are written (A031). */
  readonly updateMask: "snake" | "camel" | "off";
  /** What bodies of updates contain (A031). */
  readonly patchBody: BodyForm;
  /** Whether creates with `validateOnly` create nothing; absent: not known. */
  readonly validateOnly?: ValidateOnly;
  readonly operations: Overrides;
  /** How the service spells names (A100), and where that was configured, in words; validated by the client. */
  readonly dialect?: { readonly value: unknown; readonly where: string } | undefined;
  /** How errors advise users to put a setting into the stack's config; absent if no config was read. */
  readonly configCommand?: readonly string[] | undefined;
}

/** What is known of a service: whether a create with `validateOnly` creates nothing. */
export type ValidateOnly = "honored" | "ignored" | undefined;

export interface CallOptions {
  /** Path parameters; `name`, a whole resource name, may stand for those of the object. */
  parameters?: Parameters | undefined;
  /** Query parameters by our names; undefined ones are left out. */
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** JSON body. */
  body?: unknown;
  /** Whose key to use. Default: that of the account in the path, if available, else the default account's (A003). */
  as?: string | undefined;
  /** Deadline in milliseconds since 1970, waits and retries included. Default: five minutes from now. */
  deadline?: number | undefined;
  signal?: AbortSignal | undefined;
  /** One request, even if it fails. */
  once?: boolean | undefined;
  /** What to do where its answer is lost, for the error. Default: to look before it is repeated. */
  ifLost?: (() => string) | undefined;
  /**
   * Whether sending it twice does no more than sending it once. Default: by method and verb; false for a create, which
   * is repeatable only if the caller chose the id (A092).
   */
  idempotent?: boolean;
  /** Called for each request sent for the call, retries included. */
  onSend?: () => void;
  /** Called once for each wait of more than ten seconds, with what it is for and until when. Default: the client's. */
  onWait?: ((text: string) => void) | undefined;
  /**
   * By top-level property: whether a value of another type makes the answer unusable. Others are left as they are
   * answered. Default: each property that a program can set, and the state.
   */
  decides?: ((property: string) => boolean) | undefined;
  /** The members of a list are judged by their names and references, and decoded one by one, as `listed`. */
  deferred?: boolean | undefined;
}

/** A member of a list, of which only the name is decoded. */
export interface ListMember<T = Json> {
  name: string;
  /** Its values in their declared forms. */
  read(): T;
}

/** A file to send to an address that the service has signed. */
export interface Upload {
  /** Its name at the service, for errors. */
  name: string;
  /** Bytes. */
  size: number;
  /**
   * The account that it is for: only if its service is on this machine may the address be here, too. Default: the
   * default account.
   */
  as?: string;
  /** An address to send it to; `refused` is one that the storage rejects. Addresses are secrets (A097). */
  address(refused?: string): Promise<string>;
  /** The bytes from `from` on. MUST yield `size - from` bytes, or throw: the upload rejects with that error. */
  open(from: number): AsyncIterable<Uint8Array>;
  /** The address takes the rest of a file whose first part has arrived. */
  resumable: boolean;
  /** Receives the number of bytes sent so far; it falls when a part has to be sent again. */
  onProgress(bytes: number): void;
  /** Receives what a long wait between attempts is for, and until when. */
  onWait?(text: string): void;
  /** Milliseconds since 1970. */
  deadline: number;
  signal: AbortSignal;
}

export type Json = { [member: string]: unknown };

export interface CallResult {
  value: Json;
  /** The members of a deferred list, which `value` has as they were answered. */
  listed?: readonly ListMember[] | undefined;
  status: number;
  /** Characters of the response. */
  size: number;
  /** The service's clock, in milliseconds since 1970 and to the second; absent if the response does not have it. */
  time?: number | undefined;
  /** Why a part of the response to a create is not in `value`. */
  unusable?: Error;
}

export interface LogEntry {
  level: "info" | "warning";
  /** Redacted. */
  text: string;
}

/** Requests sent, by account and operation. */
export interface RequestCount {
  account: string;
  operation: string;
  /** Requests sent, retries included. */
  sent: number;
  /** Responses with 429. */
  refused: number;
  /** Requests without a usable response: 4xx and 5xx other than 429, and lost ones. */
  failed: number;
}

export interface RequestStats {
  tallies(): readonly RequestCount[];
  /** Requests sent, optionally of one account or operation. */
  sent(of?: { account?: string; operation?: string }): number;
}

export interface Client {
  readonly settings: ClientSettings;
  readonly catalogue: Catalogue;
  readonly ledger: RequestStats;
  readonly redactor: Redactor;
  /**
   * Calls an operation: waits for its turn, repeats what may be repeated, checks the response. Throws a
   * `ModelPlatformError`: `NotFoundError`, `ConflictError`, `FailedPreconditionError`, `UnsupportedOperationError`,
   * `ConfigurationError`, `DeadlineError`, `AbortedError`, `AmbiguousOutcomeError`, or the base class.
   */
  call(operation: string, options?: CallOptions): Promise<CallResult>;
  /** Sends a file with constant memory, with retries. Throws as `call` does. */
  upload(upload: Upload): Promise<void>;
  /** The service's clock, in milliseconds since 1970: at most a second behind. Undefined before its first response. */
  serviceTime(origin: string): number | undefined;
  /** Whether creates with `validateOnly` create nothing, as set or seen so far; undefined: not known. */
  validateOnly(): ValidateOnly;
  /** Milliseconds since 1970, as deadlines count them. */
  now(): number;
  /** Warns about the form of responses, once in these words. */
  remark?(text: string): void;
  /** Ends idle connections; calls under way finish. */
  close(): Promise<void>;
}
