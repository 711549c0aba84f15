import type { Deletion } from "../../protocol/engine-state";
import type { CheckResult } from "../core/check";
import type { DiffResult, FieldChange } from "../core/comparison/diff";
import type { HiddenContext } from "../core/declaration/own-fields";
import type { Values } from "../core/values/values";

/** What an adapter (dynamic provider, plugin) calls. Values are plain: secrets and signatures are the adapter's job. */

export type { Values } from "../core/values/values";

/** Reports an operation's progress to users; `status` replaces the last status of the resource's row. */
export interface Reporter {
  status(message: string): void;
  info(message: string): void;
  warn(message: string): void;
}

/** One call for one resource. */
export interface Call {
  hidden: HiddenContext;
  reporter: Reporter;
  /** Ends waits and requests; created objects are then reported as such. */
  signal: AbortSignal;
  /**
   * How long the engine allows the operation, in seconds, if the program's `timeouts` do not say. Absent: as declared.
   */
  timeout?: number | undefined;
}

/** A comparison with what it is made of. */
export interface Comparison extends DiffResult {
  found: readonly FieldChange[];
}

export interface Created {
  id: string;
  outputs: Values;
}

export interface ReadResult {
  outputs: Values;
  /** The program's inputs with the live object's values. */
  inputs: Values;
}

/** An object that becomes a program's. */
export interface ImportResult extends ReadResult {
  /** What the inputs leave out, in words. */
  remarks: string[];
}

/**
 * The object exists and has not reached the desired state: the engine records `outputs` and `reasons`, and calls
 * `update` the next time.
 */
export class InitFailedError extends Error {
  override readonly name = "InitFailedError";
  constructor(
    readonly id: string,
    readonly outputs: Values,
    readonly reasons: string[],
    options?: { cause?: unknown },
  ) {
    super(reasons.join("\n"), options);
  }
}

/** Life cycle of every kind of resource. Errors are `ModelPlatformError`s or `InitFailedError`. */
export interface ResourceLifecycle {
  /**
   * Writes the resolved `accountId` and option defaults into the inputs. Sends reads alone, and these with the setting
   * `preflight` alone; but after a diff by which the old object goes first, the service is asked to validate the new
   * one.
   */
  check(call: Call, olds: Values, news: Values): Promise<CheckResult>;
  diff(call: Call, id: string, outputs: Values, inputs: Values): Promise<Comparison>;
  create(call: Call, inputs: Values): Promise<Created>;
  /** Undefined: the object is deleted. */
  read(call: Call, id: string, outputs: Values): Promise<ReadResult | undefined>;
  /** Like `read`, for an object that no state records: the inputs are what a person would write. */
  import(call: Call, id: string): Promise<ImportResult | undefined>;
  update(call: Call, id: string, outputs: Values, inputs: Values): Promise<Values>;
  delete(call: Call, id: string, outputs: Values): Promise<Deletion>;
  /** Why `delete` would refuse, as far as reads show; undefined if nothing is known against it. */
  refusal(call: Call, id: string, outputs: Values): Promise<string | undefined>;
}
