import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "..", "..");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  name: string;
  bin: Record<string, string>;
};

const texts = execFileSync("git", ["ls-files", "README.md", "docs", "examples", "provider", ".ci"], { cwd: root })
  .toString()
  .trim()
  .split("\n")
  .filter((file) => /\.(md|ts|mjs|ya?ml|json)$|\/run$/.test(file) && existsSync(join(root, file)))
  .map((file): [string, string] => [file, readFileSync(join(root, file), "utf8")]);

test("npx finds this package under its own name, with the same commands", () => {
  expect(manifest.bin[manifest.name]).toBe(manifest.bin["modelplatform"]);
});

test("no page or message names another package to run", () => {
  expect(texts.filter(([, text]) => /npx (?!pulumi-)modelplatform\b/.test(text)).map(([file]) => file)).toEqual([]);
});

test("nothing that is run fetches a compiler by a name that is not this package's", () => {
  const scripts = texts.filter(([file]) => file.endsWith(".mjs") || file.endsWith("/run"));
  expect(scripts.filter(([, text]) => /npx["', ]+(?!pulumi-modelplatform)/.test(text.replace(/\/\/.*/g, "")))).toEqual(
    [],
  );
});
