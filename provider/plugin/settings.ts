import type { Environment } from "../../io/files/user-folders";
import type { CheckFailure } from "../core/checks/check";
import { isConfigurationError } from "../core/errors";
import { packageName } from "../core/fields/tokens";
import { settingFields } from "../core/settings";
import { containsUnknown, plainValue } from "../core/values/unknowns";
import type { Values } from "../lifecycle/types";
import type { GivenSettings } from "../pulumi/operations";
import { settingsIn as resolved } from "../pulumi/ready";
import { requestSecretsIn } from "./request-secrets";

/** What a provider resource is given beside settings: the version of the SDK that declares it. */
const versionKey = "version";

/**
 * The settings among a provider's inputs. The default provider's are the stack's config; an explicit provider's own
 * come first, and the stack's config, which the engine hands to every plugin in its environment, fills in the rest.
 */
export function settingsIn(inputs: Values, urn: string | undefined, env: Environment): GivenSettings {
  const { [versionKey]: _, ...given } = plainValue(inputs) as Values;
  if (urn === undefined || isDefault(urn)) return { config: lookup(given) };
  return { provider: given, config: lookup(stackConfig(env)) };
}

const isDefault = (urn: string): boolean => /::default(_[\w_]+)?$/.test(urn);

const lookup = (values: Values): { get(key: string): string | undefined } => ({
  get(key) {
    const value = values[key.slice(packageName.length + 1)];
    return value === undefined || value === null || typeof value === "string"
      ? (value ?? undefined)
      : JSON.stringify(value);
  },
});

function stackConfig(env: Environment): Values {
  try {
    return JSON.parse(env["PULUMI_CONFIG"] ?? "{}") as Values;
  } catch {
    return {};
  }
}

export interface CheckedSettings {
  inputs: Values;
  failures: CheckFailure[];
}

/**
 * Judges what is set; what is missing is an error of the first operation that needs it. Values not yet known are judged
 * when they are. `folder`: where relative paths begin.
 */
export function checkSettings(
  { urn, news, version }: { urn: string; news: Values; version: string },
  env: Environment,
  folder = ".",
): CheckedSettings {
  const secrets = new Set(settingFields.filter(({ markers }) => markers.secret).map(({ name }) => name));
  const inputs = { ...requestSecretsIn(news).mark(news, secrets) };
  const failures = [
    ...versionFailures(plainValue(news[versionKey]), version),
    ...settingFailures(news, urn, env, folder),
  ];
  return { inputs, failures };
}

function settingFailures(news: Values, urn: string, env: Environment, folder: string): CheckFailure[] {
  if (containsUnknown(news)) return [];
  try {
    resolved({ ...settingsIn(news, urn, env), env }, folder);
    return [];
  } catch (error) {
    if (!isConfigurationError(error)) throw error;
    // Without a property: beside one the engine prints its value.
    return [{ property: "", reason: error.message }];
  }
}

/** A program may use everything that its SDK offers, so the plugin must not be older, nor of another generation. */
function versionFailures(wanted: unknown, version: string): CheckFailure[] {
  if (typeof wanted !== "string" || isServed(wanted, version)) return [];
  return [
    {
      property: "",
      reason: `the program's SDK of ${packageName} is of version ${wanted}, and this plugin is of version ${version}. Install the package and generate the SDK in the same version: \`npm install pulumi-${packageName}@${wanted}\`, or \`pulumi package add\` once more`,
    },
  ];
}

function isServed(wanted: string, version: string): boolean {
  const [asked, offered] = [numbersOf(wanted), numbersOf(version)];
  const generation = offered[0] === 0 ? 2 : 1;
  if (asked.slice(0, generation).join() !== offered.slice(0, generation).join()) return false;
  for (let index = generation; index < 3; index += 1)
    if (offered[index] !== asked[index]) return offered[index]! > asked[index]!;
  return true;
}

const numbersOf = (version: string): number[] =>
  /^v?(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number) ?? [0, 0, 0];

/**
 * Names of the settings that differ. None of them needs another provider: whether an object can be reached is judged
 * object by object.
 */
export function changedSettings(olds: Values, news: Values): string[] {
  const [before, after] = [plainValue(olds) as Values, plainValue(news) as Values];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => name !== versionKey && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
}
