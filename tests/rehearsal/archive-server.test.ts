import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openArchiveServer } from "../../tools/rehearsal/registries";
import { Sandbox } from "../../tools/rehearsal/sandbox";

let sandbox: Sandbox;
beforeEach(() => void (sandbox = new Sandbox()));
afterEach(() => sandbox.close());

test("the server of archives has the published files by name, and nothing else", async () => {
  const { url, storage } = await openArchiveServer(sandbox);
  sandbox.write("archive", "archives", "plugin-v1.2.3.tar.gz");
  sandbox.write("secret", "outside.txt");
  mkdirSync(join(storage, "folder"));
  const answer = async (path: string) => {
    const response = await fetch(`${url}/${path}`);
    return [response.status, await response.text()];
  };
  expect(await answer("plugin-v1.2.3.tar.gz")).toEqual([200, "archive"]);
  for (const path of ["", "folder", "missing", "..%2Foutside.txt", "../outside.txt"])
    expect([path, ...(await answer(path))]).toEqual([path, 404, ""]);
});

test("a checksum is the one that was published with the files", async () => {
  const { checksumOf } = await openArchiveServer(sandbox);
  sandbox.write("ab12  other.tar.gz\ncd34  plugin.tar.gz\n", "archives", "SHA256SUMS");
  expect(checksumOf("plugin.tar.gz")).toBe("cd34");
  expect(() => checksumOf("gin.tar.gz")).toThrow("does not name gin.tar.gz");
});
