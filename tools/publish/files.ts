import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Release } from "./registry";

/** Where a built release is, from the folder in which the command runs. */
const releaseFolder = "./.release";

const packageName = /^pulumi-modelplatform-(\d+\.\d+\.\d+)\.tgz$/;

/** The release that is built here; its npm package has the version in its name. */
export function builtRelease(): Release {
  const versions = (existsSync(releaseFolder) ? readdirSync(releaseFolder) : []).flatMap(
    (name) => packageName.exec(name)?.[1] ?? [],
  );
  if (versions.length === 1) return { folder: releaseFolder, version: versions[0]! };
  const reason = versions.length === 0 ? "no package" : `packages of several versions (${versions.join(", ")})`;
  throw new Error(`${releaseFolder} has ${reason}; run \`npm run release -- --dry-run\`, which builds one release`);
}

/** A path below the release's folder. It begins with `./`: npm takes `a/b.tgz` for a repository of a forge. */
export const pathIn = ({ folder }: Release, ...parts: readonly string[]): string => `./${join(folder, ...parts)}`;

export const npmPackage = (release: Release): string => pathIn(release, `pulumi-modelplatform-${release.version}.tgz`);

/** What each kind of package is, and where the build leaves it. */
const packages = {
  archives: { folder: "archives", pattern: /\.(tar\.gz|cdx\.json)$/ },
  python: { folder: "sdks/pypi", pattern: /\.(whl|tar\.gz)$/ },
  dotnet: { folder: "sdks/nuget", pattern: /\.nupkg$/ },
} as const;

/** The packages of a kind; none if the machine that built the release lacked a tool. */
function builtPackages(release: Release, kind: keyof typeof packages): string[] {
  const { folder, pattern } = packages[kind];
  const path = pathIn(release, folder);
  const names = (existsSync(path) ? readdirSync(path) : []).filter((name) => pattern.test(name)).sort();
  return names.map((name) => pathIn(release, folder, name));
}

/** The packages of a kind, of which a registry must get one. */
export function requirePackages(release: Release, kind: keyof typeof packages): string[] {
  const paths = builtPackages(release, kind);
  if (paths.length > 0) return paths;
  const path = pathIn(release, packages[kind].folder);
  throw new Error(`${path} has no file to publish; run \`npm run release -- --dry-run\`, which says what it lacks`);
}

export const digest = (algorithm: "sha256" | "sha512", path: string, encoding: "hex" | "base64" = "hex"): string =>
  createHash(algorithm).update(readFileSync(path)).digest(encoding);

/** The name under which a file is published. */
export const nameOf = (path: string): string => basename(path);

/** Everything that people download: archives, the npm package, the SDKs that could be built here, checksums of all. */
export function attachments(release: Release): string[] {
  const sdks = [...builtPackages(release, "python"), ...builtPackages(release, "dotnet")];
  const files = [...requirePackages(release, "archives"), npmPackage(release), ...sdks];
  const checksums = pathIn(release, "archives", "SHA256SUMS");
  writeFileSync(checksums, files.map((path) => `${digest("sha256", path)}  ${nameOf(path)}\n`).join(""));
  return [...files, checksums];
}
