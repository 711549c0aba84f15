import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Where programs of these names would be on the PATH, in the order in which a shell looks. */
export const placesOf = (names: readonly string[], env: NodeJS.ProcessEnv = process.env): string[] =>
  (env["PATH"] ?? "").split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
