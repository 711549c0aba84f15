const sdk = "@pulumi/pulumi";

/** An SDK, and the Node.js that programs run on with it; both are versions. */
export interface Lane {
  sdk: string;
  node: string;
}

/** What the registry is asked for. */
export interface Registry {
  /** Versions of a package that a range or a tag means; none where there is none. */
  versions(name: string, range: string): readonly string[];
  /** The Node.js that a version says it needs, as a range. */
  needs(name: string, version: string): string;
}

/** What cannot be run, in words for whoever asked for it. */
export class NoSuchLane extends Error {}

const numbers = (version: string): number[] => version.split(".").map(Number);

const compare = (one: string, other: string): number => {
  const [left, right] = [numbers(one), numbers(other)];
  const place = left.findIndex((number, index) => number !== right[index]);
  return place === -1 ? 0 : left[place]! - right[place]!;
};

const newest = (versions: readonly string[]): string | undefined => [...versions].sort(compare).at(-1);

/** Of versions of Node.js, the last one of the first line. */
function ofLeastLine(versions: readonly string[]): string | undefined {
  const least = Math.min(...versions.map((version) => numbers(version)[0]!));
  return newest(versions.filter((version) => numbers(version)[0] === least));
}

/** Whether a registry can be asked for it at all. */
const isRange = (text: string): boolean => /^[\w.*^~<>=|+ -]+$/.test(text);

/**
 * The lane of an SDK: a version, a range or a tag. Without `node`, the newest version of the least line of Node.js that
 * both the SDK and this package, which needs `own`, accept.
 */
export function laneOf(asked: { sdk: string; node?: string | undefined }, own: string, registry: Registry): Lane {
  for (const text of [asked.sdk, asked.node ?? "*"])
    if (!isRange(text)) throw new NoSuchLane(`\`${text}\` is neither a version, nor a range, nor a tag.`);
  const version = newest(registry.versions(sdk, asked.sdk));
  if (version === undefined)
    throw new NoSuchLane(`${sdk} ${asked.sdk} does not exist. \`npm view ${sdk} versions\` lists those that do.`);
  if (asked.node !== undefined && registry.versions("node", asked.node).length === 0)
    throw new NoSuchLane(`Node.js ${asked.node} does not exist. \`npm view node versions\` lists those that do.`);
  const needed = `${own} ${registry.needs(sdk, version)}`;
  const accepted = registry.versions("node", [needed, asked.node ?? ""].join(" ").trim());
  const node = asked.node === undefined ? ofLeastLine(accepted) : newest(accepted);
  if (node === undefined)
    throw new NoSuchLane(
      `${sdk} ${version} and this package need Node.js ${needed}, not ${asked.node}. Leave out --node to run on the least.`,
    );
  return { sdk: version, node };
}
