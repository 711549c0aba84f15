import { createTwoFilesPatch, diffLines } from "diff";

/** A file before and after; undefined if it does not exist. */
export interface FileChange {
  /** Absolute. */
  file: string;
  before: string | undefined;
  after: string;
}

/** The changes as `git apply` takes them; `nameOf` is the file's path from where that is run. */
export const patchOf = (changes: readonly FileChange[], nameOf: (file: string) => string): string =>
  changes.map((change) => filePatch(change, nameOf(change.file))).join("");

function filePatch({ before, after }: FileChange, name: string): string {
  const [from, to] = [pathText(before === undefined ? "/dev/null" : `a/${name}`), pathText(`b/${name}`)];
  const hunks = createTwoFilesPatch(from, to, before ?? "", after, undefined, undefined, { context: 3 });
  const body = hunks.slice(hunks.indexOf("--- "));
  const head = `diff --git ${pathText(`a/${name}`)} ${to}\n${before === undefined ? "new file mode 100644\n" : ""}`;
  return `${head}${body}`;
}

/** Git quotes names with characters that its format has other uses for. */
const pathText = (path: string): string => (/["\\\p{Cc}]/u.test(path) ? JSON.stringify(path) : path);

/** The line of `before` that has become a line of `after`; of one that is new, the line that it follows. */
export function lineBefore(before: string, after: string, line: number): number {
  let [old, now, gone] = [1, 1, 0];
  for (const { count, added, removed } of diffLines(before, after)) {
    const isHere = !removed && line < now + count;
    if (isHere && !added) return old + line - now;
    if (isHere) return Math.max(1, Math.min(old - gone + line - now, old - 1));
    gone = removed ? count : 0;
    if (!added) old += count;
    if (!removed) now += count;
  }
  return old;
}
