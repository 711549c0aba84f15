import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { RegistryName } from "../publish/registries";

/** A registry on this machine. */
export interface LocalRegistry {
  name: RegistryName;
  /** As the publishing command takes it. */
  address: string;
  /** What a publication needs besides the address. */
  env: Readonly<Record<string, string>>;
  /** The same with credentials that the registry refuses; undefined where it asks for none. */
  wrongCredentials?: Readonly<Record<string, string>>;
  /** How publishing and installing differ from those of the public registry, and why. */
  differences: readonly string[];
  /** Folder with what was published, and nothing else. */
  storage: string;
}

/** Files below `folder`, as paths from it. */
const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => lstatSync(join(folder, path)).isFile())
    .sort();

/** Bytes of all files below a folder. */
export const sizeOf = (folder: string): number =>
  filesBelow(folder).reduce((sum, path) => sum + statSync(join(folder, path)).size, 0);

/** Differs as soon as a file below the folder is another one, or was written again. */
export function fingerprintOf(folder: string): string {
  const hash = createHash("sha256");
  for (const path of filesBelow(folder)) {
    const file = join(folder, path);
    hash.update(JSON.stringify([path, statSync(file).mtimeMs])).update(readFileSync(file));
  }
  return hash.digest("hex");
}
