import { copyFileSync, existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { attachments, digest, nameOf } from "./files";
import { absent, combined, type Presence, type Registry, type Release, same, type Target } from "./registry";
import { ToolError } from "./tool";

/** Where a folder that a web server serves has a file. */
const destination = (address: string, path: string): string => join(fileURLToPath(address), nameOf(path));

function presenceOf(path: string, address: string): Presence {
  const copy = destination(address, path);
  if (!existsSync(copy)) return absent;
  if (digest("sha256", copy) === digest("sha256", path)) return same;
  return { is: "other", what: `${copy} has other content than ${path}` };
}

const lookUpInFolder = async ({ release, address }: Target): Promise<Presence> =>
  combined(attachments(release).map((path) => presenceOf(path, address)));

/** A file is there whole or not at all. */
async function copyToFolder({ release, address }: Target): Promise<void> {
  mkdirSync(fileURLToPath(address), { recursive: true });
  for (const path of attachments(release)) {
    if (presenceOf(path, address).is === "same") continue;
    const copy = destination(address, path);
    copyFileSync(path, `${copy}.part`);
    renameSync(`${copy}.part`, copy);
  }
}

interface ForgeRelease {
  isDraft: boolean;
  /** `digest` is `sha256:` with the checksum. */
  assets: readonly { name: string; digest: string }[];
}

const tagOf = ({ version }: Release): string => `v${version}`;

/** `host/owner/name`, as `gh` takes a repository. */
function repositoryOf(address: string): string {
  const { host, pathname } = new URL(address);
  return `${host}${pathname.replace(/\/$/, "")}`;
}

async function liveRelease({ release, address, tool }: Target): Promise<ForgeRelease | undefined> {
  const args = ["release", "view", tagOf(release), "--repo", repositoryOf(address), "--json", "isDraft,assets"];
  try {
    return JSON.parse(await tool("gh", args)) as ForgeRelease;
  } catch (error) {
    if (error instanceof ToolError && /release not found/.test(error.output)) return undefined;
    throw error;
  }
}

function forgePresenceOf(path: string, assets: ForgeRelease["assets"]): Presence {
  const asset = assets.find(({ name }) => name === nameOf(path));
  if (asset === undefined) return absent;
  const expected = `sha256:${digest("sha256", path)}`;
  if (asset.digest === expected) return same;
  return { is: "other", what: `${asset.name} is ${asset.digest}, and here ${expected}` };
}

async function lookUpOnForge(target: Target): Promise<Presence> {
  const live = await liveRelease(target);
  if (live === undefined) return absent;
  const presence = combined(attachments(target.release).map((path) => forgePresenceOf(path, live.assets)));
  // Nobody has installed from a draft: its files may be replaced.
  return presence.is === "other" && live.isDraft ? absent : presence;
}

/** Drafts the release, which only its maintainers see until it is announced. */
async function pushToForge(target: Target): Promise<void> {
  const { release, address, tool } = target;
  const where = [tagOf(release), "--repo", repositoryOf(address)];
  const live = await liveRelease(target);
  const draft = ["--draft", "--verify-tag", "--title", tagOf(release), "--notes", "CHANGELOG.md has the changes."];
  if (live === undefined) await tool("gh", ["release", "create", ...where, ...draft]);
  const changed = attachments(release).filter((path) => forgePresenceOf(path, live?.assets ?? []).is !== "same");
  await tool("gh", ["release", "upload", ...where, "--clobber", ...changed]);
}

/** A folder that a web server serves, such as a mirror of the organization, in place of a release on the forge. */
const isFolder = ({ address }: Target): boolean => address.startsWith("file:");

export const archives: Registry = {
  title: "the archives",
  subject: (version) => `the files of v${version}`,
  lookUp: (target) => (isFolder(target) ? lookUpInFolder(target) : lookUpOnForge(target)),
  push: (target) => (isFolder(target) ? copyToFolder(target) : pushToForge(target)),
};
