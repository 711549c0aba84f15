import { parsePath } from "../values/paths";

/** Whether a change at `path` is at or below one of the paths that a program ignores; `*` stands for any one member. */
export function isIgnored(path: string, ignoreChanges: readonly string[]): boolean {
  const place = parsePath(path);
  return ignoreChanges
    .map(parsePath)
    .some(
      (ignored) =>
        ignored.length <= place.length &&
        ignored.every((segment, index) => segment === "*" || segment === place[index]),
    );
}
