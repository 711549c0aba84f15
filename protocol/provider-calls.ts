import type { Naming } from "./autonaming";
import type { Deletion, EngineState } from "./engine-state";
import type { PropertyJson } from "./properties";

/** A message for the user, about no resource if the URN is empty. */
export interface HostMessage {
  severity: "info" | "warning";
  message: string;
  urn: string;
  /** Replaces the last status of the resource instead of adding a line. */
  ephemeral: boolean;
}

/** The operation of an engine that a host serves. */
export interface HostedRun {
  /** Identifies this run to every process that works for it. */
  name: string;
  /** Where relative paths begin: the program's folder. */
  folder: string;
  state?: EngineState | undefined;
  log(message: HostMessage): void;
}

/** Serves some types of resources within the engine's process; others have provider processes. */
export interface InProcessHost {
  /** Whether it serves resources of this type, and functions of this token. */
  serves(token: string): boolean;
  /** The command that prints the declaration of the live object with this id. */
  declaring?: (id: string) => readonly string[];
  begin(run: HostedRun): RunningHost;
}

export interface RunningHost {
  /** An unconfigured instance, with the environment that a process of the package would have. */
  open(pkg: string, env: Readonly<Record<string, string | undefined>>): ProviderCalls;
  /** Lets running calls end; those that do not within seconds have an unknown outcome. */
  interrupt(): void;
  /** Abandons running calls. */
  kill(): void;
  close(): Promise<void>;
}

export type Properties = { [key: string]: PropertyJson };

/** Features that a provider supports. */
export interface Features {
  /** Secrets travel marked; otherwise in the clear. */
  secrets: boolean;
  references: boolean;
  /** It also receives creates and updates in a preview. */
  previews: boolean;
}

interface ProtocolCheckFailure {
  /** Empty when the failure is about the resource as a whole. */
  property: string;
  reason: string;
}

export interface CheckedInputs {
  inputs: Properties;
  failures: ProtocolCheckFailure[];
}

export interface ProtocolDiff {
  changes: "none" | "some" | "unknown";
  replaces: readonly string[];
  diffs: readonly string[];
  /** By property path: whether the difference replaces the object. */
  detailed: ReadonlyMap<string, { replaces: boolean }>;
  deleteBeforeReplace: boolean;
}

/** An object as its provider reports it. */
export interface ReportedObject {
  /** Empty if the object does not exist. */
  id: string;
  properties: Properties;
  /** Absent if the provider does not report them. */
  inputs?: Properties | undefined;
}

/** An object that exists, but did not become ready. */
export interface UnreadyObject extends ReportedObject {
  reasons: readonly string[];
}

interface ResourceArguments {
  urn: string;
}

interface CheckArguments extends ResourceArguments {
  olds: Properties;
  news: Properties;
  naming?: Naming | undefined;
}

export interface DiffArguments extends ResourceArguments {
  id: string;
  oldInputs: Properties;
  olds: Properties;
  news: Properties;
}

/** `timeout` here and below is in seconds; 0 leaves it to the provider. */
interface CreateArguments extends ResourceArguments {
  properties: Properties;
  timeout: number;
  preview: boolean;
}

interface UpdateArguments extends DiffArguments {
  ignoreChanges: readonly string[];
  timeout: number;
  preview: boolean;
}

export interface DeleteArguments extends ResourceArguments {
  id: string;
  properties: Properties;
  oldInputs: Properties;
  timeout: number;
}

interface ReadArguments extends ResourceArguments {
  id: string;
  /** Neither: an import. */
  properties?: Properties;
  inputs?: Properties;
}

/**
 * The calls of Pulumi's provider protocol as values, sent to another process or made within this one. Properties are in
 * wire form; neither side changes what it receives. A call that fails rejects with a `ProviderFailure` or an
 * `OutcomeUnknownError`.
 */
export interface ProviderCalls {
  configure(args: Properties): Promise<Features>;
  /** Undefined here and below if the provider does not report it. */
  checkConfig(request: ResourceArguments & { news: Properties }): Promise<CheckedInputs | undefined>;
  diffConfig(request: DiffArguments): Promise<ProtocolDiff | undefined>;
  check(request: CheckArguments): Promise<CheckedInputs>;
  diff(request: DiffArguments & { ignoreChanges: readonly string[] }): Promise<ProtocolDiff>;
  create(request: CreateArguments): Promise<ReportedObject>;
  update(request: UpdateArguments): Promise<Omit<ReportedObject, "id">>;
  /** Pulumi's own protocol cannot say `left`. */
  delete(request: DeleteArguments): Promise<Deletion>;
  /** Why `delete` would fail; undefined if unknown. Pulumi's own protocol has no such call. */
  refusal?: ((request: DeleteArguments) => Promise<string | undefined>) | undefined;
  read(request: ReadArguments): Promise<ReportedObject>;
  invoke(request: { token: string; args: Properties; preview: boolean }): Promise<Properties>;
}

interface FailureOptions {
  cause?: unknown;
  /** Its stack, for a user who debugs. */
  trace?: string;
  /** The object is there anyway, and this is what to record of it. */
  recorded?: UnreadyObject | undefined;
  /** What kind of failure it is, where the provider has a list of them. */
  code?: string | undefined;
}

/** Why a call failed, in words for the user. */
export class ProviderFailure extends Error {
  override readonly name = "ProviderFailure";
  readonly trace: string;
  readonly recorded: UnreadyObject | undefined;
  readonly code: string | undefined;

  /** `summary`: the message without the trace. */
  constructor(
    readonly summary: string,
    { trace = "", recorded, code, ...options }: FailureOptions = {},
  ) {
    super(trace === "" ? summary : `${summary}\n${trace}`, options);
    this.trace = trace;
    this.recorded = recorded;
    this.code = code;
  }
}

/** The provider ended before it responded: it is unknown whether it created, changed or deleted the object. */
export class OutcomeUnknownError extends Error {
  override readonly name = "OutcomeUnknown";
}
