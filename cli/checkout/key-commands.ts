import { commandsWith, type RunCommand } from "../../provider/api/settings/credentials";
import { ConfigurationError } from "../../provider/core/errors";
import type { Checkout } from "./checkout";

/** Runs key commands that are not the checkout's. */
export function keyCommands({ programs, isOfMachine }: Checkout): RunCommand {
  const run = commandsWith(programs.env);
  return async (file, args) => {
    if (isOfMachine(file)) return run(programs.find(file), args);
    throw new ConfigurationError(
      `the key command \`${file}\` is named by a relative path, so that it is the checkout's`,
      {
        advice: "Name it by an absolute path, or by its name alone if it is on the PATH.",
      },
    );
  };
}
