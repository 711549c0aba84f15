import { anything, literalSteps, matches, matchesOtherThan, type PatternStep } from "../../io/text/glob";
import { isProviderType, type ResourceState, stackType } from "../state/resource-state";
import { dependenciesOf } from "./dependencies";

/** Which resources an operation is about; URNs or patterns, by the names of Pulumi's Automation API. */
export interface ScopeChoices {
  /** These and no others. */
  target?: readonly string[] | undefined;
  /** And what depends on them. */
  targetDependents?: boolean | undefined;
  /** All but these. */
  exclude?: readonly string[] | undefined;
  /** And everything that depends on them. */
  excludeDependents?: boolean | undefined;
}

/**
 * The resources that an operation covers, while it walks through them: dependencies come first, so that dependents are
 * known when their turn comes. Each walk has its own scope.
 */
export class Scope {
  readonly targets: Targets;
  readonly excludes: Targets;
  /** Dependents of targets and of excluded resources, as far as the walk has come. */
  private readonly reached = new Set<string>();

  constructor(readonly choices: ScopeChoices) {
    this.targets = targets(choices.target ?? []);
    this.excludes = targets(choices.exclude ?? []);
  }

  /** A new scope with the same choices. */
  reset(): Scope {
    return new Scope(this.choices);
  }

  /**
   * Whether the operation covers the resource; providers and the stack always are. For a declared resource, pass the
   * goal's state.
   */
  includes(state: ResourceState): boolean {
    const isCovered = this.decide(state, true);
    return isCovered || isProviderType(state.type) || state.type === stackType;
  }

  /** Whether a refresh covers the resource. Dependencies on providers do not count. */
  observes(state: ResourceState): boolean {
    return this.decide(state, false);
  }

  private decide(state: ResourceState, throughProvider: boolean): boolean {
    const { targets: targetSet, excludes, choices } = this;
    if (targetSet.constrained)
      return this.matches(state, targetSet, choices.targetDependents === true, throughProvider);
    if (excludes.constrained)
      return !this.matches(state, excludes, choices.excludeDependents === true, throughProvider);
    return true;
  }

  private matches(state: ResourceState, named: Targets, dependents: boolean, throughProvider: boolean): boolean {
    const isNamed = (urn: string) => named.includes(urn) || this.reached.has(urn);
    const isMatch =
      isNamed(state.urn) ||
      (dependents &&
        dependenciesOf(state).some(({ urn, kind }) => (throughProvider || kind !== "provider") && isNamed(urn)));
    if (isMatch) this.reached.add(state.urn);
    return isMatch;
  }
}

/** A set of resources, by URN or pattern: `*` within a part between colons, `**` across them. */
export interface Targets {
  /** False without any: then every resource is a target. */
  constrained: boolean;
  includes(urn: string): boolean;
  /** The URNs without a wildcard: these must exist. */
  literals: readonly string[];
  /** The patterns that none of these URNs matches. */
  unmatched(urns: readonly string[]): readonly string[];
}

/** `**` is any text, `*` any text without a colon. */
const tokensOf = (glob: string): PatternStep[] =>
  glob.split(/(\*\*|\*)/).flatMap((part): PatternStep[] => {
    if (part === "**") return [{ many: anything }];
    return part === "*" ? [{ many: matchesOtherThan(":") }] : literalSteps(part);
  });

export function targets(urnsOrPatterns: readonly string[]): Targets {
  const literals = urnsOrPatterns.filter((text) => !text.includes("*"));
  const patterns = urnsOrPatterns.flatMap((text) => (text.includes("*") ? [{ text, steps: tokensOf(text) }] : []));
  const named = new Set(literals);
  const constrained = urnsOrPatterns.length > 0;
  return {
    constrained,
    literals,
    includes: (urn) => !constrained || named.has(urn) || patterns.some(({ steps }) => matches(steps, urn)),
    unmatched: (urns) => patterns.flatMap(({ text, steps }) => (urns.some((urn) => matches(steps, urn)) ? [] : [text])),
  };
}
