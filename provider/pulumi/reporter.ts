import type { Reporter } from "../lifecycle/types";
import type { EngineLink, EngineLogEntry } from "./engine-link";

export interface ResourceReporter extends Reporter {
  /** Does `work` and never is silent for long meanwhile; everything reported has arrived when it resolves. */
  during<T>(work: () => Promise<T>): Promise<T>;
}

export interface ReporterTime {
  /** Milliseconds since some fixed time. */
  now(): number;
  /** Calls `beat` every `ms` until the returned function is called. */
  every(ms: number, beat: () => void): () => void;
}

/** Beats do not keep the process alive. */
export const processTime: ReporterTime = {
  now: Date.now,
  every(ms, beat) {
    const timer = setInterval(beat, ms).unref();
    return () => clearInterval(timer);
  },
};

/** Passing states come at most this often for one resource; the last one always comes. */
const statusIntervalMs = 1000;

/**
 * An unchanged status is repeated after this time: an engine without a terminal prints a line for each, and a log
 * without new lines looks dead.
 */
const heartbeatMs = 60_000;

/**
 * Reports on the resource with that URN to the engine, one message after the other. A lost message is not an error.
 */
export function createReporter(link: Pick<EngineLink, "log">, urn: string, time: ReporterTime): ResourceReporter {
  let delivery: Promise<void> = Promise.resolve();
  let statusText = "waiting for an answer";
  let lastMessageAt = time.now();
  let statusAt = Number.NEGATIVE_INFINITY;
  let heldBack: string | undefined;

  function send(entry: Pick<EngineLogEntry, "text" | "severity" | "ephemeral">): void {
    lastMessageAt = time.now();
    delivery = delivery.then(() => link.log({ ...entry, urn }));
  }

  function sendStatus(text: string): void {
    statusAt = time.now();
    statusText = text;
    heldBack = undefined;
    send({ text, severity: "info", ephemeral: true });
  }

  function beat(): void {
    if (heldBack !== undefined) sendStatus(heldBack);
    else if (time.now() - lastMessageAt >= heartbeatMs) sendStatus(statusText);
  }

  return {
    status(text) {
      if (time.now() - statusAt < statusIntervalMs) heldBack = text === statusText ? undefined : text;
      else if (text !== statusText) sendStatus(text);
    },
    info: (text) => send({ text, severity: "info", ephemeral: false }),
    warn: (text) => send({ text, severity: "warning", ephemeral: false }),
    async during(work) {
      lastMessageAt = time.now();
      const stop = time.every(statusIntervalMs, beat);
      try {
        return await work();
      } finally {
        stop();
        if (heldBack !== undefined) sendStatus(heldBack);
        await delivery;
      }
    },
  };
}
