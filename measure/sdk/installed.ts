import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { repository } from "../../tests/e2e/engines";
import type { Lane } from "./lane";

const npm = (cwd: string, ...args: string[]): string =>
  execFileSync("npm", args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    shell: process.platform === "win32",
    timeout: 600_000,
  });

/** Packs this package as it would be published; the path of the file. */
export function packInto(folder: string): string {
  const args = ["pack", "--json", "--ignore-scripts", "--loglevel=error", "--pack-destination", folder];
  const [{ filename }] = JSON.parse(npm(repository, ...args)) as [{ filename: string }];
  return join(folder, filename);
}

/** `npm install` in a folder of its own. */
function install(folder: string, ...packages: string[]): string {
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  npm(folder, "install", "--no-audit", "--no-fund", "--loglevel=error", ...packages);
  return join(folder, "node_modules");
}

const { devDependencies } = require("../../package.json") as { devDependencies: { typescript: string } };

/**
 * Installs an SDK beside this package, as it would be published, the compiler that programs in TypeScript need, and a
 * Node.js; what is where.
 */
export function installLane({ sdk, node }: Lane, folder: string): { packages: string; bin: string } {
  const modules = install(join(folder, "node"), `node@${node}`);
  const besides = [`@pulumi/pulumi@${sdk}`, `typescript@${devDependencies.typescript}`];
  return {
    packages: install(join(folder, "lane"), "--ignore-scripts", packInto(folder), ...besides),
    bin: dirname(join(modules, "node", "bin", "node")),
  };
}
