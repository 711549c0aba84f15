import type { DisplayClock } from "../../engine/display/display";
import type { Canvas } from "../../engine/display/live";
import type { Time } from "../../provider/api/time";
import type { Checkout } from "../checkout/checkout";
import type { Engine } from "./engine";

export interface Output {
  write(text: string): void;
  readonly isTTY: boolean;
  /** Width of the terminal. `Infinity` where there is none: nothing is wrapped in a pipe or a log. */
  readonly columns: number;
  /** Height of the terminal; 24 where there is none. */
  readonly rows: number;
}

/** Everything outside that a command uses. Commands MUST NOT reach for `process` themselves. */
export interface CliContext {
  stdout: Output;
  stderr: Output;
  env: { readonly [name: string]: string | undefined };
  /** The folder to work in: `--cwd`, else the process's. */
  cwd: string;
  /** What the command may take from the checkout in that folder: nothing, until the command is known. */
  checkout: Checkout;
  /** A person at a terminal can answer. */
  isTTY: boolean;
  /** `--non-interactive`: nothing is drawn over, as if there were no terminal. */
  nonInteractive?: boolean;
  /** `--color`: whether to use colours whatever the output is. */
  colour?: boolean | undefined;
  clock: DisplayClock;
  /** Clock for waits and requests. */
  time: Time;
  signals: {
    /**
     * Calls back for every SIGINT, SIGTERM or SIGHUP until the returned function is called. While nobody listens,
     * one ends the process with `exitCodes.interrupted`.
     */
    listen(callback: () => void): () => void;
  };
  /** Everything on standard input, for a value that is not given as an argument. */
  readStdin(): Promise<string>;
  /**
   * The answer typed at the terminal, unseen if `hidden`; undefined at the end of input. Throws `interruption()` on ^C.
   */
  ask(question: string, options?: { hidden?: boolean }): Promise<string | undefined>;
  /** A part of the terminal to draw over. Default: on standard output. */
  openCanvas(on?: "stdout" | "stderr"): Promise<Canvas>;
  /** The engine, loaded when it is first needed. */
  loadEngine(): Promise<Engine>;
  /** The exit code. A command that succeeded but found something sets it. */
  exitCode: number;
  /** Ends the process now. */
  exit(code: number): never;
}

export const exitCodes = {
  done: 0,
  error: 1,
  drift: 2,
  aboveCeiling: 2,
  partial: 3,
  unexpectedChanges: 7,
  usage: 64,
  interrupted: 130,
} as const;
