/** The readers of state files, for other rooms: what a backend holds, and what its entries mean. */
export { type FileBackend, openBackend, type StackReference } from "./backend";
export { checkpointIn, importDeployment } from "./checkpoint";
export { parsePacked } from "./compression";
export { isObject } from "./json-object";
export { isSecret } from "./secrets";
export { secretSignature } from "./signature";
export type { ResourceState, Snapshot, StateValue } from "./types";
export { providerType } from "./urns";
