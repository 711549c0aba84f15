import { engineCommand } from "../core/engine-command";
import { settingFields, settingKey, settingVariable } from "../core/settings";

/** Where settings come from, and how an error names the places. */

export interface SettingSources {
  /** Arguments of an explicit `Provider`, by setting name; JSON settings may be values or text. */
  provider?: Readonly<Record<string, unknown>>;
  /** The stack's config, by full key such as `modelplatform:apiKey`. */
  config?: { get(key: string): string | undefined } | undefined;
  env?: Readonly<Record<string, string | undefined>>;
  /** What the state of a stack records, where nothing else says it. */
  recorded?: Readonly<Record<string, unknown>>;
}

/** Who gave a setting: the running program, files of the project, or whoever started the command. */
export type SettingOrigin = "program" | "project" | "environment";

/** A setting that was found, where it was found in words, and who gave it. */
export interface FoundSetting {
  value: unknown;
  where: string;
  from: SettingOrigin;
}

export interface Sources {
  /** One per source, by precedence. */
  all: readonly ((name: string) => FoundSetting | undefined)[];
  find(name: string): FoundSetting | undefined;
  /** How to put a setting into a stack's config with the running engine; undefined if no config is read. */
  configCommand: string | undefined;
}

/** Settings that no stack config has. */
const environmentOnly: ReadonlySet<string> = new Set(["accountsFile"]);

const isSecret = (name: string): boolean => settingFields.some((field) => field.name === name && field.markers.secret);

export function createSources({ provider, config, env, recorded }: SettingSources): Sources {
  const all = [
    (name: string) => present(provider?.[name], `the provider's \`${name}\``, "program"),
    (name: string) =>
      environmentOnly.has(name)
        ? undefined
        : present(config?.get(settingKey(name)), `the config \`${settingKey(name)}\``, "project"),
    (name: string) => inEnvironment(env, settingVariable(name)),
    (name: string) => present(recorded?.[name], `the setting \`${name}\` that the state records`, "project"),
  ];
  return {
    all,
    find: (name) => all.map((source) => source(name)).find((found) => found !== undefined),
    configCommand: config && `${engineCommand(env)} config set`,
  };
}

const inEnvironment = (env: SettingSources["env"], variable: string): FoundSetting | undefined =>
  present(env?.[variable], `the environment variable \`${variable}\``, "environment");

const present = (value: unknown, where: string, from: SettingOrigin): FoundSetting | undefined =>
  value === undefined || value === null || value === "" ? undefined : { value, where, from };

type ConfigReader = Partial<Pick<Sources, "configCommand">>;

/** Where a setting was looked for. */
export function placesOf(name: string, { configCommand }: ConfigReader): string {
  const file = name === "accounts" ? ` and \`${settingVariable("accountsFile")}\`` : "";
  const variables = `the environment's \`${settingVariable(name)}\`${file}`;
  if (configCommand === undefined) return `looked for in ${variables}`;
  return `looked for in the provider's \`${name}\`, the config \`${settingKey(name)}\` and ${variables}`;
}

/** How to give a setting. */
export function howToSet(name: string, { configCommand }: ConfigReader): string {
  const variable = settingVariable(name);
  if (configCommand === undefined) return `Export \`${variable}\`.`;
  return `Set it with \`${configCommand} ${isSecret(name) ? "--secret " : ""}${settingKey(name)}\`, or export \`${variable}\`.`;
}
