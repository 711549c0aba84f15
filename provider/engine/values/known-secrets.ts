import type { Json } from "../../state/types";
import type { EngineEvent, PropertyDiff } from "../events";
import { isSecretValue, stripSecrets } from "./values";

const mask = "[secret]";

/** Shorter texts stand in too many words to be masked in all of them, as with Pulumi. */
const shortest = 3;
/**
 * Parts of a secret, members of an object or lines of a text, may be ordinary
 * words: these are masked from this length on.
 */
const shortestPart = 8;

/**
 * The secrets that an operation has come across, in the clear. What programs and providers say is masked by them: a
 * service may repeat in an error what it was sent, and a program may print what it was given.
 */
export class KnownSecrets {
  private readonly texts = new Set<string>();
  private pattern: RegExp | undefined;

  /** Remembers every secret inside. */
  learn(value: Json | undefined): void {
    if (isSecretValue(value)) this.keep(stripSecrets(value), shortest);
    else for (const member of membersOf(value)) this.learn(member);
  }

  private keep(secret: Json, least: number): void {
    if (typeof secret === "string") {
      this.keepText(secret, least);
      this.keepText(JSON.stringify(secret).slice(1, -1), least);
      if (secret.includes("\n")) for (const line of secret.split(/\r?\n/)) this.keepText(line, shortestPart);
    } else for (const member of membersOf(secret)) this.keep(member, Array.isArray(secret) ? least : shortestPart);
  }

  private keepText(text: string, least: number): void {
    if (text.length < least || /^(true|false)$/i.test(text) || this.texts.has(text)) return;
    this.texts.add(text);
    this.pattern = undefined;
  }

  mask(text: string): string {
    if (this.texts.size === 0) return text;
    // A secret that holds another one is masked as a whole.
    this.pattern ??= new RegExp(
      [...this.texts]
        .sort((a, b) => b.length - a.length)
        .map(literal)
        .join("|"),
      "g",
    );
    return text.replace(this.pattern, mask);
  }

  /** The event as it may be shown. States in it are not texts: their secrets are marked. */
  maskEvent(event: EngineEvent): EngineEvent {
    switch (event.kind) {
      case "diagnostic":
        return { ...event, message: this.mask(event.message) };
      case "stepFailed":
        return {
          ...event,
          message: this.mask(event.message),
          step: { ...event.step, diffs: event.step.diffs.map((diff) => this.maskDiff(diff)) },
        };
      case "stepStarted":
      case "stepFinished":
        return { ...event, step: { ...event.step, diffs: event.step.diffs.map((diff) => this.maskDiff(diff)) } };
      default:
        return event;
    }
  }

  private maskDiff(diff: PropertyDiff): PropertyDiff {
    return {
      ...diff,
      ...("old" in diff && { old: this.maskValue(diff.old) }),
      ...("new" in diff && { new: this.maskValue(diff.new) }),
    };
  }

  private maskValue(value: unknown): unknown {
    if (typeof value === "string") return this.mask(value);
    if (Array.isArray(value)) return value.map((member) => this.maskValue(member));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, this.maskValue(member)]));
  }
}

const membersOf = (value: Json | undefined): readonly Json[] =>
  typeof value === "object" && value !== null ? Object.values(value) : [];

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
