import { nightly } from "../nightly";

/**
 * The same attack with every payload against every target. By day each target meets one payload, and each payload one
 * target.
 */
export function testPairs<A, B>(
  targets: readonly (readonly [name: string, target: A])[],
  payloads: readonly (readonly [name: string, payload: B])[],
  title: (target: string, payload: string) => string,
  run: (target: A, payload: B) => void | Promise<void>,
): void {
  const add = (isNow: (row: number, column: number) => boolean): void => {
    for (const [row, [name, target]] of targets.entries())
      for (const [column, [what, payload]] of payloads.entries())
        if (isNow(row, column)) test(title(name, what), async () => run(target, payload));
  };
  const isDiagonal = (row: number, column: number): boolean =>
    targets.length >= payloads.length ? row % payloads.length === column : column % targets.length === row;
  add(isDiagonal);
  if (targets.length > 1 && payloads.length > 1)
    nightly("every payload against every target", () => add((row, column) => !isDiagonal(row, column)));
}
