import { manifest } from "../../io/files/package";
import { archiveOf, hostPlatform } from "../executables/platforms";
import type { ArchiveServer } from "./archive-server";
import type { Place, Sandbox } from "./sandbox";

/** Installs the plugin for a user, from the server of archives and by its published checksum. */
export async function installPlugin(sandbox: Sandbox, user: Place, archives: ArchiveServer): Promise<void> {
  const { version } = manifest();
  await sandbox.run(
    "pulumi",
    pluginInstall(archives.url, archives.checksumOf(archiveOf(hostPlatform(), version))),
    user,
  );
}

/** Why the CLI refuses the archive with another checksum than its own. */
export async function refuseWrongChecksum(sandbox: Sandbox, archives: ArchiveServer): Promise<string> {
  const user = { cwd: sandbox.folder, env: sandbox.home("careful-user") };
  const { code, output } = await sandbox.attempt("pulumi", pluginInstall(archives.url, "0".repeat(64)), user);
  if (code === 0) throw new Error("`pulumi plugin install` accepted the archive with the checksum of another one");
  return `archives: another checksum: ${output.split("\n").find((line) => line.startsWith("error:")) ?? output}`;
}

const pluginInstall = (server: string, checksum: string): string[] => [
  ...["plugin", "install", "resource", "modelplatform", manifest().version],
  ...["--server", server, "--checksum", checksum],
];
