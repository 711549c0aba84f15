import { attachments } from "./attachments";
import { digest, nameOf } from "./files";
import { absent, combined, type Presence, type Release, same, type Target } from "./registry";
import { ToolError } from "./tool";

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

function presenceOf(path: string, assets: ForgeRelease["assets"]): Presence {
  const asset = assets.find(({ name }) => name === nameOf(path));
  if (asset === undefined) return absent;
  const expected = `sha256:${digest("sha256", path)}`;
  if (asset.digest === expected) return same;
  return { is: "other", what: `${asset.name} is ${asset.digest}, and here ${expected}` };
}

export async function lookUpOnForge(target: Target): Promise<Presence> {
  const live = await liveRelease(target);
  if (live === undefined) return absent;
  const presence = combined(attachments(target.release).map((path) => presenceOf(path, live.assets)));
  // Nobody has installed from a draft: its files may be replaced.
  return presence.is === "other" && live.isDraft ? absent : presence;
}

/** Drafts the release, which only its maintainers see until it is announced. */
export async function pushToForge(target: Target): Promise<void> {
  const { release, address, tool } = target;
  const where = [tagOf(release), "--repo", repositoryOf(address)];
  const live = await liveRelease(target);
  const draft = ["--draft", "--verify-tag", "--title", tagOf(release), "--notes", "CHANGELOG.md has the changes."];
  if (live === undefined) await tool("gh", ["release", "create", ...where, ...draft]);
  const changed = attachments(release).filter((path) => presenceOf(path, live?.assets ?? []).is !== "same");
  await tool("gh", ["release", "upload", ...where, "--clobber", ...changed]);
}
