import { printable } from "../../io/text/printable";
import { type ClientOptions, createClient } from "../../provider/api/client";
import { createCatalogue } from "../../provider/api/operations";
import { resolveSettings } from "../../provider/api/settings/config";
import { commandsWith, type RunCommand } from "../../provider/api/settings/credentials";
import type { SettingSources } from "../../provider/api/settings/sources";
import type { Catalogue, Client } from "../../provider/api/types";
import { ConfigurationError } from "../../provider/core/errors";
import { allSpecs } from "../../provider/resources/index";
import type { Checkout } from "../checkout/checkout";
import type { CliContext } from "../command/context";

/** Every operation of the service. Needs no settings. */
export const fullCatalogue = (): Catalogue => createCatalogue(allSpecs);

type Restrictions = Pick<ClientOptions, "effects" | "connections" | "stopwatch">;

/**
 * A client for calls with these effects only, configured by the environment, by as much of a stack's config as the
 * command takes, and by what stacks record.
 */
export function openClient(
  context: CliContext,
  restrictions: Restrictions = {},
  more: Pick<SettingSources, "config" | "recorded"> = {},
): Client {
  const { env, checkout } = context;
  const settings = resolveSettings({ env, ...more });
  const catalogue = createCatalogue(allSpecs, { overrides: settings.operations });
  const warn = ({ level, text }: { level: string; text: string }): void =>
    void (level === "warning" && context.stderr.write(`warning: ${printable(text)}\n`));
  return createClient({
    settings,
    catalogue,
    env,
    run: keyCommands(checkout),
    log: warn,
    ...restrictions,
    time: context.time,
  });
}

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
