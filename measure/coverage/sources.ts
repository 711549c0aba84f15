import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../tests/rooms";
import type { Mutant } from "./mutants";

export const sourceOf = ({ file }: Mutant): string => readFileSync(join(root, file), "utf8");

/** The source with the rule switched off; an error where the mutant does not fit it. */
export function mutated({ file, find, put }: Mutant, source: string): string {
  const count = typeof find === "string" ? source.split(find).length - 1 : (source.match(find) ?? []).length;
  if (count === 0 || (typeof find === "string" && count > 1))
    throw new Error(`${file} has ${count} places for the mutant ${JSON.stringify(String(find))}`);
  // A function puts the text as it is: `$` means nothing in it.
  return source.replace(find, () => put);
}
