import { constants } from "node:fs";

/** Readable and writable by its owner alone. */
export const ownerOnly = 0o600;

/** Windows has no such flag; links need a privilege there. */
export const noFollow = constants.O_NOFOLLOW ?? 0;

/** Makes the file, and fails where there is one, or a link. */
export const exclusively = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow;

/**
 * The rights of a file that replaces one of the rights `before`; undefined: the usual ones. What is not `shown` holds
 * data of an account.
 */
export function rightsAfter(before: { mode: number } | undefined, shown: boolean): number | undefined {
  const rights = before && before.mode & 0o777;
  return shown ? rights : (rights ?? ownerOnly) & ownerOnly;
}
