import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { dependsOnFolder, isIn } from "../paths";
import { UnreadableFileError } from "./read";
import type { Environment } from "./user-folders";

/** What marks the folder in which a checkout begins. */
const marks = [".git", "Pulumi.yaml", "Pulumi.yml", "Pulumi.json", "package.json"];

/**
 * Of a folder and those above it, the outermost one with a mark of a repository, a project or a package. The home
 * folder is nobody's checkout, nor is one above it.
 */
export function beginOfCheckout(folder: string, env: Environment): string {
  const home = resolve(env["HOME"] || homedir());
  let root = folder;
  for (let each = folder; !isIn(home, each) && each !== dirname(each); each = dirname(each))
    if (marks.some((mark) => existsSync(join(each, mark)))) root = each;
  return root;
}

/**
 * Throws if a link in the checkout leads a file out of it: the author of the checkout would choose which file of its
 * user is read.
 */
export function assertOfCheckout(file: string, checkout: string): void {
  if (!dependsOnFolder(file, checkout) || isIn(file, checkout)) return;
  throw new UnreadableFileError(
    file,
    `is behind a symbolic link that leads out of the checkout ${checkout}`,
    "Put the file itself in its place",
  );
}
