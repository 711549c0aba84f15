import type { PropertyMap } from "../state/types";
import type { Difference } from "./differences";

/** What every call says of the resource it is about. */
export interface ResourceCall {
  urn: string;
  /** No object may be touched: create and update answer what is known before they run. */
  preview: boolean;
}

export interface CheckFailure {
  /** Empty when the failure is about the resource as a whole. */
  property: string;
  reason: string;
}

export interface DiffAnswer {
  changes: "none" | "some" | "unknown";
  /** Top-level names (or paths) whose change cannot be made in place. */
  replaces: string[];
  /** Top-level names that differ; empty when the provider did not say. */
  changed: string[];
  deleteBeforeReplace: boolean;
  /** Filled by the engine when it had to compare itself. */
  found?: Difference[];
  /** The provider cannot be asked yet: the message for the user. */
  unavailable?: string;
}

/** An object as a provider reported it. `initErrors`: it exists but did not become ready. */
export interface Live {
  id: string;
  outputs: PropertyMap;
  initErrors?: readonly string[];
}

/**
 * Whoever manages resources of a kind. Properties go in and come out in memory form, with secrets marked; an implementation whose
 * other side cannot carry secrets MUST mark the answers like the same-named values it was given.
 */
export interface ResourceProvider {
  check(call: ResourceCall & { olds: PropertyMap; news: PropertyMap }): Promise<{ inputs: PropertyMap; failures: CheckFailure[] }>;
  diff(call: ResourceCall & { id: string; oldInputs: PropertyMap; oldOutputs: PropertyMap; newInputs: PropertyMap; ignoreChanges: readonly string[] }): Promise<DiffAnswer>;
  create(call: ResourceCall & { inputs: PropertyMap; timeout: number }): Promise<Live>;
  update(call: ResourceCall & { id: string; oldInputs: PropertyMap; oldOutputs: PropertyMap; newInputs: PropertyMap; timeout: number; ignoreChanges: readonly string[] }): Promise<Live>;
  delete(call: ResourceCall & { id: string; inputs: PropertyMap; outputs: PropertyMap; timeout: number }): Promise<void>;
  /** Undefined when there is no such object. `inputs` is absent when the provider does not report them. */
  read(call: ResourceCall & { id: string; inputs: PropertyMap; state: PropertyMap }): Promise<(Live & { inputs?: PropertyMap }) | undefined>;
}

export const noDiff: DiffAnswer = { changes: "none", replaces: [], changed: [], deleteBeforeReplace: false };
export const someDiff = (replaces: string[] = []): DiffAnswer => ({ changes: "some", replaces, changed: [], deleteBeforeReplace: false });
