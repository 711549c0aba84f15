/** `make`, which makes its value at the first call, and remembers it. */
export function once<V>(make: () => V): () => V {
  let kept: { value: V } | undefined;
  return () => {
    kept ??= { value: make() };
    return kept.value;
  };
}

/** `make`, which makes its value once for each thing, and remembers it as long as there is the thing. */
export function oncePer<T extends WeakKey, V>(make: (thing: T) => V): (thing: T) => V {
  const made = new WeakMap<T, { value: V }>();
  return (thing) => {
    let kept = made.get(thing);
    if (!kept) made.set(thing, (kept = { value: make(thing) }));
    return kept.value;
  };
}
