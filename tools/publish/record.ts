import { existsSync, readFileSync, writeFileSync } from "node:fs";
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

/** What this machine has published of the release, in order. */
export function publications(release: Release): Publication[] {
  const path = recordOf(release);
  if (!existsSync(path)) return [];
  const all = JSON.parse(readFileSync(path, "utf8")) as Publication[];
  return all.filter(({ version }) => version === release.version);
}

export function recordPublication(release: Release, registry: RegistryName, address: string): void {
  const others = publications(release).filter((each) => each.registry !== registry || each.address !== address);
  const all = [...others, { registry, version: release.version, address } satisfies Publication];
  writeFileSync(recordOf(release), `${JSON.stringify(all, null, 2)}\n`);
}
