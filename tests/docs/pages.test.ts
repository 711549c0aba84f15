import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { repository } from "../../tools/publisher";
import { root, sourcesOfRooms } from "../rooms";

const pagesBelow = (folder: string): string[] =>
  readdirSync(folder).flatMap((entry) => {
    const path = join(folder, entry);
    if (entry === "node_modules") return [];
    if (statSync(path).isDirectory()) return pagesBelow(path);
    return path.endsWith(".md") ? [path] : [];
  });

const docs = pagesBelow(join(root, "docs"));
const topLevel = readdirSync(root).flatMap((entry) => (entry.endsWith(".md") ? [join(root, entry)] : []));
const pages = [...topLevel, ...docs, ...pagesBelow(join(root, "examples")), join(root, "tests/README.md")];

/** How a page of the package leads to what only the repository has. */
const inRepository = `${repository}/blob/main/`;

/** Links to files, by page; those to other sites are left out. */
function linksOf(page: string): { path: string; anchor: string | undefined }[] {
  const text = readFileSync(page, "utf8").replace(/^```[\s\S]*?^```/gm, "");
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target]) => {
    const [path = "", anchor] = target!.split("#");
    if (path.startsWith(inRepository)) return [{ path: join(root, path.slice(inRepository.length)), anchor }];
    if (/^[a-z]+:/.test(path)) return [];
    return [{ path: path === "" ? page : resolve(dirname(page), path), anchor }];
  });
}

/** The anchors that a reader of the page can jump to, as forges make them of headings. */
function anchorsOf(page: string): Set<string> {
  const text = readFileSync(page, "utf8").replace(/^```[\s\S]*?^```/gm, "");
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-"),
  );
  return new Set([...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id!)]);
}

test("every relative link leads to a file, and its anchor to a heading", () => {
  const broken = pages.flatMap((page) =>
    linksOf(page)
      .filter(
        ({ path, anchor }) => !existsSync(path) || (anchor && path.endsWith(".md") && !anchorsOf(path).has(anchor)),
      )
      .map(({ path, anchor }) => `${relative(root, page)}: ${relative(root, path)}${anchor ? `#${anchor}` : ""}`),
  );
  expect(broken).toEqual([]);
});

test("links to the repository name the publisher", () => {
  const others = pages.flatMap((page) =>
    [...readFileSync(page, "utf8").matchAll(/https:\/\/\S+?\/blob\/main\//g)]
      .filter(([link]) => link !== inRepository)
      .map(([link]) => `${relative(root, page)}: ${link}`),
  );
  expect(others).toEqual([]);
});

describe("the README", () => {
  const page = readFileSync(join(root, "README.md"), "utf8");
  const lines = page.trimEnd().split("\n");
  const lineOf = (text: string): number => lines.findIndex((line) => line.startsWith(text)) + 1;

  test("has at most 110 lines, with a program and the first commands on the first screen", () => {
    expect(lines.length).toBeLessThanOrEqual(110);
    for (const [text, last] of [
      ["```ts", 25],
      ["npm start", 30],
      ["npm test", 30],
    ] as const) {
      expect(lineOf(text)).toBeGreaterThan(0);
      expect(lineOf(text)).toBeLessThanOrEqual(last);
    }
  });

  test("begins with the program of examples/first", () => {
    const [, program] = /```ts\n([\s\S]*?)```/.exec(page)!;
    expect(program).toBe(readFileSync(join(root, "examples/first/index.ts"), "utf8"));
  });

  test("names the versions of the manifest", () => {
    const { version, engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      version: string;
      engines: { node: string };
    };
    expect(page).toContain(`**Status.** ${version}`);
    expect(page).toContain(`Node.js ${engines.node.replace(">=", "")} or newer`);
  });
});

test("there are at most 28 guides", () => {
  const guides = readdirSync(join(root, "docs")).filter((entry) => entry.endsWith(".md"));
  expect(guides.filter((guide) => !["functions.md", "architecture.md"].includes(guide)).length).toBeLessThanOrEqual(28);
});

test("every page of docs is reached from docs/README.md, in linked folders, too", () => {
  const reached = new Set<string>();
  const visit = (page: string): void => {
    if (reached.has(page)) return;
    reached.add(page);
    for (const { path } of linksOf(page)) {
      if (!existsSync(path)) continue;
      if (statSync(path).isDirectory()) docs.filter((file) => dirname(file) === path).forEach(visit);
      else if (pages.includes(path)) visit(path);
    }
  };
  visit(join(root, "docs/README.md"));
  expect(docs.filter((page) => !reached.has(page)).map((page) => relative(root, page))).toEqual([]);
});

test.each([
  ["how to accept a change", "docs/drift-accept.md", "`accept --write`"],
  ["which flag tolerates drift until a date", "docs/drift-accept.md", "`--expires`"],
  ["what to do with a lost runner", "docs/run-broke.md", "## The runner is gone"],
  ["which key belongs where", "examples/ci/README.md", "## Which key belongs where"],
])("the index leads, in one click, to %s", (_, page, answer) => {
  expect(linksOf(join(root, "docs/README.md")).map(({ path }) => path)).toContain(join(root, page));
  expect(readFileSync(join(root, page), "utf8")).toContain(answer);
});

test("the index of decisions asks one question of each page", () => {
  const folder = join(root, "docs/decisions");
  const index = readFileSync(join(folder, "README.md"), "utf8");
  const listed = [...index.matchAll(/\[(\d{3})\]\((\1-[a-z0-9-]+\.md)\)/g)].map(([, , file]) => file).sort();
  expect(listed).toEqual(readdirSync(folder).filter((file) => file !== "README.md"));
});

test("the glossary has at most 40 terms in order, and each is in the code", () => {
  const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
  const section = page.split("\n## Glossary\n")[1]!.split("\n## ")[0]!;
  const rows = [...section.matchAll(/^\| ([^|-][^|]*) \|.*\| `(\w+)` \|$/gm)].map(([, term = "", name = ""]) => ({
    term,
    name,
  }));
  const terms = rows.map(({ term }) => term.toLowerCase());
  expect(section.match(/^\| /gm)).toHaveLength(rows.length + 2);
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.length).toBeLessThanOrEqual(40);
  expect(terms).toEqual([...new Set(terms)].sort());
  const code = sourcesOfRooms().map((file) => readFileSync(join(root, file), "utf8"));
  expect(rows.filter(({ name }) => !code.some((text) => new RegExp(`\\b${name}\\b`).test(text)))).toEqual([]);
});
