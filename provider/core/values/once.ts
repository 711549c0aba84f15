/** `make`, which makes its value at the first call, and remembers it. */
export function memoize<V>(compute: () => V): () => V {
  let kept: { value: V } | undefined;
  return () => {
    kept ??= { value: compute() };
    return kept.value;
  };
}

/** `make`, which makes its value once for each thing, and remembers it as long as there is the thing. */
export function memoizeByKey<T extends WeakKey, V>(compute: (thing: T) => V): (thing: T) => V {
  const made = new WeakMap<T, { value: V }>();
  return (thing) => {
    let kept = made.get(thing);
    if (!kept) made.set(thing, (kept = { value: compute(thing) }));
    return kept.value;
  };
}

/** `make`, which makes its value once for each of a few texts, and remembers it for good. */
export function memoizeByText<V>(compute: (text: string) => V): (text: string) => V {
  const made = new Map<string, V>();
  return (text) => {
    if (!made.has(text)) made.set(text, compute(text));
    return made.get(text)!;
  };
}
