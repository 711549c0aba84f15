import { OutcomeUnknown } from "../../protocol/provider-calls";
import { messageOf } from "../errors";
import type { Outcomes } from "../events";

type Fate = keyof Outcomes;

/** What has become of the resources of an operation so far, by URN. */
export class Fates {
  private readonly byUrn = new Map<string, Fate>();

  /** A resource of several steps is done when the last one is. */
  note(urn: string, fate: Fate): void {
    this.byUrn.delete(urn);
    this.byUrn.set(urn, fate);
  }

  /** It was to be worked on, and no step of it has begun. */
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

/** Of the provider's process or the life cycle, which names the topic: between processes an error is a text. */
const isUnknown = (error: unknown): boolean =>
  error instanceof OutcomeUnknown || /#the-outcome-is-unknown\b/.test(messageOf(error));

/** Of the provider's process or the life cycle, which say so in words: between processes an error is a text. */
export const isInterruption = (error: unknown): boolean =>
  error instanceof OutcomeUnknown || /\binterrupted (while|before)\b/.test(messageOf(error));
