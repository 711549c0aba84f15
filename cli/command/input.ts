import { resolve } from "node:path";
import { describeSystemError } from "../../io/files/disk-error";
import { ceilings, readStream, readText, UnreadableFileError } from "../../io/files/read";
import type { CliContext } from "./context";
import { CommandError } from "./failure";

/** The text of a file that the user has named; `option` is the flag that names it. */
export function inputText(
  name: string,
  { cwd }: Pick<CliContext, "cwd">,
  option?: string,
  most: number = ceilings.document,
): Promise<string> {
  return readText(resolve(cwd, name), most, { fromUser: true }).catch((cause: unknown) => {
    if (cause instanceof UnreadableFileError && cause.code !== "EISDIR")
      throw new CommandError(option === undefined ? cause.message : `${option}: ${cause.message}`, undefined, {
        cause,
      });
    const { reason, remedy = "Name another file" } = describeSystemError(cause, "read");
    const named = option === undefined ? name : `${option}: ${name}`;
    throw new CommandError(`${named} cannot be read: ${reason}. ${remedy}.`, undefined, { cause });
  });
}

/** Everything on standard input. */
export const inputOnStdin = ({ stdin }: Pick<CliContext, "stdin">, most: number = ceilings.document): Promise<string> =>
  readStream(stdin, "Standard input", most);

/** The text of a file that the user has named, or of standard input, which is named `-`. */
export const inputFrom = (
  name: string,
  context: Pick<CliContext, "cwd" | "stdin">,
  option?: string,
): Promise<string> => (name === "-" ? inputOnStdin(context) : inputText(name, context, option));
