// Installs and builds what is missing or out of date, so that one command works on a fresh checkout.
// Plain JavaScript without dependencies: it runs before anything is installed.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rooms } from "./rooms.cjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const oldestNode = [20, 19];

function fail(message) {
  console.error(message);
  process.exit(1);
}

function run(title, command, args) {
  console.error(`${title} …`);
  const result = spawnSync(command, args, {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: command === "npm" && process.platform === "win32",
  });
  if (result.status !== 0)
    fail(
      `${title} failed: \`${command} ${args.join(" ")}\` ended with ${result.status ?? result.signal}. Read its output above, then run this command again.`,
    );
}

function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((entry) => newest(join(path, entry))));
}

/** Removes outputs whose source is gone, which the compiler leaves behind and the package would carry. */
function prune(folder) {
  for (const entry of readdirSync(join(root, "dist", folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) prune(path);
    const [output, module] = path.match(/^(.*?)(?:\.d\.ts|\.js|\.js\.map)$/) ?? [];
    if (output && !existsSync(join(root, `${module}.ts`))) rmSync(join(root, "dist", path));
  }
}

const modified = (path) => (existsSync(join(root, path)) ? statSync(join(root, path)).mtimeMs : 0);

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1])) {
  fail(
    `Node ${oldestNode.join(".")} or newer is needed; this is ${process.versions.node}. Install it from https://nodejs.org and run this command again.`,
  );
}
if (modified("node_modules/.package-lock.json") < modified("package-lock.json")) {
  run("Installing dependencies", "npm", ["ci", "--no-audit", "--no-fund"]);
}
/** Written when a build is whole: the compiler writes its own record also where it only checks. */
const built = "dist/.built";
const sources = rooms.map((room) => newest(join(root, room)));
if (modified(built) < Math.max(...sources, modified("tsconfig.json"), modified("package-lock.json"))) {
  // The compiler that is installed here: `npx` would fetch a stranger's package of that name where there is none.
  run("Building", process.execPath, [join("node_modules", "typescript", "bin", "tsc"), "-p", "tsconfig.json"]);
  run("Bundling the plugin", process.execPath, [join("tools", "bundle.mjs")]);
  prune("");
  writeFileSync(join(root, built), "");
}
