import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assertFromRegistry, programOf } from "../../tools/rehearsal/programs";
import { root } from "../rooms";

test("the program that is rehearsed is the one on the first page", () => {
  expect(programOf("# Title\n\n```sh\nls\n```\n\n```ts\nimport x;\n```\n\n```ts\nother;\n```\n")).toBe("import x;\n");
  expect(programOf(readFileSync(join(root, "README.md"), "utf8"))).toMatch(/from "pulumi-modelplatform"/);
  expect(() => programOf("# Title\n")).toThrow("README.md has no program");
});

describe("what was installed", () => {
  const tarball = Buffer.from("published");
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  const lock = (entry?: object) =>
    JSON.stringify({ packages: { "": {}, ...(entry && { "node_modules/ours": entry }) } });
  const check = (text: string) => () => assertFromRegistry(text, "ours", "http://127.0.0.1:4873/", tarball);
  const resolved = "http://127.0.0.1:4873/ours/-/ours-1.0.0.tgz";

  test("is the published tarball, from the registry of this machine", () => {
    expect(check(lock({ resolved, integrity }))).not.toThrow();
  });

  test.each([
    [
      "came from elsewhere",
      { resolved: "https://elsewhere.example.com/ours.tgz", integrity },
      /from https:.*, and not from/,
    ],
    [
      "has other content",
      { resolved, integrity: "sha512-other" },
      /installed as sha512-other, and published as sha512-/,
    ],
    ["is not in the lock file", undefined, "installed from nowhere"],
  ])("is refused if it %s", (_, entry, message) => {
    expect(check(lock(entry))).toThrow(message);
  });
});
