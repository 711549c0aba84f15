import type { Snapshot } from "./types";

/** What the history of a stack says about one finished operation. Times are in seconds since 1970, as in Pulumi's file. */
export interface UpdateRecord {
  kind: "update" | "refresh" | "destroy" | "import";
  startTime: number;
  endTime: number;
  message: string;
  environment: { [key: string]: string };
  /** The stack's config as it stands in its file: secrets as `{ "secure": "<ciphertext>" }`. */
  config: { [key: string]: unknown };
  result: "succeeded" | "failed";
  /** Counts by Pulumi's step names: `create`, `update`, `same`, `delete`, `replace`, … */
  resourceChanges: { [step: string]: number };
}

export interface StackFiles {
  readonly project: string;
  readonly name: string;
  /** The file as it stands: secrets as ciphertext (`decryptSnapshot` opens them). Undefined when the stack does not exist. */
  load(): Promise<Snapshot | undefined>;
  /**
   * Writes the whole snapshot durably, secrets as ciphertext (`encryptSnapshot` seals them). A resource state is a value: one that was
   * saved is frozen, so that its text can be reused; a change MUST be a new object.
   */
  save(snapshot: Snapshot): Promise<void>;
  /** Adds the finished operation to the history and keeps a copy of the state in `backups`, as the Pulumi CLI does. */
  record(update: UpdateRecord): Promise<void>;
  history(): Promise<UpdateRecord[]>;
  /** Absolute path of the current state file. */
  path(): Promise<string>;
}
