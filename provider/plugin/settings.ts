import type { Environment } from "../../io/files/user-folders";
import { quotedCommand } from "../../io/text/command-line";
import type { CheckFailure } from "../core/check";
import { isConfigurationError } from "../core/errors";
import { packageName } from "../core/pulumi-names";
import { settingFields } from "../core/settings";
import { camelCase } from "../core/values/names";
import { containsUnknown, plainValue } from "../core/values/values";
import type { Values } from "../lifecycle/types";
import type { EngineSettings } from "../pulumi/operations";
import { settingsIn as resolved } from "../pulumi/runtime";
import { requestSecretsIn } from "./request-secrets";

/** What a provider resource is given beside settings: the version of the SDK that declares it. */
const versionKey = "version";

/**
 * The settings among a provider's inputs. The default provider's are the stack's config; an explicit provider's own
 * come first, and the stack's config, which the engine hands to every plugin in its environment, fills in the rest.
 */
export function settingsIn(inputs: Values, urn: string | undefined, env: Environment): EngineSettings {
  const { [versionKey]: _, ...rest } = plainValue(inputs) as Values;
  const camelCaseInputs = inCamelCase(rest);
  if (urn === undefined || isDefault(urn)) return { config: lookup(camelCaseInputs) };
  return { provider: camelCaseInputs, config: lookup(stackConfig(env)) };
}

const isDefault = (urn: string): boolean => /::default(_[\w_]+)?$/.test(urn);

/**
 * A dictionary of an SDK whose language has snake case: an engine is handed it as a text, in which no SDK has spelt the
 * names of properties as the schema has them.
 */
function inCamelCase(values: Values): Values {
  const accounts = parseJsonText(values["accounts"]);
  if (typeof accounts !== "object" || accounts === null) return values;
  const spelt = Object.entries(accounts).map(([account, key]) => [account, camelCaseDeep(key)]);
  return { ...values, accounts: Object.fromEntries(spelt) as Values };
}

function parseJsonText(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

const camelCaseDeep = (value: unknown): unknown =>
  typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [camelCase(name), member]))
    : value;

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

const keySettings = settingFields.filter(({ markers }) => markers.secret).map(({ name }) => name);

interface CheckedSettings {
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
  const inputs = { ...requestSecretsIn(news).mark(news, new Set(keySettings)) };
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
function versionFailures(requested: unknown, version: string): CheckFailure[] {
  if (typeof requested !== "string" || isServed(requested, version)) return [];
  return [
    {
      property: "",
      reason: `the program's SDK of ${packageName} is of version ${requested}, and this plugin is of version ${version}. Install the package and generate the SDK in the same version: ${quotedCommand(["npm", "install", `pulumi-${packageName}@${requested}`])}, or \`pulumi package add\` once more`,
    },
  ];
}

function isServed(requested: string, version: string): boolean {
  const [asked, offered] = [numbersOf(requested), numbersOf(version)];
  const generation = offered[0] === 0 ? 2 : 1;
  if (asked.slice(0, generation).join() !== offered.slice(0, generation).join()) return false;
  for (let index = generation; index < 3; index += 1)
    if (offered[index] !== asked[index]) return offered[index]! > asked[index]!;
  return true;
}

const numbersOf = (version: string): number[] =>
  /^v?(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number) ?? [0, 0, 0];

/**
 * What to say of keys that a provider has in the state and the program does not set: the next `up` drops them there.
 * Generated SDKs of 0.1 recorded the environment's.
 */
export function forgottenKeys(olds: Values, news: Values): string | undefined {
  const names = keySettings.filter((name) => olds[name] !== undefined && news[name] === undefined);
  if (names.length === 0) return undefined;
  return `the state holds \`${names.join("`, `")}\` of this provider, which nothing sets any longer: \`up\` removes it there, and what the environment has counts`;
}

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
