import { createTwoFilesPatch } from "diff";

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
