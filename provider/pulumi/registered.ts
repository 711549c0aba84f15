import * as pulumi from "@pulumi/pulumi";
import { createSources } from "../api/settings/sources";
import { dynamicToken, memberOf, pluginToken } from "../core/fields/tokens";
import type { OwnershipJournal } from "../lifecycle/journal/facts";
import { journalFolder, journalIn } from "../lifecycle/journal/journal-files";
import { writeHeld } from "../lifecycle/ownership/facts";
import { specOf } from "../resources/index";
import { knownValues } from "./known-values";
import { isProvider, type ProviderSettings, providerSettings } from "./provider";

/** By folder. */
const journals = new Map<string, OwnershipJournal>();

/**
 * Writes into the journal that a state holds a resource, once its registration has come back. The engine
 * answers that only when the state holds the object; a provider process never learns it, and a later
 * run that replaces the object without a diff could not tell it from what an interrupted create has
 * begun.
 */
export function writeHeldOnceRegistered(resource: pulumi.CustomResource, urn: Promise<string>): void {
  if (pulumi.runtime.isDryRun()) return;
  const provider = [dynamicToken(""), pluginToken("")].map((token) => resource.getProvider(token)).find(isProvider);
  const { id, accountId, endpoint, createTime } = resource as pulumi.CustomResource &
    Record<string, pulumi.Output<unknown>>;
  const write = async (): Promise<void> => {
    const settings = provider ? providerSettings(provider) : {};
    const [name, account, origin, created, known] = await knownValues([id, accountId, endpoint, createTime, settings]);
    if (typeof name !== "string" || typeof origin !== "string" || known === undefined) return;
    const of = await urn;
    const kind = memberOf(of.split("::")[2]!.split("$").at(-1)!) ?? "";
    const outputs = { accountId: account, endpoint: origin, createTime: created };
    const recorded = { kind, urn: of, spec: specOf(kind), id: name, outputs, at: Date.now() };
    await writeHeld(journalOf(known as ProviderSettings), { ...recorded, isUnaccepted: true });
  };
  // A program does not end before that is written. What is not looks like an interrupted run: nothing fails for it.
  const done = pulumi.runtime.rpcKeepAlive();
  write().then(done, done);
}

function journalOf(provider: ProviderSettings): OwnershipJournal {
  const { find } = createSources({
    provider,
    config: { get: (key) => pulumi.runtime.getConfig(key) },
    env: process.env,
  });
  const folder = String(find("intents")?.value ?? journalFolder(process.env));
  const found = journals.get(folder) ?? journalIn(folder, Date.now);
  journals.set(folder, found);
  return found;
}
