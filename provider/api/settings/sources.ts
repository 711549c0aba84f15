import { ceilings, readTextSync } from "../../../io/files/read";
import { quotedCommand } from "../../../io/text/command-line";
import { ConfigurationError } from "../../core/errors";
import { engineCommand, environmentSettings, settingFields, settingKey, settingVariable } from "../../core/settings";
import type { z } from "../../core/zod";
import type { SettingOrigin } from "../types";

/** Where settings come from, and how an error names the sources. */
export interface SettingSources {
  /** Arguments of an explicit `Provider`, by setting name; JSON settings may be values or text. */
  provider?: Readonly<Record<string, unknown>>;
  /** The stack's config, by full key such as `modelplatform:apiKey`. */
  config?: { get(key: string): string | undefined } | undefined;
  env?: Readonly<Record<string, string | undefined>>;
  /** What the state of a stack records, if no other source has it. */
  recorded?: Readonly<Record<string, unknown>>;
}

/** A setting, its source in words, and who set it. */
export interface ResolvedSetting {
  value: unknown;
  where: string;
  from: SettingOrigin;
}

export interface Sources {
  /** One per source, by precedence. */
  all: readonly ((name: string) => ResolvedSetting | undefined)[];
  find(name: string): ResolvedSetting | undefined;
  /** How to put a setting into a stack's config with the running engine; undefined if no config is read. */
  configCommand: readonly string[] | undefined;
}

const isSecret = (name: string): boolean => settingFields.some((field) => field.name === name && field.markers.secret);

export function createSources({ provider, config, env, recorded }: SettingSources): Sources {
  const all = [
    (name: string) => presentSetting(provider?.[name], `the provider's \`${name}\``, "program"),
    (name: string) =>
      environmentSettings.includes(name)
        ? undefined
        : presentSetting(config?.get(settingKey(name)), `the config \`${settingKey(name)}\``, "project"),
    (name: string) => inEnvironment(env, settingVariable(name)),
    (name: string) => presentSetting(recorded?.[name], `the setting \`${name}\` that the state records`, "project"),
  ];
  return {
    all,
    find: (name) => all.map((source) => source(name)).find((setting) => setting !== undefined),
    configCommand: config && [...engineCommand(env), "config", "set"],
  };
}

const inEnvironment = (env: SettingSources["env"], variable: string): ResolvedSetting | undefined =>
  presentSetting(env?.[variable], `the environment variable \`${variable}\``, "environment");

const presentSetting = (value: unknown, where: string, from: SettingOrigin): ResolvedSetting | undefined =>
  value === undefined || value === null || value === "" ? undefined : { value, where, from };

type ConfigReader = Partial<Pick<Sources, "configCommand">>;

/** The searched sources of a setting. */
export function describeSources(name: string, { configCommand }: ConfigReader): string {
  const file = name === "accounts" ? ` and \`${settingVariable("accountsFile")}\`` : "";
  const variables = `the environment's \`${settingVariable(name)}\`${file}`;
  if (configCommand === undefined) return `looked for in ${variables}`;
  return `looked for in the provider's \`${name}\`, the config \`${settingKey(name)}\` and ${variables}`;
}

/** How to set a setting. */
export function setupAdvice(name: string, { configCommand }: ConfigReader): string {
  const variable = settingVariable(name);
  if (configCommand === undefined) return `Export \`${variable}\`.`;
  const words = [...configCommand, ...(isSecret(name) ? ["--secret"] : []), settingKey(name)];
  return `Set it with ${quotedCommand(words)}, or export \`${variable}\`. \`refresh\` and \`destroy\` see a config that was changed since the last \`up\` with \`--run-program\` alone.`;
}

/** Reads the file that a setting names; `from`: who set the name. */
export type ReadSettingFile = (path: string, from: SettingOrigin) => string;

/** A project's files are untrusted and may name an endless device. The user of a command may pass a pipe. */
export const readSettingFile: ReadSettingFile = (path, from) =>
  readTextSync(path, ceilings.settings, { fromUser: from !== "project" });

/** A file that a setting names, in words. */
export const placeOf = ({ value, where }: ResolvedSetting): string => `the file \`${String(value)}\` (${where})`;

export function fileNamed(file: ResolvedSetting, readFile: ReadSettingFile): ResolvedSetting {
  if (String(file.value).trim().startsWith("{"))
    throw new ConfigurationError(`${file.where} holds JSON, and not the path of a file`, {
      advice: `Put it into a file, or into \`${settingVariable("accounts")}\`.`,
    });
  const where = placeOf(file);
  try {
    return { value: readFile(String(file.value), file.from), where, from: file.from };
  } catch (error) {
    throw new ConfigurationError(
      `${where} cannot be read (${(error as NodeJS.ErrnoException).code ?? "no reason given"})`,
      { advice: "Check the path and who may read it." },
    );
  }
}

/** Parses JSON text, or takes a value as it is. The error quotes nothing of an invalid value: it may hold keys. */
export function parseSetting<T>(schema: z.ZodType<T>, value: unknown, where: string, form: string): T {
  const advice = `It has the form ${form}.`;
  let json = value;
  if (typeof value === "string") {
    try {
      json = JSON.parse(value);
    } catch {
      throw new ConfigurationError(`${where} is not JSON`, { advice });
    }
  }
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  const path = issue.path.length === 0 ? "" : `at \`${issue.path.join(".")}\` `;
  throw new ConfigurationError(`${where} is not valid: ${path}${issue.message}`, { advice });
}
