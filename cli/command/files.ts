import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { assertStaysInFolder, makeFolder } from "../../io/files/folder";
import { createFile, replaceFile, type WriteOptions } from "../../io/files/write";
import { codeOf, describeSystemError } from "../../io/text/disk-error";
import type { CliContext } from "./context";
import { CommandError, unwritableError } from "./failure";

/** The text of a file that the user has named; `option` is the flag that names it. */
export function inputText(name: string, { cwd }: Pick<CliContext, "cwd">, option?: string): Promise<string> {
  return readFile(resolve(cwd, name), "utf8").catch((cause: unknown) => {
    const { reason, remedy = "Name another file" } = describeSystemError(cause, "read");
    const named = option === undefined ? name : `${option}: ${name}`;
    throw new CommandError(`${named} cannot be read: ${reason}. ${remedy}.`, undefined, { cause });
  });
}

/** How wide a text may be: a file has no width. */
export const columnsTo = (output: string | undefined, { stdout }: Pick<CliContext, "stdout">): number =>
  output === undefined ? stdout.columns : Number.POSITIVE_INFINITY;

/** Writes a file that the user has named, and its folder where that is missing. */
export const writeOutput = (
  name: string,
  text: string,
  context: Pick<CliContext, "cwd">,
  writing?: WriteOptions,
): void => output(name, context, (path) => replaceFile(path, text, writing));

/** The same; false where there is such a file, which stays. */
export function createOutput(
  name: string,
  text: string,
  context: Pick<CliContext, "cwd">,
  writing?: WriteOptions,
): boolean {
  let isNew = true;
  output(name, context, (path) => {
    try {
      createFile(path, text, writing);
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
      isNew = false;
    }
  });
  return isNew;
}

function output(name: string, { cwd }: Pick<CliContext, "cwd">, write: (path: string) => void): void {
  const path = resolve(cwd, name);
  try {
    assertStaysInFolder(path, cwd);
    makeFolder(dirname(path));
    write(path);
  } catch (cause) {
    throw unwritableError(path, cause);
  }
}
