import { existsSync } from "node:fs";
import { join } from "node:path";
import { ownFolder } from "../../io/files/own";
import { cacheFolder } from "../../io/files/user-folders";
import type { Compiled } from "./lazy-sdk";

/** Not there where this package runs from its sources. */
const opener = join(__dirname, "remembering-compiler.js");

/** Where this user's programs are kept compiled; undefined where another user could write. */
export function compiledPrograms(env: NodeJS.ProcessEnv): Compiled | undefined {
  const folder = existsSync(opener) ? ownFolder(join(cacheFolder(env), "compiled")) : undefined;
  return folder === undefined ? undefined : { folder, module: opener };
}
