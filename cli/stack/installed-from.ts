import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { manifest } from "../../io/files/package";
import { nameFrom } from "../../io/paths/containment";

/** What npm keeps beside the packages that it has installed. */
interface InstalledTree {
  packages?: Record<string, { resolved?: string }>;
}

/**
 * What a `package.json` in `folder` says so that npm installs this package again from where it came: a version of the
 * registry, or the file that it was packed into. Undefined where it runs in a clone, which npm has not installed.
 */
export function installedFrom(packageFolder: string, folder: string): string | undefined {
  const modules = dirname(packageFolder);
  if (basename(modules) !== "node_modules") return undefined;
  const record = resolve(modules, ".package-lock.json");
  const tree: InstalledTree = existsSync(record) ? (JSON.parse(readFileSync(record, "utf8")) as InstalledTree) : {};
  const resolved = tree.packages?.[`node_modules/${basename(packageFolder)}`]?.resolved ?? "";
  if (!resolved.startsWith("file:")) return `^${manifest().version}`;
  const packed = resolve(dirname(modules), resolved.slice("file:".length));
  return `file:${nameFrom(folder, packed)}`;
}
