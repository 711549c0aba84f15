import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { imports, isLocal, resolved } from "../imports";
import { rooms, root, sourcesOfRooms } from "../rooms";

/** Pages that lead developers through the sources name what is there. */

const architecture = readFileSync(join(root, "docs/architecture.md"), "utf8");

const below = (folder: string): string[] =>
  readdirSync(folder).flatMap((entry) => {
    const path = join(folder, entry);
    return statSync(path).isDirectory() ? [path, ...below(path)] : [path];
  });

const entries = [...rooms, "tests"].flatMap((room) => below(join(root, room))).map((path) => relative(root, path));
const pages = [
  "CONTRIBUTING.md",
  "docs/architecture.md",
  "docs/dev/masking.md",
  ...entries.filter((entry) => basename(entry) === "README.md" && !entry.startsWith("tests/")),
];

test("docs/architecture.md names every layer", () => {
  expect(rooms.filter((room) => !architecture.includes(`\n${room}/`))).toEqual([]);
});

test.each(pages)("files and folders that %s names exist", (page) => {
  const text = readFileSync(join(root, page), "utf8");
  const spans = [...text.matchAll(/`((?:[\w-]+\/)*(?:[\w-]+\.ts|[\w-]+\/))`/g)].map(([, span]) => span!);
  const paths = [...text.matchAll(/\b[a-z-]+(?:\/[a-z-]+)+\.ts\b/g)].map(([path]) => path);
  const exists = (name: string): boolean =>
    [dirname(page), "."].some((folder) => existsSync(join(root, folder, name))) ||
    // A file that stands beside the one named before it.
    (!name.includes("/") && entries.some((entry) => basename(entry) === name));
  expect([...spans, ...paths].filter((name) => !exists(name))).toEqual([]);
});

test.each(pages)("a name that %s finds in a file stands there", (page) => {
  const text = readFileSync(join(root, page), "utf8");
  const found = [...text.matchAll(/`(\w+)(?:\.(\w+))?`(?: \([^)]*\))? in `([\w/-]+\.ts)`/g)];
  const missing = found.flatMap(([, name, member, file = ""]) => {
    const paths = entries.filter((entry) => entry === file || entry.endsWith(`/${file}`));
    const texts = paths.map((path) => readFileSync(join(root, path), "utf8"));
    const names = [name, member].filter((each) => each !== undefined);
    const isThere = texts.some((source) => names.every((each) => new RegExp(`\\b${each}\\b`).test(source)));
    return isThere ? [] : [`${names.join(".")} in ${file}`];
  });
  expect(missing).toEqual([]);
});

interface Drawing {
  layer: string;
  /** File or folder of the layer, by the name that arrows have for it. */
  nodes: ReadonlyMap<string, string>;
  arrows: readonly (readonly [from: string, to: string])[];
}

const drawings: readonly Drawing[] = [
  ...architecture.split("\n## Subfolders\n")[1]!.matchAll(/subgraph (\w+)(?:\["([\w/]+)"\])?\n([\s\S]*?)\n {2}end/g),
].map(([, id = "", layer = id, body = ""]) => {
  const nodes = new Map(
    [...body.matchAll(/(\w+)\["([\w.-]+)[:"]/g)].map(([, node, entry]) => [node!, entry!] as const),
  );
  const arrows = body.split("\n").flatMap((line) => {
    const steps = line.replace(/\["[^"]*"\]/g, "").split("-->");
    const groups = steps.map((step) => step.split("&").map((node) => node.trim()));
    return groups
      .slice(1)
      .flatMap((to, index) => groups[index]!.flatMap((from) => to.map((node) => [from, node] as const)));
  });
  return { layer, nodes, arrows: arrows.map(([from, to]) => [nodes.get(from)!, nodes.get(to)!] as const) };
});

/** What is reached from each, by any number of arrows. */
function reachable(arrows: readonly (readonly [string, string])[]): (from: string) => Set<string> {
  return (from) => {
    const reached = new Set<string>();
    const visit = (node: string): void => {
      for (const [begin, end] of arrows) {
        if (begin !== node || reached.has(end)) continue;
        reached.add(end);
        visit(end);
      }
    };
    visit(from);
    return reached;
  };
}

test("the large layers are drawn", () => {
  expect(drawings.map(({ layer }) => layer)).toEqual(["provider/lifecycle", "provider/core", "provider/api", "cli"]);
});

test.each(drawings.map((drawing) => [drawing.layer, drawing] as const))(
  "the drawing of %s has its folders, and arrows that are its imports",
  (layer, { nodes, arrows }) => {
    const drawn = [...nodes.values()];
    const folders = readdirSync(join(root, layer)).filter((entry) => statSync(join(root, layer, entry)).isDirectory());
    expect(folders.filter((folder) => !drawn.includes(folder))).toEqual([]);
    expect(drawn.filter((entry) => !existsSync(join(root, layer, entry)))).toEqual([]);
    const files = sourcesOfRooms();
    const entryOf = (path: string): string => {
      const [first = ""] = path.slice(layer.length + 1).split("/");
      return files.includes(`${layer}/${first}.ts`) ? `${first}.ts` : first;
    };
    const isInside = (path: string): boolean => path.startsWith(`${layer}/`);
    const imported = imports
      .filter((entry) => isLocal(entry) && isInside(entry.file) && isInside(resolved(entry)))
      .map((entry) => [entryOf(entry.file), entryOf(resolved(entry))] as const)
      .filter(([from, to]) => from !== to);
    const [asDrawn, asImported] = [reachable(arrows), reachable(imported)];
    for (const entry of drawn) {
      const real = [...asImported(entry)].filter((each) => drawn.includes(each)).sort();
      expect([entry, [...asDrawn(entry)].sort()]).toEqual([entry, real]);
    }
  },
);
