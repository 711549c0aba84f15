import { createTwoFilesPatch, diffLines } from "diff";
import type { Values } from "../../provider/core/values/values";
import type { Finding } from "../scan/finding-schema";
import type { SourceLocation } from "./program";
import type { NewStatement } from "./statements";
import type { ManualPart } from "./wishes";

/** A part of a finding that the program says once the files are changed. */
export interface AcceptedPart {
  finding: Finding;
  path?: string;
  /** Where the program says it. */
  place?: SourceLocation | undefined;
}

export interface RewriteResult {
  accepted: AcceptedPart[];
  left: ManualPart[];
  files: FileChange[];
}

/** A stack of the project that has a resource, or may have it. */
export interface Holder {
  /** Full name. */
  stack: string;
  /** The resource's inputs by the stack's state; undefined where that is not at hand. */
  inputs?: Values;
}

/** What an edit of the program depends on besides its text. */
export interface ProgramDeps {
  /** The stacks of the project that have the resource of the finding. */
  holders(finding: Finding): readonly Holder[];
  /** Of a stack: where its config lies, and its text; undefined where there is no such file. */
  config(stack: string): { file: string; text: string | undefined };
  /** Declarations for objects that no stack manages, by resource name; the reason where there is none. */
  statements?: ReadonlyMap<string, NewStatement | string>;
}

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
  let [old, now, removedLines] = [1, 1, 0];
  for (const { count, added, removed } of diffLines(before, after)) {
    const isHere = !removed && line < now + count;
    if (isHere && !added) return old + line - now;
    if (isHere) return Math.max(1, Math.min(old - removedLines + line - now, old - 1));
    removedLines = removed ? count : 0;
    if (!added) old += count;
    if (!removed) now += count;
  }
  return old;
}
