import { SecretMatcher } from "../../io/masking/matcher";
import type { EngineEvent, PropertyDiff, StepSummary } from "../events";
import type { ResourceState, StateValue } from "../state/resource-state";
import { isSecretValue, stripSecrets } from "./values";

const mask = "[secret]";

/** Shorter texts are part of too many words to mask them all, as with Pulumi. */
const shortest = 3;
/**
 * Members of an object may be ordinary words: these are masked from this length on.
 */
const shortestPart = 8;
/** One word, perhaps a compound, as roles, ids and regions are: `admin`, `inference-user`, `READ_ONLY`. */
const word = /^(?=.{1,14}$)(?:[a-z]+|[A-Z][a-z]*|[A-Z]+)(?:[-_](?:[a-z]+|[A-Z][a-z]*|[A-Z]+))*$/;
/** What identifies a resource, and where the program declares it: in the clear in a state as well. */
const identity: ReadonlySet<string> = new Set([
  ...["urn", "id", "type", "parent", "provider", "dependencies", "propertyDependencies", "deletedWith", "aliases"],
  ...["sourcePosition", "stackTrace"],
]);
const isShortWord = (text: string): boolean => text.length < shortestPart && word.test(text);

/**
 * The secrets that an operation has seen, in the clear. They are masked in everything that programs and providers
 * print: a service may echo its input, and a program may print its config.
 */
export class KnownSecrets {
  /** Undefined until there is a secret. */
  private matcher: SecretMatcher | undefined;

  /** Remembers every secret inside. */
  learn(value: StateValue | undefined): void {
    if (isSecretValue(value)) this.addSecret(stripSecrets(value), shortest);
    else for (const member of membersOf(value)) this.learn(member);
  }

  /** Remembers the secrets of a resource. */
  learnState({ inputs, outputs }: Partial<ResourceState> = {}): void {
    for (const properties of [inputs, outputs]) this.learn(properties);
  }

  private addSecret(secret: StateValue, least: number): void {
    if (typeof secret !== "string")
      for (const member of membersOf(secret)) this.addSecret(member, Array.isArray(secret) ? least : shortestPart);
    else if (secret.length >= least && !/^(true|false)$/i.test(secret)) {
      this.matcher ??= new SecretMatcher();
      this.matcher.add(secret);
    }
  }

  /** A message, without any of the secrets. */
  mask(text: string): string {
    return this.matcher?.mask(text, mask) ?? text;
  }

  maskEvent(event: EngineEvent): EngineEvent {
    switch (event.kind) {
      case "diagnostic":
        return { ...event, message: this.mask(event.message) };
      case "stepFailed":
        return { ...event, message: this.mask(event.message), step: this.maskStep(event.step) };
      case "stepStarted":
      case "stepFinished":
        return { ...event, step: this.maskStep(event.step) };
      case "summary":
        return { ...event, outputs: this.maskValue(event.outputs) };
      default:
        return event;
    }
  }

  private maskStep(step: StepSummary): StepSummary {
    if (!this.matcher) return step;
    return {
      ...step,
      old: step.old && this.maskState(step.old),
      new: step.new && this.maskState(step.new),
      diffs: step.diffs.map((diff) => this.maskDiff(diff)),
    };
  }

  private maskState(state: ResourceState): ResourceState {
    const masked = Object.entries(state).map(([key, value]) => [
      key,
      identity.has(key) ? value : this.maskValue(value),
    ]);
    return Object.fromEntries(masked) as ResourceState;
  }

  private maskDiff(diff: PropertyDiff): PropertyDiff {
    const { path, old, new: fresh } = diff;
    return { ...diff, path: this.maskValue(path), old: this.maskValue(old), new: this.maskValue(fresh) };
  }

  /**
   * The value of a property that is not secret itself. A property that is one word stays visible even if a secret is
   * the same word: hiding it would reveal that the secret is one of the few possible words.
   */
  private maskValue<T>(value: T): T;
  private maskValue(value: unknown): unknown {
    if (typeof value === "string")
      return word.test(value) ? value : (this.matcher?.mask(value, mask, isShortWord) ?? value);
    if (Array.isArray(value)) return value.map((member) => this.maskValue(member));
    if (typeof value !== "object" || value === null || isSecretValue(value as StateValue)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [this.maskValue(key), this.maskValue(member)]),
    );
  }
}

const membersOf = (value: StateValue | undefined): readonly StateValue[] =>
  typeof value === "object" && value !== null ? Object.values(value) : [];
