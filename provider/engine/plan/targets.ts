/** A set of resources given by URN or pattern: `*` within a part between colons, `**` across them. */
export interface Targets {
  /** False if nothing was given: then every resource is a target. */
  constrained: boolean;
  includes(urn: string): boolean;
  /** The URNs without a wildcard: these must exist. */
  literals: readonly string[];
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

function pattern(glob: string): RegExp {
  const parts = glob.split("**").map((part) => part.split("*").map(escaped).join("[^:]*"));
  return new RegExp(`^${parts.join(".*")}$`, "s");
}

export function targets(urnsOrPatterns: readonly string[]): Targets {
  const literals = urnsOrPatterns.filter((text) => !text.includes("*"));
  const patterns = urnsOrPatterns.filter((text) => text.includes("*")).map(pattern);
  const named = new Set(literals);
  const constrained = urnsOrPatterns.length > 0;
  return {
    constrained,
    literals,
    includes: (urn) => !constrained || named.has(urn) || patterns.some((each) => each.test(urn)),
  };
}
