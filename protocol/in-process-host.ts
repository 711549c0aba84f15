import type { EngineState } from "./engine-state";
import type { ProviderCalls } from "./provider-calls";

/** A message for the user about a resource; of none, where the URN is empty. */
export interface HostMessage {
  severity: "info" | "warning";
  message: string;
  urn: string;
  /** Replaces the last status of the resource instead of adding a line. */
  ephemeral: boolean;
}

/** The operation of an engine that a host serves. */
export interface HostedRun {
  /** Tells this run from others to every process that works for it. */
  name: string;
  /** Where relative paths begin: the program's folder. */
  folder: string;
  state?: EngineState | undefined;
  log(message: HostMessage): void;
}

/** Serves some types of resources within the engine's process, where others have provider processes. */
export interface InProcessHost {
  /** Whether it serves resources of this type, and functions of this token. */
  serves(token: string): boolean;
  begin(run: HostedRun): RunningHost;
}

export interface RunningHost {
  /** An instance, not configured yet, with the environment that a process of the package would be given. */
  open(pkg: string, env: Readonly<Record<string, string | undefined>>): ProviderCalls;
  /** What is under way comes to its end; what does not within seconds has an unknown outcome. */
  interrupt(): void;
  /** Nobody waits for what is under way any longer. */
  kill(): void;
  close(): Promise<void>;
}
