import { copyFileSync, existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { attachments } from "./attachments";
import { digest, nameOf } from "./files";
import { absent, combined, type Presence, same, type Target } from "./registry";

/** Where a folder that a web server serves has a file. */
const destination = (address: string, path: string): string => join(fileURLToPath(address), nameOf(path));

function presenceOf(path: string, address: string): Presence {
  const copy = destination(address, path);
  if (!existsSync(copy)) return absent;
  if (digest("sha256", copy) === digest("sha256", path)) return same;
  return { is: "other", what: `${copy} has other content than ${path}` };
}

export const lookUpInFolder = async ({ release, address }: Target): Promise<Presence> =>
  combined(attachments(release).map((path) => presenceOf(path, address)));

/** A file is there whole or not at all. */
export async function copyToFolder({ release, address }: Target): Promise<void> {
  mkdirSync(fileURLToPath(address), { recursive: true });
  for (const path of attachments(release)) {
    if (presenceOf(path, address).is === "same") continue;
    const copy = destination(address, path);
    copyFileSync(path, `${copy}.part`);
    renameSync(`${copy}.part`, copy);
  }
}
