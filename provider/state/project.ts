export { resolveConfig, type ResolvedConfig } from "./config-resolution";
export type { ConfigDeclaration } from "./config-declaration";
export { readProject, stackConfigPath, type Project } from "./project-file";
export { readStackConfig, removeStackConfig, writeStackConfig, type StackConfig } from "./stack-config";
