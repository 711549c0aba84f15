import { manifest } from "../../io/files/package";
import { archiveOf, hostPlatform, sha256 } from "../executables/platforms";
import type { ArchiveServer } from "./archive-server";
import type { Place, Sandbox } from "./sandbox";

/**
 * Installs the plugin for a user from the server of archives, by its published checksum. `--checksum` of the Pulumi
 * CLI 3.260 leaves out what arrives together with the end of a response, as it does over HTTP/1.1 with a length.
 */
export async function installPlugin(sandbox: Sandbox, user: Place, archives: ArchiveServer): Promise<void> {
  const { version } = manifest();
  const archive = archiveOf(hostPlatform(), version);
  const response = await fetch(`${archives.url}/${archive}`);
  assertChecksum(archive, archives.checksumOf(archive), Buffer.from(await response.arrayBuffer()));
  await sandbox.run(
    "pulumi",
    ["plugin", "install", "resource", "modelplatform", version, "--server", archives.url],
    user,
  );
}

/** Rejects a file that is not the one whose checksum was published. */
export function assertChecksum(name: string, published: string, content: Buffer): void {
  const actual = sha256(content);
  if (actual !== published) throw new Error(`${name} has the SHA-256 ${actual}, and ${published} was published`);
}
