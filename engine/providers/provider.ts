import type { Deletion } from "../../protocol/engine-state";
import type { PropertyMap } from "../state/types";
import type { PropertyDifference } from "../values/differences";

/** What every call says about its resource. */
export interface ResourceCall {
  urn: string;
  /** Nothing may be changed: create and update return what is known before they run. */
  preview: boolean;
}

export interface CheckCall extends ResourceCall {
  /** The recorded inputs; empty for a new object. */
  olds: PropertyMap;
  news: PropertyMap;
}

export interface DiffCall extends ResourceCall {
  id: string;
  oldInputs: PropertyMap;
  oldOutputs: PropertyMap;
  newInputs: PropertyMap;
  ignoreChanges: readonly string[];
}

/** `timeout` here and below is in seconds; 0 leaves it to the provider. */
export interface CreateCall extends ResourceCall {
  inputs: PropertyMap;
  timeout: number;
}

export interface UpdateCall extends DiffCall {
  timeout: number;
}

export interface DeleteCall extends ResourceCall {
  id: string;
  inputs: PropertyMap;
  outputs: PropertyMap;
  timeout: number;
}

export interface ReadCall extends ResourceCall {
  id: string;
  inputs: PropertyMap;
  /** The recorded outputs; of an object that is only looked at, the inputs; absent for one that is to be imported. */
  state?: PropertyMap;
}

export interface InvokeCall {
  token: string;
  args: PropertyMap;
  preview: boolean;
}

interface ProviderCheckFailure {
  /** Empty when the failure is about the resource as a whole. */
  property: string;
  reason: string;
}

export interface ProviderCheckResult {
  inputs: PropertyMap;
  failures: ProviderCheckFailure[];
}

export interface ProviderDiffResult {
  changes: "none" | "some" | "unknown";
  /** Top-level names (or paths) whose change cannot be made in place. */
  replaces: string[];
  /** Top-level names that differ; empty when the provider did not say. */
  changed: string[];
  deleteBeforeReplace: boolean;
  /** Filled by the engine when it had to compare itself. */
  differences?: PropertyDifference[];
  /** The provider cannot be called yet: the message for the user. */
  unavailable?: string;
}

/** An object as a provider reported it. */
export interface ReportedState {
  id: string;
  outputs: PropertyMap;
  /** It exists but did not become ready. */
  initErrors?: readonly string[];
}

export interface ProviderReadResult extends ReportedState {
  /** Absent when the provider does not report them. */
  inputs?: PropertyMap | undefined;
}

/**
 * Whoever manages resources of a kind. Properties go in and come out in memory form, with secrets marked; an
 * implementation whose other side cannot carry secrets MUST mark the answers like the same-named values it was given.
 */
export interface ResourceProvider {
  check(call: CheckCall): Promise<ProviderCheckResult>;
  diff(call: DiffCall): Promise<ProviderDiffResult>;
  create(call: CreateCall): Promise<ReportedState>;
  update(call: UpdateCall): Promise<ReportedState>;
  delete(call: DeleteCall): Promise<Deletion>;
  /** Why `delete` would refuse; undefined where that is not known ahead. Absent: the provider cannot say. */
  deletionRejection?(call: DeleteCall): Promise<string | undefined>;
  /** Undefined when there is no such object. */
  read(call: ReadCall): Promise<ProviderReadResult | undefined>;
  /** Validates the configuration of a future instance. Absent: every one is valid. */
  checkConfig?(call: CheckCall): Promise<ProviderCheckResult>;
  /** The effect of a changed configuration on the instance's objects. Undefined or absent: none. */
  diffConfig?(call: DiffCall): Promise<ProviderDiffResult | undefined>;
  /** Gives the configuration to an instance that has not been used yet. */
  configure?(config: PropertyMap): void;
  /** Calls a function of the package. Absent: it has none. */
  invoke?(call: InvokeCall): Promise<PropertyMap>;
}

export const noDiff: ProviderDiffResult = { changes: "none", replaces: [], changed: [], deleteBeforeReplace: false };
export const someDiff = (replaces: string[] = []): ProviderDiffResult => ({
  changes: "some",
  replaces,
  changed: [],
  deleteBeforeReplace: false,
});
