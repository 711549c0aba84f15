import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { root, sourcesOfRooms } from "./rooms";

/** An import, export-from or require of a source. */
export interface Import {
  /** Path from the root of the repository. */
  file: string;
  /** As it is written. */
  target: string;
}

const written =
  /(?:^|\n)\s*(?:import|export)\b[^;'"]*?from\s*["']([^"']+)["']|\b(?:import|require(?:\.resolve)?)\(\s*["']([^"']+)["']\s*\)|(?:^|\n)import\s+["']([^"']+)["']/g;

export const importsIn = (file: string, text: string): Import[] =>
  [...text.matchAll(written)].map((match) => ({ file, target: match[1] ?? match[2] ?? match[3]! }));

/** The imports of all sources. */
export const imports: readonly Import[] = sourcesOfRooms().flatMap((file) =>
  importsIn(file, readFileSync(join(root, file), "utf8")),
);

/** Whether it is another source; what is read of the package itself, such as its version, is none. */
export const isLocal = ({ target }: Import): boolean => target.startsWith(".") && !target.endsWith(".json");

/** The path of a local import from the root, without ending. */
export const resolved = ({ file, target }: Import): string =>
  relative(root, resolve(dirname(join(root, file)), target));
