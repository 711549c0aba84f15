import type { Json, Snapshot } from "./types";

/** Reads a state file of version 3 or 4, plain, gzip or zstd. Secrets stay as they are in the file. */
export function readCheckpoint(bytes: Uint8Array): Snapshot {
  throw new Error(`not built yet: ${bytes.length}`);
}

/** `stack` is the full name, `organization/<project>/<stack>`. */
export function writeCheckpoint(snapshot: Snapshot, stack: string): Buffer {
  throw new Error(`not built yet: ${stack} ${snapshot.resources.length}`);
}

/** The document of `pulumi stack export`. */
export interface DeploymentDocument {
  version: number;
  features?: string[];
  deployment: { [key: string]: Json };
}

export function exportDeployment(snapshot: Snapshot): DeploymentDocument {
  throw new Error(`not built yet: ${snapshot.resources.length}`);
}

export function importDeployment(document: unknown): Snapshot {
  throw new Error(`not built yet: ${typeof document}`);
}

/** A stack without resources. `version` is the writing engine's, e.g. `v3.248.0`. */
export function emptySnapshot(time: Date, version?: string): Snapshot {
  throw new Error(`not built yet: ${time} ${version}`);
}
