import type { ModelPlatformError } from "../core/errors";

/** A value of an object that does not spell its declared type. */
interface UnusableValue {
  /** Top-level property that it is in. */
  property: string;
  /** Says so, with the request. */
  error: ModelPlatformError;
}

const unusable = new WeakMap<object, readonly UnusableValue[]>();

export const keepUnusable = (object: object, values: readonly UnusableValue[]): void =>
  void (values.length > 0 && unusable.set(object, values));

/**
 * What of an answered object cannot be used. Who asks for objects with `decides` has to ask here, too, before it uses
 * one of the other properties.
 */
export const unusableIn = (object: object): readonly UnusableValue[] => unusable.get(object) ?? [];
