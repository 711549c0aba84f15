import { OutcomeUnknownError } from "../../protocol/provider-calls";
import { messageOf } from "../errors";
import type { Outcomes } from "../events";

type Fate = keyof Outcomes;

/** What has become of the resources of an operation so far, by URN. */
export class OutcomeTracker {
  private readonly byUrn = new Map<string, Fate>();

  /** A resource of several steps is done when the last one is. */
  note(urn: string, fate: Fate): void {
    this.byUrn.delete(urn);
    this.byUrn.set(urn, fate);
  }

  /** The resource was planned, and none of its steps has begun. */
  noteNotBegun(urn: string): void {
    if (!this.byUrn.has(urn)) this.byUrn.set(urn, "notBegun");
  }

  noteFailed(urn: string, error: unknown): void {
    this.note(urn, isUnknown(error) ? "unknown" : "failed");
  }

  outcomes(): Outcomes {
    const all: Outcomes = { done: [], failed: [], unknown: [], notBegun: [] };
    for (const [urn, fate] of this.byUrn) all[fate].push(urn);
    return all;
  }
}

/** Recognized by the topic in the message: errors of another process are plain text. */
export const isUnknown = (error: unknown): boolean =>
  error instanceof OutcomeUnknownError || /#the-outcome-is-unknown\b/.test(messageOf(error));

/** Recognized by the message: errors of another process are plain text. */
export const isInterruption = (error: unknown): boolean =>
  error instanceof OutcomeUnknownError || /\binterrupted (while|before)\b/.test(messageOf(error));
