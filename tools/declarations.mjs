// Which declarations programs can reach: those of the package's entries, and all that these lead to.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import typescript from "typescript";

/** The declarations, as paths below `dist`. */
export function reachedDeclarations(root) {
  const { exports: entries } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const reached = new Set();
  const open = Object.values(entries).flatMap(({ types }) => (types === undefined ? [] : [join(root, types)]));
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    open.push(...importsOf(file));
  }
  const dist = join(root, "dist");
  return [...reached].map((file) => relative(dist, file).split(sep).join("/")).sort();
}

function importsOf(file) {
  return specifiersOf(typescript.createSourceFile(file, readFileSync(file, "utf8"), typescript.ScriptTarget.Latest))
    .filter((name) => name.startsWith("."))
    .map((name) => {
      const path = resolve(dirname(file), name);
      const found = [`${path}.d.ts`, join(path, "index.d.ts")].find(existsSync);
      if (found === undefined) throw new Error(`${file} imports ${name}, which has no declaration; build first`);
      return found;
    });
}

/** Modules that a file imports: by `import … from`, `export … from` and `import("…")` within a type. */
function specifiersOf(node) {
  const { text } = node.moduleSpecifier ?? (typescript.isImportTypeNode(node) ? node.argument.literal : {});
  const inner = [];
  typescript.forEachChild(node, (child) => void inner.push(...specifiersOf(child)));
  return text === undefined ? inner : [text, ...inner];
}

/** Keeps out of a package what no program can reach; npm reads this in the folder that it packs. */
export const packRules = (root) =>
  `**/*.d.ts\n${reachedDeclarations(root)
    .map((path) => `!/${path}\n`)
    .join("")}`;
