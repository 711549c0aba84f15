import type { Project } from "./project";
import type { StackFiles } from "./stack-files";
import type { StackLock } from "./lock";
import type { FileSystem } from "./durable-file";
import type { Snapshot } from "./types";

export interface BackendOptions {
  /** What a relative `file://` path is relative to. Default: the process's folder. */
  cwd?: string;
  home?: string;
  env?: { [name: string]: string | undefined };
  files?: FileSystem;
  clock?: () => Date;
}

export interface StackReference {
  project: string;
  name: string;
}

export interface FileBackend {
  /** As given: the key under which the Pulumi CLI remembers the selected stack. */
  readonly url: string;
  /** Absolute folder that holds `.pulumi`. */
  readonly folder: string;
  listStacks(project?: string): Promise<StackReference[]>;
  stack(project: string, name: string): StackFiles;
  lock(project: string, name: string): StackLock;
  /** Writes an empty state (or the given one, in file form); refuses a stack that exists. */
  createStack(project: string, name: string, snapshot?: Snapshot): Promise<StackFiles>;
  /** Refuses a stack that still has resources unless `force`. */
  removeStack(project: string, name: string, options?: { force?: boolean }): Promise<void>;
  /** `PULUMI_STACK`, else what `stack select` of either engine chose; undefined when nothing is chosen or it is gone. */
  selectedStack(project: Project): Promise<string | undefined>;
  selectStack(project: Project, name: string | undefined): Promise<void>;
}

export function openBackend(url: string, options: BackendOptions = {}): FileBackend {
  throw new Error(`not built yet: ${url} ${Object.keys(options)}`);
}
