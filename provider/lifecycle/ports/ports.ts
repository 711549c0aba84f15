import type { EngineState } from "../../../protocol/engine-state";
import type { Stopwatch } from "../../api/time";
import type { ClientSettings } from "../../api/types";
import type { CheckFailure } from "../../core/checks/check";
import type { ResourceSpec } from "../../core/declaration/resource";
import type { OwnershipJournal } from "../journal/facts";
import type { Claims } from "../run/claims";
import type { Run } from "../run/run";
import type { Values } from "../types";
import type { Lag } from "./learned";
import type { ObjectCollection } from "./objects";

/** Time for the life cycle; tests move it by hand. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms`, or rejects as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A file as it was when it was examined. */
export interface LocalFile {
  path: string;
  /** Bytes. */
  size: number;
  /** When its content, name or rights last changed, in milliseconds since 1970: no content changes without it. */
  touched: number;
}

/** Files of the machine that the program runs on. One that cannot be read is a `ConfigurationError`. */
export interface Files {
  stat(path: string): Promise<LocalFile>;
  /** Paths below a folder, with `/`, in order; what starts with a dot is left out. */
  below(folder: string): Promise<string[]>;
  /** SHA-256 of the content, in hexadecimal. */
  digest(file: LocalFile, signal: AbortSignal): Promise<string>;
  /** The content from a byte on; an error where the file has become shorter. */
  open(file: LocalFile, from: number): AsyncIterable<Uint8Array>;
}

/** Where a program's values and files are read. */
export interface LocalMachine {
  env: Readonly<Record<string, string | undefined>>;
  readFile(path: string): Promise<string>;
  files: Files;
}

/** A declaration under check, in a known account. */
export interface PreflightSubject {
  spec: ResourceSpec;
  account: string;
  olds: Values;
  inputs: Values;
  signal: AbortSignal;
}

/** Everything that an operation needs from outside. */
export interface Ports {
  settings: ClientSettings;
  /** All kinds. */
  specs: readonly ResourceSpec[];
  clock: Clock;
  /** Called with how long objects are waited for. */
  stopwatch: Pick<Stopwatch, "during">;
  /** How far reads were seen behind writes. */
  lag: Lag;
  /** Claims of this run's declarations, in all its processes. */
  claims: Claims;
  /** What the engine reports of its state; undefined if it cannot be asked. */
  state?: EngineState | undefined;
  /** What this process has seen of the run. */
  run: Pick<Run, "declares">;
  journal: OwnershipJournal;
  /** Objects of a kind, as the settings for that account reach them. */
  objects(kind: string, account: string): ObjectCollection;
  /**
   * Rejects where the service does not know the account's key or cannot be reached: requested once per account, before
   * its first create.
   */
  verifyKey(account: string, signal: AbortSignal): Promise<void>;
  /**
   * What the service would refuse, from reads of its own: each object once per process. No request where nothing new is
   * declared.
   */
  preflight(subject: PreflightSubject): Promise<{ failures: CheckFailure[]; warnings: string[] }>;
  machine: LocalMachine;
  /** Text of `bytes` random bytes, in hexadecimal. */
  randomHex(bytes: number): string;
}

/** What the life cycle needs: it alone begins the calls of a resource. */
export interface LifecyclePorts extends Ports {
  run: Run;
}
