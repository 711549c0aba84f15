export type { ConfigDeclaration } from "./config-declaration";
export { type ResolvedConfig, resolveConfig } from "./config-resolution";
export { configuredStacks, type Project, placeOfStacks, readProject, stackConfigPath } from "./project-file";
export { readStackConfig, removeStackConfig, type StackConfig, writeStackConfig } from "./stack-config";
