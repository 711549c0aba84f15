import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../io/files/package";
import { releaseFolder } from "../executables/main";

/** What the package says about its registries' programs; no source of ours is compiled there. */
export const registriesFolder: string = join(packageRoot, "tools", "rehearsal", "registries");

/**
 * The programs of a registry, installed from their manifest and kept for the next rehearsal. `install` fills a folder
 * that has a copy of the manifest; it is called again if an earlier installation broke off or is of another manifest.
 */
export async function installed(
  language: "npm" | "python",
  manifests: readonly string[],
  install: (folder: string) => Promise<unknown>,
): Promise<string> {
  const folder = join(releaseFolder, "rehearsal", language);
  const texts = manifests.map((file) => readFileSync(join(registriesFolder, language, file)));
  const digest = createHash("sha256").update(process.version).update(Buffer.concat(texts)).digest("hex");
  const complete = join(folder, ".installed");
  if (existsSync(complete) && readFileSync(complete, "utf8") === digest) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const file of manifests) cpSync(join(registriesFolder, language, file), join(folder, file));
  await install(folder);
  writeFileSync(complete, digest);
  return folder;
}
