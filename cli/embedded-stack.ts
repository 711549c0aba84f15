import { type EmbeddedStack as Stack, stacksWith } from "../engine/stack";
import { ownKinds } from "./host/machine";

export * from "../engine/index";

/**
 * One stack of a project on Pulumi's file backend, run by the engine of this package, which serves this package's
 * resources in this process. Named as in Pulumi's Automation API.
 */
export const EmbeddedStack = stacksWith(ownKinds());
export type EmbeddedStack = Stack;
