import type { EngineEvent } from "../events";
import type { Palette } from "./palette";

/** Shows one operation. */
export interface Display {
  /** MUST be called with every event, in order. */
  onEvent(event: EngineEvent): void;
  /** Shows a message about the whole operation immediately. */
  notice(text: string): void;
  /** Ends the display and writes the report. MUST be called once, whatever the outcome. */
  close(): void;
}

export interface DisplayClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back every `ms` until the returned function is called. */
  every(ms: number, callback: () => void): () => void;
}

export interface DisplayOptions {
  write(text: string): void;
  palette: Palette;
  /** Current columns and rows: terminals change size. */
  size(): { width: number; height: number };
  clock: DisplayClock;
  /** The report shows every change field by field. */
  diff: boolean;
  /** An outcome with changes is shown as a warning. */
  expectsNoChanges?: boolean;
}
