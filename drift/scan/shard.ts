/** One of `count` parts of a scan that share its accounts among themselves. */
export interface Shard {
  /** From 1 to `count`. */
  index: number;
  count: number;
}

/** Reads `i/n`; undefined where the text is none. */
export function parseShard(text: string): Shard | undefined {
  const [, index, count] = (/^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? []).map(Number);
  return index !== undefined && count !== undefined && index >= 1 && index <= count ? { index, count } : undefined;
}

export const shardText = ({ index, count }: Shard): string => `${index}/${count}`;
