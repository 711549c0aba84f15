import { type ClientOptions, createClient } from "../api/client";
import { resolveSettings } from "../api/config";
import { createCatalogue } from "../api/operations";
import type { Catalogue, Client, Settings } from "../api/types";
import { intentsFolderOf } from "../lifecycle/identity/intents";
import { functions } from "../resources/functions";
import { allSpecs } from "../resources/index";
import type { CliContext } from "./context";

/** Which functions use an operation, by the operation's name. */
function functionsByOperation(): Record<string, string[]> {
  const uses: Record<string, string[]> = {};
  for (const [name, { operation = name }] of Object.entries(functions) as [string, { operation?: string }][])
    uses[operation] = [...(uses[operation] ?? []), name];
  return uses;
}

/** Every operation of the service, with what uses it. Needs no settings. */
export const fullCatalogue = (): Catalogue => createCatalogue(allSpecs, { uses: functionsByOperation() });

/**
 * A client configured by the environment, which a command line has instead of a stack's settings; for calls with these
 * effects only.
 */
export function openClient(context: CliContext, restrictions: Restrictions = {}): Client {
  return clientFor(resolveSettings({ env: context.env }), context, restrictions);
}

type Restrictions = Pick<ClientOptions, "effects" | "connections" | "stopwatch">;

export function clientFor(settings: Settings, context: CliContext, restrictions: Restrictions = {}): Client {
  const catalogue = createCatalogue(allSpecs, { overrides: settings.operations });
  const warn = ({ level, text }: { level: string; text: string }): void =>
    void (level === "warning" && context.stderr.write(`warning: ${text}\n`));
  return createClient({
    settings,
    catalogue,
    env: context.env,
    rates: intentsFolderOf(settings, context.env),
    log: warn,
    ...restrictions,
    time: context.time,
  });
}
