import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { rooms, root, sourcesOfRooms } from "../rooms";

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

/** Links to files, by page; those to other sites are left out. */
function linksOf(page: string): { path: string; anchor: string | undefined }[] {
  const text = readFileSync(page, "utf8").replace(/^```[\s\S]*?^```/gm, "");
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target]) => {
    if (/^[a-z]+:/.test(target!)) return [];
    const [path, anchor] = target!.split("#");
    return [{ path: path === "" ? page : resolve(dirname(page), path!), anchor }];
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

test("the README fits on two screens", () => {
  const page = readFileSync(join(root, "README.md"), "utf8");
  expect(page.trimEnd().split("\n").length).toBeLessThanOrEqual(90);
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

test("the index of decisions asks one question of each page", () => {
  const folder = join(root, "docs/decisions");
  const index = readFileSync(join(folder, "README.md"), "utf8");
  const listed = [...index.matchAll(/\[(\d{3})\]\((\1-[a-z0-9-]+\.md)\)/g)].map(([, , file]) => file).sort();
  expect(listed).toEqual(readdirSync(folder).filter((file) => file !== "README.md"));
});

test("docs/architecture.md names every layer, and files that exist", () => {
  const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
  expect(rooms.filter((room) => !page.includes(`\n${room}/`))).toEqual([]);
  const named = [...page.matchAll(/\b[a-z-]+(?:\/[a-z-]+)+\.ts\b/g)].map(([file]) => file);
  expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test("README files of rooms name files that exist", () => {
  const readmes = rooms.flatMap((room) => pagesBelow(join(root, room))).filter((page) => page.endsWith("README.md"));
  const missing = readmes.flatMap((page) =>
    [...readFileSync(page, "utf8").matchAll(/`([a-z-]+(?:\/[a-z-]+)*\.ts)`/g)]
      .map(([, file]) => file!)
      .filter((file) => ![dirname(page), root].some((folder) => existsSync(join(folder, file))))
      .map((file) => `${relative(root, page)}: ${file}`),
  );
  expect(missing).toEqual([]);
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
