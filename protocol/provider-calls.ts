import type { Deletion } from "./engine-state";
import type { PropertyJson } from "./properties";

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

export interface Compared {
  changes: "none" | "some" | "unknown";
  replaces: readonly string[];
  diffs: readonly string[];
  /** By property path: whether the difference replaces the object. */
  detailed: ReadonlyMap<string, { replaces: boolean }>;
  deleteBeforeReplace: boolean;
}

/** An object as its provider reports it. */
export interface ReportedObject {
  /** Empty: there is none. */
  id: string;
  properties: Properties;
  /** Absent where the provider does not report them. */
  inputs?: Properties | undefined;
  /** Why the object, which exists, did not become ready. */
  reasons?: readonly string[];
}

interface About {
  urn: string;
}

export interface Comparing extends About {
  id: string;
  oldInputs: Properties;
  olds: Properties;
  news: Properties;
}

/** `timeout` here and below is in seconds; 0 leaves it to the provider. */
interface Creating extends About {
  properties: Properties;
  timeout: number;
  preview: boolean;
}

interface Updating extends Comparing {
  ignoreChanges: readonly string[];
  timeout: number;
  preview: boolean;
}

export interface Deleting extends About {
  id: string;
  properties: Properties;
  oldInputs: Properties;
  timeout: number;
}

interface Reading extends About {
  id: string;
  /** Neither: the object is to be imported. */
  properties?: Properties;
  inputs?: Properties;
}

/**
 * The calls of Pulumi's provider protocol in values, however they travel: as messages to a process, or within this one.
 * Properties are in wire form; neither side changes what it is handed.
 */
export interface ProviderCalls {
  configure(args: Properties): Promise<Features>;
  /** Undefined here and below: the provider does not say. */
  checkConfig(request: About & { news: Properties }): Promise<CheckedInputs | undefined>;
  diffConfig(request: Comparing): Promise<Compared | undefined>;
  check(request: About & { olds: Properties; news: Properties }): Promise<CheckedInputs>;
  diff(request: Comparing & { ignoreChanges: readonly string[] }): Promise<Compared>;
  create(request: Creating): Promise<ReportedObject>;
  update(request: Updating): Promise<Omit<ReportedObject, "id">>;
  /** Pulumi's own protocol cannot say `left`. */
  delete(request: Deleting): Promise<Deletion>;
  /** Why `delete` would refuse; undefined where that is not known. Pulumi's own protocol has no such call. */
  refusal?: ((request: Deleting) => Promise<string | undefined>) | undefined;
  read(request: Reading): Promise<ReportedObject>;
  invoke(request: { token: string; args: Properties; preview: boolean }): Promise<Properties>;
}

/** The provider ended before it answered: it is unknown whether it created, changed or deleted the object. */
export class OutcomeUnknown extends Error {
  override readonly name = "OutcomeUnknown";
}
