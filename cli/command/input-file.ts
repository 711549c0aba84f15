import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { refusalOf } from "../../io/text/disk-error";
import type { CliContext } from "./context";
import { CommandFailure } from "./failure";

/** The text of a file that the user has named; `option` is the flag that names it. */
export function inputText(name: string, { cwd }: Pick<CliContext, "cwd">, option?: string): Promise<string> {
  return readFile(resolve(cwd, name), "utf8").catch((cause: unknown) => {
    const { reason, remedy = "Name another file" } = refusalOf(cause, "read");
    const named = option === undefined ? name : `${option}: ${name}`;
    throw new CommandFailure(`${named} cannot be read: ${reason}. ${remedy}.`, undefined, { cause });
  });
}
