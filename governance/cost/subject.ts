import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { isObject, isUnknown, type Values } from "../../provider/core/values/values";
import type { Prices } from "./prices";

/** What holds for an object: what its program says over what is recorded or live. `none`: there is no object. */
export type ObjectState = Values | "none";

/** Something that costs money, as it is or before and after a change. */
export interface CostSubject {
  spec: ResourceSpec;
  /** Resource name where there is one, else the name in the program. */
  name: string;
  account: string;
  urn?: string;
  /** `organization/project/stack`, or as much of it as is known. */
  stack?: string | undefined;
  /** Absent where nothing changes. */
  before?: ObjectState;
  after: ObjectState;
  /** `after` is what the service answers now, so that its number of replicas is the present one. */
  isLive?: true;
}

/** A version of a shape that an object may be made from. */
export interface ShapeCandidate {
  name: string;
  snapshot: Values;
}

/** The base of a model, with the number of its parameters if the service has it. */
interface BaseModel {
  name: string;
  parameters: bigint | undefined;
}

/** What the service says of an object's shape and model, as far as it has been asked. */
export interface Lookups {
  /** The versions that the shape may resolve to; or why that is unknown. */
  shapes?: readonly ShapeCandidate[] | { unknown: string };
  base?: BaseModel | { unknown: string };
}

/** Asks the service. Only reads. */
export interface CostCatalogue {
  shapes(spec: ResourceSpec, account: string, values: Values): Promise<NonNullable<Lookups["shapes"]>>;
  baseModel(spec: ResourceSpec, account: string, name: string): Promise<NonNullable<Lookups["base"]>>;
}

/** What an estimate is made with. */
export interface Basis {
  prices: Prices;
  /** Today in UTC, `YYYY-MM-DD`. */
  day: string;
}

/** An object's labels, as far as they are known. */
export const annotationsIn = ({ annotations }: Values): Readonly<Record<string, string>> =>
  isObject(annotations)
    ? Object.fromEntries(
        Object.entries(annotations).filter(
          (entry): entry is [string, string] => typeof entry[1] === "string" && !isUnknown(entry[1]),
        ),
      )
    : {};
