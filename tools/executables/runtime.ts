import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { gunzipSync } from "node:zlib";
import { type Platform, runtimeVersion } from "./platforms";
import { entriesOf } from "./tar";

export const sha256 = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex");

/** Node.js for a platform. */
export interface Runtime {
  /** The path of the program. */
  program: string;
  /** What its licenses ask to go along. */
  license: string;
}

/** Node.js for a platform below `folder`; what is not there yet, the package manager fetches. */
export function runtimeOf(platform: Platform, folder: string): Runtime {
  const home = join(folder, `${platform.runtime}-${runtimeVersion}`);
  const program = join(home, platform.os === "windows" ? "node.exe" : "node");
  if (!existsSync(program)) fetchRuntime(platform, home);
  const found = sha256(readFileSync(program));
  if (found !== platform.sha256)
    throw new Error(
      `${program} has the SHA-256 ${found}, and not ${platform.sha256}, which tools/executables/platforms.ts expects. Delete ${home} and run this command again; if it fails again, the program is another one.`,
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
