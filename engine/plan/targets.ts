import { anything, isNot, literally, matches, type PatternStep } from "../../io/text/pattern";

/** A set of resources given by URN or pattern: `*` within a part between colons, `**` across them. */
export interface Targets {
  /** False if nothing was given: then every resource is a target. */
  constrained: boolean;
  includes(urn: string): boolean;
  /** The URNs without a wildcard: these must exist. */
  literals: readonly string[];
}

/** `**` is any text, `*` any text without a colon. */
const tokensOf = (glob: string): PatternStep[] =>
  glob.split(/(\*\*|\*)/).flatMap((part): PatternStep[] => {
    if (part === "**") return [{ many: anything }];
    return part === "*" ? [{ many: isNot(":") }] : literally(part);
  });

export function targets(urnsOrPatterns: readonly string[]): Targets {
  const literals = urnsOrPatterns.filter((text) => !text.includes("*"));
  const patterns = urnsOrPatterns.filter((text) => text.includes("*")).map(tokensOf);
  const named = new Set(literals);
  const constrained = urnsOrPatterns.length > 0;
  return {
    constrained,
    literals,
    includes: (urn) => !constrained || named.has(urn) || patterns.some((each) => matches(each, urn)),
  };
}
