import { printable } from "../../io/text/printable";
import { type ClientOptions, createClient } from "../../provider/api/client";
import { createCatalogue } from "../../provider/api/operations";
import { resolveSettings } from "../../provider/api/settings/config";
import { commandsWith, type RunCommand } from "../../provider/api/settings/keyring";
import type { SettingSources } from "../../provider/api/settings/sources";
import type { Catalogue, Client } from "../../provider/api/types";
import { ConfigurationError } from "../../provider/core/errors";
import { settingFields, settingKey, settingVariable } from "../../provider/core/settings";
import { hint } from "../../provider/core/values/did-you-mean";
import { allSpecs } from "../../provider/resources/index";
import type { Checkout } from "../checkout/checkout";
import type { CliContext } from "./context";
import { usageError } from "./failure";

/** The environment variable of a setting in the form `modelplatform:key=value`. */
export function variableIn(pair: string): Record<string, string> {
  const [, key = "", value = ""] = /^([^=]+)=([\s\S]*)$/.exec(pair) ?? [];
  const field = settingFields.find(({ name }) => settingKey(name) === key);
  if (key === "")
    throw usageError(`--setting takes a setting and its value, such as \`${settingKey("accountId")}=acme\`.`);
  if (!field) throw usageError(`--setting ${key}: there is no such setting${settingsLike(key)}`);
  if (field.markers.secret)
    throw usageError(
      `--setting ${key}: every process of the machine sees the arguments of a command; set \`${settingVariable(field.name)}\`.`,
    );
  return { [settingVariable(field.name)]: value };
}

/** The end of a sentence: the setting that may be meant, or all that can be given. */
function settingsLike(key: string): string {
  const known = settingFields.filter(({ markers }) => !markers.secret).map(({ name }) => name);
  const near = hint(key.slice(key.indexOf(":") + 1), known);
  return near === undefined
    ? `. With the prefix \`${settingKey("")}\`, there are ${known.join(", ")}.`
    : `; did you mean \`${settingKey(near)}\`?`;
}

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
    onWait: (text) => void context.stderr.write(`${printable(text)}\n`),
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
