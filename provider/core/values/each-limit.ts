/**
 * Does `work` for every item in their order, at most `limit` at once. Once it has failed for one, no more begin;
 * rejects with that failure when all that have begun are over.
 */
export async function eachLimit<Item>(
  items: readonly Item[],
  limit: number,
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  const waiting = [...items.entries()];
  let failure: { error: unknown } | undefined;
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next && !failure; next = waiting.shift())
      await work(next[1], next[0]).catch((error: unknown) => {
        failure ??= { error };
      });
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  if (failure) throw failure.error;
}
