import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { Environment } from "../../io/files/user-folders";

/** What marks the folder in which a checkout begins. */
const marks = [".git", "Pulumi.yaml", "Pulumi.yml", "Pulumi.json", "package.json"];

/**
 * The folder that a checkout begins in: of `cwd` and the folders above it, the outermost one with a mark of a
 * repository, a project or a package. The home folder is nobody's checkout, nor is one above it.
 */
export function checkoutFolder(cwd: string, env: Environment): string {
  const home = resolve(env["HOME"] || homedir());
  let found = resolve(cwd);
  for (let folder = found; !isWithin(home, folder) && folder !== dirname(folder); folder = dirname(folder))
    if (marks.some((mark) => existsSync(join(folder, mark)))) found = folder;
  return found;
}

/**
 * The environment without entries of the PATH that lead into the checkout, where anybody may have put a program by the
 * name of another one. npm and npx add `node_modules/.bin` of every folder from this one up.
 */
export function withoutCheckout(env: Environment, checkout: string, cwd: string): Environment {
  const own = new Set([resolve(cwd), checkout]);
  const leads = (entry: string): boolean =>
    !isAbsolute(entry) ||
    [...own].some((folder) => isWithin(entry, folder)) ||
    (basename(entry) === ".bin" &&
      basename(dirname(entry)) === "node_modules" &&
      isAbove(dirname(dirname(entry)), cwd));
  const kept = (path: string): string =>
    path
      .split(delimiter)
      .filter((entry) => !leads(entry))
      .join(delimiter);
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      /^path$/i.test(name) && value !== undefined ? kept(value) : value,
    ]),
  );
}

const isWithin = (path: string, folder: string): boolean => {
  const way = relative(folder, resolve(path));
  return way === "" || (!isAbsolute(way) && way.split(/[\\/]/)[0] !== "..");
};

const isAbove = (folder: string, below: string): boolean => isWithin(below, folder);
