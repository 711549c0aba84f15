// What an installation and a build are made of, by content: times differ in a clone, a copy and a cache.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { rooms } from "./rooms.cjs";

/** Beside the sources: the compiler's settings, the packages, and what the bundle has of this one as texts. */
const files = ["tsconfig.json", "package-lock.json", "package.json", "schema.json"];

/** A digest of all that a build reads. */
export function buildInputs(root) {
  const sources = rooms.flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1)),
  );
  const digest = createHash("sha256");
  for (const file of [...files, ...sources.sort()])
    digest
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update("\0");
  return digest.digest("hex");
}

/** Whether every package of the lock file is installed; one for another platform need not be. */
export function isInstalled(root) {
  const installed = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(installed)) return false;
  const packagesOf = (file) => JSON.parse(readFileSync(file, "utf8")).packages;
  const present = packagesOf(installed);
  return Object.entries(packagesOf(join(root, "package-lock.json"))).every(
    ([path, { version, resolved, integrity, optional }]) => {
      const there = present[path];
      if (path === "") return true;
      if (there === undefined) return optional === true;
      return there.version === version && there.resolved === resolved && there.integrity === integrity;
    },
  );
}
