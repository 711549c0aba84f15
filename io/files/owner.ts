import { lstatSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Environment } from "./user-folders";

/** Users by number, as far as trust in files depends on them. */
export interface Users {
  /** This process's; undefined on systems without users. */
  self: number | undefined;
  /** Who could change what a path leads to: the owners of a link, of its target and of the folder. */
  ownersOf(path: string): readonly number[];
}

const systemUsers: Users = {
  self: process.getuid?.(),
  ownersOf: (path) => [lstatSync(path).uid, statSync(path).uid, statSync(dirname(path)).uid],
};

/**
 * The owner of a file that is neither this user nor root; undefined if there is none. Under sudo, the user who called
 * it counts as this one.
 */
export function foreignOwner(
  path: string,
  env: Environment,
  { self, ownersOf }: Users = systemUsers,
): number | undefined {
  if (self === undefined) return undefined;
  const caller = self === 0 && /^\d+$/.test(env["SUDO_UID"] ?? "") ? Number(env["SUDO_UID"]) : self;
  return ownersOf(path).find((owner) => ![0, self, caller].includes(owner));
}
