import { lstatSync, readlinkSync } from "node:fs";
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from "node:path";

/**
 * Whether paths lie in folders, as the system sees it. A folder has many spellings: through links, in either case on
 * some volumes, in two forms of Unicode. Comparing text misses them, so no other code compares paths.
 */

/** The file system, as far as paths are compared. */
export interface PathSystem {
  /** The entry at a path, without following a link; undefined if it is missing or inaccessible. */
  stat(path: string): PathEntry | undefined;
}

interface PathEntry {
  /** The same for every spelling of the file; undefined on systems that do not number files. */
  id: string | undefined;
  /** The target of a symbolic link, as written. */
  link?: string | undefined;
}

const thisSystem: PathSystem = {
  stat(path) {
    try {
      const { dev, ino, isSymbolicLink } = statPath(path);
      return { id: ino === 0n ? undefined : `${dev}:${ino}`, link: isSymbolicLink ? readlinkSync(path) : undefined };
    } catch {
      return undefined;
    }
  },
};

function statPath(path: string): { dev: bigint; ino: bigint; isSymbolicLink: boolean } {
  const stats = lstatSync(path, { bigint: true });
  return { dev: stats.dev, ino: stats.ino, isSymbolicLink: stats.isSymbolicLink() };
}

/**
 * Whether `path` is `folder` or in it, with the links in both followed. Parts that do not exist count by their names.
 * Relative paths start at the folder of this process.
 */
export function isIn(path: string, folder: string, system = thisSystem): boolean {
  return isBelow(wayTo(path, system).end, wayTo(folder, system).end, system);
}

/**
 * Whether the content of `folder` decides where `path` ends: the path, or a link on the way, is in the folder. Its
 * writers then choose the file.
 */
export function dependsOnFolder(path: string, folder: string, system = thisSystem): boolean {
  const [{ end, links }, { end: real }] = [wayTo(path, system), wayTo(folder, system)];
  return [end, ...links].some((each) => isBelow(each, real, system));
}

/** Whether two paths end at the same file or folder. An undefined path equals nothing. */
export const isSame = (one: string | undefined, other: string | undefined, system = thisSystem): boolean =>
  one !== undefined && other !== undefined && isIn(one, other, system) && isIn(other, one, system);

/** Where `path` ends behind all links, whether or not it exists. */
export const realPath = (path: string, system = thisSystem): string => wayTo(path, system).end;

/** What a file is called in messages and reports: its path from `folder`, with `/`. Does not resolve links. */
export const nameFrom = (folder: string, file: string): string => relative(folder, file).split(sep).join("/");

interface Way {
  end: string;
  /** Each link that was followed, by the real path of its folder and its own name. */
  links: readonly string[];
}

/** As many as Linux follows. */
const maxLinks = 40;

/** Follows a path part by part, as the system does: `..` after a link leaves the folder that the link leads to. */
function wayTo(path: string, system: PathSystem): Way {
  const links: string[] = [];
  const start = isAbsolute(path) ? path : `${resolve(".")}${sep}${path}`;
  let [at, rest] = [parse(start).root, partsOf(start)];
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    const next = join(at, name);
    const link = name === ".." ? undefined : system.stat(next)?.link;
    if (link === undefined || links.length === maxLinks) {
      at = next;
      continue;
    }
    links.push(next);
    rest = [...partsOf(link), ...rest];
    if (isAbsolute(link)) at = parse(link).root;
  }
  return { end: at, links };
}

const partsOf = (path: string): string[] =>
  path
    .slice(parse(path).root.length)
    .split(sep === "/" ? "/" : /[\\/]/)
    .filter((part) => part !== "" && part !== ".");

/** Both without links. */
function isBelow(path: string, folder: string, system: PathSystem): boolean {
  const id = system.stat(folder)?.id;
  for (let each = path; ; each = dirname(each)) {
    if (each === folder || (id !== undefined && system.stat(each)?.id === id)) return true;
    if (dirname(each) === each) return false;
  }
}
