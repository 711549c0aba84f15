import * as pulumi from "@pulumi/pulumi";
import { createSources } from "../api/sources";
import { dynamicToken, pluginToken } from "../core/fields/tokens";
import { fileIntents, intentsFolder } from "../lifecycle/identity/intents";
import { settleNote } from "../lifecycle/identity/settle-note";
import type { Intents } from "../lifecycle/ports/intents";
import { knownValues } from "./known-values";
import { isProvider, type ProviderSettings, providerSettings } from "./provider";

/** By folder. */
const notes = new Map<string, Intents>();

/**
 * Settles the note about the create of a resource once its registration has come back. The engine
 * answers that only when the state holds the object; a provider process never learns it, and a later
 * run that replaces the object without a diff could not tell it from what an interrupted create has
 * begun.
 */
export function settleOnceRegistered(resource: pulumi.CustomResource, urn: Promise<string>): void {
  if (pulumi.runtime.isDryRun()) return;
  const provider = [dynamicToken(""), pluginToken("")].map((token) => resource.getProvider(token)).find(isProvider);
  const { id, accountId, endpoint, createTime } = resource as pulumi.CustomResource &
    Record<string, pulumi.Output<unknown>>;
  const settle = async (): Promise<void> => {
    const settings = provider ? providerSettings(provider) : {};
    const [name, account, origin, created, known] = await knownValues([id, accountId, endpoint, createTime, settings]);
    if (typeof name !== "string" || typeof origin !== "string" || known === undefined) return;
    await settleNote(notesOf(known as ProviderSettings), await urn, name, {
      accountId: account,
      endpoint: origin,
      createTime: created,
    });
  };
  // A program does not end before its notes are settled. One that stays open is what an interrupted run leaves:
  // nothing fails for it.
  const done = pulumi.runtime.rpcKeepAlive();
  settle().then(done, done);
}

function notesOf(provider: ProviderSettings): Intents {
  const { find } = createSources({
    provider,
    config: { get: (key) => pulumi.runtime.getConfig(key) },
    env: process.env,
  });
  const folder = String(find("intents")?.value ?? intentsFolder(process.env));
  const found = notes.get(folder) ?? fileIntents(folder, Date.now);
  notes.set(folder, found);
  return found;
}
