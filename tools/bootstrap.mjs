// Installs and builds what is missing or out of date, so that one command works on a fresh checkout.
// Plain JavaScript without dependencies: it runs before anything is installed.
import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildInputs, isInstalled } from "./inputs.mjs";
import { refuseArguments } from "./no-arguments.mjs";

refuseArguments("node tools/bootstrap.mjs", "Installs and builds what is missing or out of date.");

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const oldestNode = [20, 19];

function fail(message) {
  console.error(message);
  process.exit(1);
}

function install() {
  console.error("Installing dependencies …");
  const { status, signal } = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  if (status !== 0)
    fail(
      `Installing dependencies failed: \`npm ci\` ended with ${status ?? signal}. Read its output above, then run this command again.`,
    );
}

/** The mark of a whole build says what it was made of. */
function isBuilt() {
  const mark = join(root, "dist", ".built");
  return existsSync(mark) && readFileSync(mark, "utf8") === buildInputs(root);
}

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1])) {
  fail(
    `Node ${oldestNode.join(".")} or newer is needed; this is ${process.versions.node}. Install it from https://nodejs.org and run this command again.`,
  );
}
// A linked `node_modules` belongs to another checkout, and `npm ci` would empty it.
const isLinked = lstatSync(join(root, "node_modules"), { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
if (!isLinked && !isInstalled(root)) install();
if (!isBuilt())
  process.exitCode =
    spawnSync(process.execPath, [join(root, "tools", "build.mjs")], { stdio: ["ignore", 2, 2] }).status ?? 1;
