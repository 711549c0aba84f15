import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { pathIn } from "./files";
import type { RegistryName } from "./registries";
import type { Release } from "./registry";

/** A publication from this machine that needs no repetition. */
export interface Publication {
  registry: RegistryName;
  version: string;
  address: string;
}

const recordOf = (release: Release): string => pathIn(release, "published.json");

/** What this machine has published of the release, in order; a record that cannot be read is none. */
export function publications(release: Release): Publication[] {
  try {
    const all = JSON.parse(readFileSync(recordOf(release), "utf8")) as Publication[];
    return all.filter(({ version }) => version === release.version);
  } catch {
    return [];
  }
}

export function recordPublication(release: Release, registry: RegistryName, address: string): void {
  const others = publications(release).filter((each) => each.registry !== registry || each.address !== address);
  const all = [...others, { registry, version: release.version, address } satisfies Publication];
  const path = recordOf(release);
  // Whole or not at all, also on a disk that is full.
  writeFileSync(`${path}.part`, `${JSON.stringify(all, null, 2)}\n`);
  renameSync(`${path}.part`, path);
}
