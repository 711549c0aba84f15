import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { root } from "../rooms";

/** The Node.js that users are told, in a lock file of the night's own: `npm test` holds on whichever is at hand. */

const wishes = join(root, "tests", "night", "node");
/** Below the installed packages: copies of the checkout leave those out. */
const folder = join(root, "node_modules", ".night");
const { optionalDependencies } = require("./node/package.json") as { optionalDependencies: Record<string, string> };
const name = `node-${process.platform}-${process.arch}`;
const bin = join(folder, "node_modules", name, "bin");

const versionOf = (node: string): string | undefined =>
  existsSync(node) ? spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim().slice(1) : undefined;

function installed(wanted: string): string | undefined {
  const node = join(bin, "node");
  if (versionOf(node) === wanted) return node;
  mkdirSync(folder, { recursive: true });
  for (const file of ["package.json", "package-lock.json"]) copyFileSync(join(wishes, file), join(folder, file));
  spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
  return versionOf(node) === wanted ? node : undefined;
}

/** What starts the suites of the night, and what their processes need to start as fast. */
export function nodeOfNight(): { node: string; env: Record<string, string> } {
  const wanted = optionalDependencies[name];
  const own = { node: process.execPath, env: {} };
  if (Number(process.versions.node.split(".")[0]) >= 24) return own;
  const node = wanted === undefined ? undefined : installed(wanted);
  if (node === undefined) {
    console.error(`Node.js ${wanted ?? 24} cannot be had here: the night runs on ${process.versions.node}.`);
    return own;
  }
  const cache = join(folder, "node_modules", ".compile-cache");
  return { node, env: { PATH: [bin, process.env["PATH"]].join(delimiter), NODE_COMPILE_CACHE: cache } };
}
