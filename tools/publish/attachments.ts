import { writeFileSync } from "node:fs";
import { builtPackages, digest, nameOf, npmPackage, pathIn, requirePackages } from "./files";
import type { Release } from "./registry";

/** Everything that people download: archives, the npm package, the SDKs that could be built here, checksums of all. */
export function attachments(release: Release): string[] {
  const sdks = [...builtPackages(release, "python"), ...builtPackages(release, "dotnet")];
  const files = [...requirePackages(release, "archives"), npmPackage(release), ...sdks];
  const checksums = pathIn(release, "archives", "SHA256SUMS");
  writeFileSync(checksums, files.map((path) => `${digest("sha256", path)}  ${nameOf(path)}\n`).join(""));
  return [...files, checksums];
}
