import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { Values } from "../../provider/core/values/values";

/** A version of a shape that an object may be made from. */
export interface ShapeCandidate {
  name: string;
  snapshot: Values;
}

/** The base of a model, with the number of its parameters where the service tells it. */
interface BaseModel {
  name: string;
  parameters: bigint | undefined;
}

/** What the service says of an object's shape and model, as far as it has been asked. */
export interface Lookups {
  /** The versions that the shape may stand for; or why that cannot be told. */
  shapes?: readonly ShapeCandidate[] | { unknown: string };
  base?: BaseModel | { unknown: string };
}

/** Asks the service. Only reads. */
export interface CostCatalogue {
  shapes(spec: ResourceSpec, account: string, values: Values): Promise<NonNullable<Lookups["shapes"]>>;
  baseModel(spec: ResourceSpec, account: string, name: string): Promise<NonNullable<Lookups["base"]>>;
}
