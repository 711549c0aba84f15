import type { Reporter } from "../lifecycle/types";
import type { EngineLink, LogEntry } from "./engine-link";

export interface ResourceReporter extends Reporter {
  /** Resolves when everything reported so far has arrived. */
  delivered(): Promise<void>;
}

/** Passing states come at most this often for one resource; the last one always comes. */
const statusIntervalMs = 1000;

/** Reports on the resource with that URN to the engine, one message after the other. A message that is lost is no error. */
export function createReporter(link: EngineLink, urn: string, now: () => number): ResourceReporter {
  let last: Promise<void> = Promise.resolve();
  let statusAt = Number.NEGATIVE_INFINITY;
  let heldBack: string | undefined;
  const send = (entry: Pick<LogEntry, "text" | "severity" | "ephemeral">): void => {
    last = last.then(() => link.log({ ...entry, urn }));
  };
  const sendStatus = (text: string): void => {
    statusAt = now();
    heldBack = undefined;
    send({ text, severity: "info", ephemeral: true });
  };
  return {
    status(text) {
      if (now() - statusAt < statusIntervalMs) heldBack = text;
      else sendStatus(text);
    },
    info: (text) => send({ text, severity: "info", ephemeral: false }),
    warn: (text) => send({ text, severity: "warning", ephemeral: false }),
    delivered() {
      if (heldBack !== undefined) sendStatus(heldBack);
      return last;
    },
  };
}
