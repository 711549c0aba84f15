import type { Reporter } from "../lifecycle/types";
import type { EngineLink, LogEntry } from "./engine-link";

export interface ResourceReporter extends Reporter {
  /** Resolves when everything reported so far has arrived. */
  delivered(): Promise<void>;
}

/** Passing states come at most this often for one resource. */
const statusIntervalMs = 1000;

/** Reports on the resource with that URN to the engine, one message after the other. A message that is lost is no error. */
export function createReporter(link: EngineLink, urn: string, now: () => number): ResourceReporter {
  let last: Promise<void> = Promise.resolve();
  let statusAt = Number.NEGATIVE_INFINITY;
  const send = (entry: Pick<LogEntry, "text" | "severity" | "ephemeral">): void => {
    last = last.then(() => link.log({ ...entry, urn }));
  };
  return {
    status(text) {
      if (now() - statusAt < statusIntervalMs) return;
      statusAt = now();
      send({ text, severity: "info", ephemeral: true });
    },
    info: (text) => send({ text, severity: "info", ephemeral: false }),
    warn: (text) => send({ text, severity: "warning", ephemeral: false }),
    delivered: () => last,
  };
}
