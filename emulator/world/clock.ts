import type { EmulatorClock } from "../types";

interface ClockOptions {
  kind: "real" | "manual";
  /** Emulated seconds per second of the machine, for a real clock. Default: 1. */
  speed?: number;
  /** Where a manual clock begins, in milliseconds since 1970. Default: the start of 2026. */
  start?: number | undefined;
  /** The machine's time in milliseconds since 1970. Default: `Date.now`. */
  machine?: () => number;
}

const manualStart = Date.UTC(2026, 0, 1);

export function createClock({ kind, speed = 1, start = manualStart, machine = Date.now }: ClockOptions): EmulatorClock {
  return kind === "manual" ? manualClock(start) : realClock(speed, machine);
}

function manualClock(start: number): EmulatorClock {
  let time = start;
  return {
    kind: "manual",
    now: () => time,
    advance: (ms) => {
      time += ms;
    },
    resumeAt: (past) => {
      time = past;
    },
    setSpeed: () => undefined,
  };
}

function realClock(initialSpeed: number, machine: () => number): EmulatorClock {
  let speed = initialSpeed;
  let since = machine();
  let time = since;
  const now = () => time + (machine() - since) * speed;
  const rebase = (at: number) => {
    since = machine();
    time = at;
  };
  return {
    kind: "real",
    now,
    advance: () => {
      throw new Error("a real clock cannot be advanced; start the emulator with `--clock manual`");
    },
    // A world that ran ahead of the machine's time continues where it was, so that no timestamp goes backwards.
    resumeAt: (past) => rebase(Math.max(past, machine())),
    setSpeed: (next) => {
      rebase(now());
      speed = next;
    },
  };
}
