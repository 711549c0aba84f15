import { accessSync, constants, existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import type { Environment } from "../../io/files/user-folders";
import { isIn, leadsThrough, realPath } from "../../io/paths/containment";
import { worktreesOf } from "./worktrees";

/** What marks the folder in which a checkout begins. */
const marks = [".git", "Pulumi.yaml", "Pulumi.yml", "Pulumi.json", "package.json"];

/**
 * The folders that the authors of a checkout write to: where it begins, for the folder of work as it is spelled and
 * behind its links, and the other worktrees of its repository.
 */
export function checkoutFolders(cwd: string, env: Environment): string[] {
  const home = resolve(env["HOME"] || homedir());
  const begins = [resolve(cwd), realPath(cwd)].map((folder) => beginOf(folder, home));
  return [...new Set([...begins, ...begins.flatMap(worktreesOf)])];
}

/**
 * Of a folder and those above it, the outermost one with a mark of a repository, a project or a package. The home
 * folder is nobody's checkout, nor is one above it.
 */
function beginOf(cwd: string, home: string): string {
  let found = cwd;
  for (let folder = cwd; !isIn(home, folder) && folder !== dirname(folder); folder = dirname(folder))
    if (marks.some((mark) => existsSync(join(folder, mark)))) found = folder;
  return found;
}

/** Programs of the machine, without those of a checkout, where anybody may have put one by the name of another one. */
export interface MachinePrograms {
  cwd: string;
  env: Environment;
  /** The file of a program that is named as on a command line. Throws an error with code `ENOENT` if there is none. */
  find(program: string): string;
}

/**
 * Leaves out entries of the PATH that the checkout decides on, those of `node_modules/.bin` in the folders above it,
 * which npm and npx add, and links to programs in the checkout.
 */
export function programsOutside(
  checkout: readonly string[],
  cwd: string,
  env: Environment,
): Omit<MachinePrograms, "cwd"> {
  const isOurs = (path: string): boolean => checkout.some((folder) => leadsThrough(path, folder));
  const isKept = (entry: string): boolean => isAbsolute(entry) && !isOurs(entry) && !isBinAbove(entry, cwd);
  const kept = (path: string): string => path.split(delimiter).filter(isKept).join(delimiter);
  const outside = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, isPath(name) && value !== undefined ? kept(value) : value]),
  );
  const folders = Object.entries(outside).flatMap(([name, value]) =>
    isPath(name) ? (value ?? "").split(delimiter) : [],
  );
  return {
    env: outside,
    find(program) {
      if (isAbsolute(program)) return program;
      const found = folders
        .flatMap((folder) => endings(outside).map((ending) => join(folder, `${program}${ending}`)))
        .find((file) => isProgram(file) && !isOurs(file));
      if (found !== undefined) return found;
      throw Object.assign(new Error(`there is no program \`${program}\` on the PATH outside of the checkout`), {
        code: "ENOENT",
      });
    },
  };
}

const isPath = (name: string): boolean => /^path$/i.test(name);

const isBinAbove = (entry: string, cwd: string): boolean =>
  [entry, realPath(entry)].some(
    (path) =>
      /^\.bin$/i.test(basename(path)) &&
      /^node_modules$/i.test(basename(dirname(path))) &&
      isIn(cwd, dirname(dirname(path))),
  );

/** What may follow the name of a program in the name of its file. */
const endings = ({ PATHEXT = ".exe" }: Environment): string[] =>
  process.platform === "win32" ? ["", ...PATHEXT.split(";")] : [""];

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
