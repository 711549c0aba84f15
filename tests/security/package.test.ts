import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

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

test("nothing tells anybody to run a package of another name", () => {
  expect(texts.filter(([, text]) => /npx (?!pulumi-)modelplatform\b/.test(text)).map(([file]) => file)).toEqual([]);
});

test("nothing that is run fetches a compiler by a name that is not this package's", () => {
  const scripts = texts.filter(([file]) => file.endsWith(".mjs") || file.endsWith("/run"));
  expect(scripts.filter(([, text]) => /npx["', ]+(?!pulumi-modelplatform)/.test(text.replace(/\/\/.*/g, "")))).toEqual(
    [],
  );
});

/** What contributors are led to is in the repository only. */
const forContributors = /^(tests|provider|\.ci|CONTRIBUTING\.md)(\/|$)/;

test("whatever the package's pages show to users is in the package", () => {
  const [{ files }] = JSON.parse(
    execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }),
  ) as [{ files: { path: string }[] }];
  const packed = new Set(
    files.flatMap(({ path }) => path.split("/").map((_, end, parts) => parts.slice(0, end + 1).join("/"))),
  );
  const pages = [...packed].filter((path) => path.endsWith(".md"));
  const broken = pages.flatMap((page) =>
    [...readFileSync(join(root, page), "utf8").matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
      .map(([, target = ""]) => posix.join(posix.dirname(page), target).replace(/\/$/, ""))
      .filter((target) => !packed.has(target) && !forContributors.test(target))
      .map((target) => `${page}: ${target}`),
  );
  expect(pages.length).toBeGreaterThan(20);
  expect(broken).toEqual([]);
});
