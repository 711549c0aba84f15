import { lstatSync, type Stats } from "node:fs";

/** A path that is not written, because it may not be a file of its own. */
export class UnsafeFileError extends Error {
  override readonly name = "FileRefusal";
  constructor(path: string, reason: string) {
    super(`${path} is not written: ${reason}. Remove it, or name another file.`);
  }
}

/** Throws for any link. */
export function assertNotLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) throw linkError(path);
}

const linkError = (path: string): UnsafeFileError =>
  new UnsafeFileError(path, "it is a symbolic link, and links are not followed");

/** The state of a file that is about to be replaced. Throws for a link, and for a pipe, which may have a reader. */
export function statReplaceable(path: string): Stats | undefined {
  const before = lstatSync(path, { throwIfNoEntry: false });
  if (before?.isSymbolicLink()) throw linkError(path);
  // The rename reports a folder.
  if (before && !before.isFile() && !before.isDirectory()) throw new UnsafeFileError(path, "it is not a regular file");
  return before;
}

export const moreFilesRemedy = "Raise the limit of open files, for example with `ulimit -n 4096`";
const outOfFiles = ["as many files are open as may be", moreFilesRemedy] as const;

/** Explanations and advice by error code. */
const systemErrors: Readonly<Record<string, readonly [reason: string, remedy: string]>> = {
  ENOSPC: ["the disk is full", "Free space on it"],
  EDQUOT: ["the quota of the disk is used up", "Free space in it"],
  EROFS: ["the file system is read-only", "Mount it for writing, or use a folder elsewhere"],
  EACCES: ["permission is denied", "Check the owner and the rights of the file and of its folder"],
  ENOTDIR: ["a part of its path is a file", "Name a folder that can be created"],
  EPERM: ["permission is denied", "Check the owner and the rights of the file and of its folder"],
  EMFILE: outOfFiles,
  ENFILE: outOfFiles,
};

/** The system does not let a file be read or written. The message names the file, the reason and the remedy. */
export class DiskError extends Error {
  override readonly name = "DiskError";
  constructor(
    readonly path: string,
    readonly done: "read" | "written",
    readonly code: string,
    options?: { cause?: unknown },
  ) {
    const [reason, remedy] = systemErrors[code]!;
    super(`${path} cannot be ${done}: ${reason} (${code}). ${remedy}, and run the command again.`, options);
  }
}

/** Adds the file to a system error. Other errors are unchanged. */
export const throwDiskError =
  (path: string, done: DiskError["done"]) =>
  (cause: unknown): never => {
    throw toDiskError(path, done, cause);
  };

/** Like `throwDiskError`, but returns the error. */
export function toDiskError(path: string, done: DiskError["done"], cause: unknown): unknown {
  if (cause instanceof DiskError) return cause;
  const code = codeOf(cause);
  return code !== undefined && Object.hasOwn(systemErrors, code) ? new DiskError(path, done, code, { cause }) : cause;
}

/** Adds the codes whose meaning depends on the action. */
const systemErrorsByAction: Readonly<Record<DiskError["done"], typeof systemErrors>> = {
  read: {
    ...systemErrors,
    ENOENT: ["there is no such file", "Check its name and the folder"],
    EISDIR: ["it is a folder", "Name a file in it"],
  },
  written: { ...systemErrors, ENOENT: ["a folder of its path cannot be created", "Name a folder that can be created"] },
};

/** Why the system rejects a file, such as `the disk is full (ENOSPC)`, and what to do about it. */
export function describeSystemError(
  cause: unknown,
  done: DiskError["done"] = "written",
): { reason: string; remedy: string | undefined } {
  const code = codeOf(cause);
  const known = systemErrorsByAction[done];
  const [reason, remedy] = code !== undefined && Object.hasOwn(known, code) ? known[code]! : [];
  if (reason === undefined) return { reason: code ?? String(cause), remedy };
  return { reason: `${reason} (${code})`, remedy };
}

/** Whether the process, or the system, may open no more files, connections or processes. */
export const isOutOfFiles = (error: unknown): boolean => ["EMFILE", "ENFILE"].includes(codeOf(error) ?? "");

/** Such an error with what to do about it; undefined for any other. */
export function outOfFilesMessage(error: unknown): string | undefined {
  if (!isOutOfFiles(error)) return undefined;
  const { reason, remedy } = describeSystemError(error);
  return `${(error as Error).message}: ${reason}. ${remedy}, and run the command again.`;
}

/** The system's error code, such as `ENOENT`. */
export const codeOf = (error: unknown): string | undefined =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;
