import { harmlessOperations } from "../../provider/api/operations";
import type { SettingSources } from "../../provider/api/settings/sources";
import type { Overrides } from "../../provider/api/types";
import { settingFields, settingKey } from "../../provider/core/settings";
import { allSpecs } from "../../provider/resources/index";
import type { Checkout } from "./checkout";
import type { Choice } from "./trust-policies";

type Config = NonNullable<SettingSources["config"]>;

/** What a setting chooses; one that is not here chooses nothing that could do harm. */
export const choiceOf: Readonly<Record<string, Choice>> = Object.fromEntries(
  settingFields.flatMap(({ name, markers: { chooses } }) => (chooses === undefined ? [] : [[name, chooses]])),
);

/** A setting of the project's files that a command does not take. */
export interface IgnoredSetting {
  name: string;
  choice: Choice;
}

/** The stack's config as far as the command takes it, and what it leaves. */
export function configFor({ isAllowed }: Checkout, config: Config): { config: Config; refused: IgnoredSetting[] } {
  const refused = Object.entries(choiceOf)
    .map(([name, choice]) => ({ name, choice }))
    .filter(({ choice }) => !isAllowed(choice, "project"));
  const keys = new Set(refused.map(({ name }) => settingKey(name)));
  const operationsText = config.get(settingKey("operations"));
  const harmless = keys.has(settingKey("operations")) && operationsText ? harmlessPart(operationsText) : undefined;
  const isLeft = ({ name }: IgnoredSetting): boolean =>
    name === "operations" ? harmless?.isAll === false : (config.get(settingKey(name)) ?? "") !== "";
  return {
    config: {
      get: (key) => {
        if (harmless && key === settingKey("operations")) return harmless.text;
        return keys.has(key) ? undefined : config.get(key);
      },
    },
    refused: refused.filter(isLeft),
  };
}

/** Of operations that nobody vouches for, reads within an account are taken. */
function harmlessPart(text: string): { text: string | undefined; isAll: boolean } {
  try {
    const overrides = JSON.parse(text) as Overrides;
    const kept = harmlessOperations(allSpecs, overrides);
    return { text: JSON.stringify(kept), isAll: Object.keys(kept).length === Object.keys(overrides).length };
  } catch {
    return { text: undefined, isAll: false };
  }
}
