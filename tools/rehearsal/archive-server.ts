import { createReadStream, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, posix } from "node:path";
import { pathToFileURL } from "node:url";
import type { LocalRegistry } from "./registry";
import type { Sandbox } from "./sandbox";

/** A web server with the files of the release. */
export interface ArchiveServer extends LocalRegistry {
  /** As `pulumi plugin install --server` takes it. */
  url: string;
  /** The SHA-256 of a file, as the published list of checksums has it. */
  checksumOf(file: string): string;
}

/** Serves the files of a folder to this machine, by their names. */
export async function openArchiveServer(sandbox: Sandbox): Promise<ArchiveServer> {
  const storage = sandbox.newFolder("archives");
  const server = createServer((request, response) => {
    const file = join(storage, posix.basename(request.url!));
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats?.isFile()) return void response.writeHead(404).end();
    response.writeHead(200, { "content-length": stats.size });
    createReadStream(file).pipe(response);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  sandbox.closeWith(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    name: "archives",
    address: pathToFileURL(storage).href,
    env: sandbox.home("archives-publisher"),
    differences: [
      "archives: a folder behind a web server on this machine, in place of the forge's release",
      "archives: the checksum is compared before `pulumi plugin install`: over HTTP/1.1, its `--checksum` refuses every archive",
    ],
    storage,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    checksumOf(file) {
      const lines = readFileSync(join(storage, "SHA256SUMS"), "utf8").split("\n");
      const line = lines.find((each) => each.endsWith(`  ${file}`));
      if (line === undefined) throw new Error(`the published SHA256SUMS does not name ${file}`);
      return line.split("  ")[0]!;
    },
  };
}
