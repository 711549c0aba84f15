import { existsSync } from "node:fs";
import { join } from "node:path";
import { releaseFolder } from "../executables/main";
import { hostPlatform, nameOf } from "../executables/platforms";
import { releaseCommand } from "./release-command";
import type { Place, Sandbox } from "./sandbox";

/** The part of a rehearsal: what Node.js alone can do, or everything. */
export type RehearsalPart = "npm" | "everything";

/** A copy of the built release: what is published from it is not recorded in the checkout. */
export interface BuiltRelease {
  /** Where the command that publishes runs; it has `.release`. */
  folder: string;
  /** The path of the npm package. */
  tarball: string;
  hasPython: boolean;
  hasGo: boolean;
  /** What could not be built, as sentences. */
  missing: readonly string[];
}

/** Builds a release, and copies what is published of it. */
export async function buildRelease(part: RehearsalPart, sandbox: Sandbox, here: Place): Promise<BuiltRelease> {
  const what = part === "npm" ? "npm" : nameOf(hostPlatform());
  const stdout = await sandbox.run(process.execPath, [...releaseCommand, "build", what], here);
  const { npm, missing } = JSON.parse(stdout.trimEnd().split("\n").at(-1)!) as { npm: string; missing: string[] };
  const folder = sandbox.newFolder("release");
  const everything = part === "npm" ? [] : ["archives", "sdks"];
  for (const name of [npm, ...everything]) sandbox.copy(join(releaseFolder, name), "release", ".release", name);
  const copy = join(folder, ".release");
  const has = (language: string): boolean => existsSync(join(copy, "sdks", language));
  return { folder, tarball: join(copy, npm), hasPython: has("pypi"), hasGo: has("go"), missing };
}
