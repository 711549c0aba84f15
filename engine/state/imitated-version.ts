/** The Pulumi CLI whose files, commands and results the built-in engine is compared with. */
export const imitatedVersion = "3.260.0";

type Triple = readonly [number, number, number];

/**
 * Whether `range` includes a version, as the Pulumi CLI reads ranges: comparisons such as `>=3.1.0 <4.0.0`, which all
 * hold, and alternatives around `||`; a final `x` is any number. Throws for other text.
 */
export const satisfiesRange = (range: string, version = imitatedVersion): boolean =>
  range
    .split("||")
    .map(comparisonsOf)
    .some((all) => all.every((holds) => holds(triple(version))));

function comparisonsOf(text: string): ((version: Triple) => boolean)[] {
  const words = text
    .trim()
    .replace(/([<>=!])\s+/g, "$1")
    .split(/\s+/);
  return words.map(comparisonOf);
}

function comparisonOf(word: string): (version: Triple) => boolean {
  const [, operator, ...written] =
    /^(>=|=>|<=|=<|==|!=|[<>=!]?)(\d+)\.(\d+|x)(?:\.(\d+|x))?(-[\w.-]+)?(?:\+[\w.-]+)?$/.exec(word) ?? [];
  const parts: (string | undefined)[] = written.slice(0, 3);
  const fixed = parts.indexOf("x") < 0 ? 3 : parts.indexOf("x");
  if (operator === undefined || (fixed === 3 && parts.includes(undefined)))
    throw new Error(`${word} is not a comparison with a version`);
  const first = [0, 1, 2].map((index) => (index < fixed ? Number(parts[index]) : 0));
  // The first version beyond those that the word covers, which are none for a pre-release.
  const isPrerelease = written[3] !== undefined;
  const next = first.map((part, index) => (index === fixed - 1 && !isPrerelease ? part + 1 : part));
  return (version) => comparisons[operator]!(compare(version, first) < 0, compare(version, next) >= 0);
}

const inside = (below: boolean, above: boolean): boolean => !below && !above;
const outside = (below: boolean, above: boolean): boolean => below || above;
const notAbove = (_: boolean, above: boolean): boolean => !above;
const notBelow = (below: boolean): boolean => !below;

const comparisons: Readonly<Record<string, (isBelow: boolean, isAbove: boolean) => boolean>> = {
  ...{ "": inside, "=": inside, "==": inside },
  ...{ "!": outside, "!=": outside },
  ...{ "<": (below) => below, "<=": notAbove, "=<": notAbove },
  ...{ ">": (_, above) => above, ">=": notBelow, "=>": notBelow },
};

const triple = (version: string): Triple => version.split(".").map(Number) as unknown as Triple;

const compare = (a: readonly number[], b: readonly number[]): number =>
  a.map((part, index) => part - b[index]!).find((difference) => difference !== 0) ?? 0;

/** What is wrong with a required range of versions, if anything: a sentence that begins after the range. */
export function versionFault(range: string): string | undefined {
  try {
    if (satisfiesRange(range)) return undefined;
  } catch {
    return "is not a range of versions, such as `>=3.200.0 <4.0.0`";
  }
  return `leaves out ${imitatedVersion}, the Pulumi CLI that the built-in engine imitates`;
}
