import type { SettingSources } from "../../api/sources";
import { settingKey } from "../../core/settings";
import type { Checkout } from "./checkout";
import type { Choice } from "./takes";

type Config = NonNullable<SettingSources["config"]>;

/** What a setting chooses; one that is not here chooses nothing that could do harm. */
const choiceOf: Readonly<Record<string, Choice>> = {
  apiKey: "key",
  accounts: "key",
  baseUrl: "address",
  operations: "address",
  intents: "path",
};

/** A setting of the project's files that a command does not take. */
export interface RefusedSetting {
  name: string;
  choice: Choice;
}

/** The stack's config as far as the command takes it, and what it leaves. */
export function configFor({ takes }: Checkout, config: Config): { config: Config; refused: RefusedSetting[] } {
  const refused = Object.entries(choiceOf)
    .map(([name, choice]) => ({ name, choice }))
    .filter(({ choice }) => !takes(choice, "project"));
  const keys = new Set(refused.map(({ name }) => settingKey(name)));
  const isGiven = ({ name }: RefusedSetting): boolean => (config.get(settingKey(name)) ?? "") !== "";
  return {
    config: { get: (key) => (keys.has(key) ? undefined : config.get(key)) },
    refused: refused.filter(isGiven),
  };
}
