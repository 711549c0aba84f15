import type { Json } from "./types";
import type { SecretsManager } from "./secrets";

/** A key that the project declares for its stacks. */
export interface ConfigDeclaration {
  type?: "string" | "integer" | "boolean" | "array" | "object";
  description?: string;
  items?: { type: string; items?: ConfigDeclaration["items"] };
  default?: Json;
  value?: Json;
  secret?: boolean;
}

export interface Project {
  name: string;
  runtime: { name: string; options: { [key: string]: Json } };
  /** Entry point relative to the project's folder, when it is not the folder itself. */
  main?: string;
  description?: string;
  config: { [key: string]: ConfigDeclaration };
  backendUrl?: string;
  /** Absolute path of Pulumi.yaml (.yml, .json). */
  file: string;
  /** Absolute folder of that file. */
  folder: string;
  /** Absolute folder of the `Pulumi.<stack>.yaml` files. */
  configFolder: string;
}

/** Finds the project file in `cwd` or above it. */
export async function readProject(cwd: string): Promise<Project> {
  throw new Error(`not built yet: ${cwd}`);
}

/** `Pulumi.<stack>.yaml`. Keys are namespaced; edits keep comments and order. */
export interface StackConfig {
  readonly file: string;
  encryptionSalt: string | undefined;
  /** True for a secret, or an object with a secret inside. */
  has(key: string): boolean;
  keys(): string[];
  /** Plain text (JSON text for objects), as `pulumi config get` prints it. Undefined when it is not set. */
  get(key: string, manager: SecretsManager | undefined, options?: { path?: boolean }): string | undefined;
  set(key: string, value: string, options?: { path?: boolean; secret?: SecretsManager }): void;
  remove(key: string, options?: { path?: boolean }): void;
  /** For the history: values as they stand in the file. */
  raw(): { [key: string]: Json };
}

export async function readStackConfig(project: Project, stack: string): Promise<StackConfig> {
  throw new Error(`not built yet: ${project.name} ${stack}`);
}

export async function writeStackConfig(config: StackConfig): Promise<void> {
  throw new Error(`not built yet: ${config.file}`);
}

export interface ResolvedConfig {
  /** As `PULUMI_CONFIG` wants it: namespaced key to plain text, JSON text for objects. */
  values: { [key: string]: string };
  /** As `PULUMI_CONFIG_SECRET_KEYS` wants it. */
  secretKeys: string[];
}

/** The stack's values over the project's defaults, checked against the project's declarations. `manager` is needed when something is secret. */
export function resolveConfig(project: Project, config: StackConfig, manager: SecretsManager | undefined): ResolvedConfig {
  throw new Error(`not built yet: ${project.name} ${config.file} ${manager?.type}`);
}
