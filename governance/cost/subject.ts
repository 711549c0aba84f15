import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { Values } from "../../provider/core/values/values";

/** What holds for an object: what its program says over what is recorded or live. `none`: there is no object. */
export type Situation = Values | "none";

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
  before?: Situation;
  after: Situation;
  /** `after` is what the service answers now, so that its number of replicas is the present one. */
  isLive?: true;
}
