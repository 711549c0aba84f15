/** The readers of state files, for other rooms: what a backend holds, and what its entries mean. */
export { type FileBackend, openBackend, type RecordedState } from "./backend";
export { checkpointIn, importDeployment, parsePacked } from "./checkpoint";
export {
  isObject,
  providerType,
  type ResourceState,
  type Snapshot,
  type StateValue,
  secretSignature,
} from "./resource-state";
export { isSecret } from "./secrets";
