import { openSecrets, passphraseFrom, type SecretsManager } from "../../engine/state/passphrase";
import { readStackConfig, type StackConfig, writeStackConfig } from "../../engine/state/stack-config";
import { printable } from "../../io/text/printable";
import { settingFields, settingKey, unknownSettingKeys } from "../../provider/core/settings";
import type { CliContext } from "../command/context";
import { usageError } from "../command/failure";
import type { ProjectBackend } from "./stack-choice";

const soundsSecret =
  /(api|access|private|secret)[_-]?keys?$|(password|passphrase|secret|token)$|^modelplatform:accounts$/i;

/** A value in plain text stands in a file that is often committed. */
export function assertNotPlainSecret(key: string, advice: string): void {
  if (soundsSecret.test(key)) throw usageError(`\`${key}\` sounds like a secret. ${advice}`);
}

/** A setting without its namespace would be a value of the user's own program, which nothing here reads. */
export function assertNamespaced(key: string, { name: project }: { name: string }): void {
  const withoutSeparators = (text: string): string => text.toLowerCase().replace(/[-_]/g, "");
  const field = settingFields.find(({ name }) => withoutSeparators(name) === withoutSeparators(key));
  if (field)
    throw usageError(
      `\`${key}\` is a value of your own program without a namespace. Write \`${settingKey(field.name)}\`, or \`${project}:${key}\` if you mean your own.`,
    );
}

/** No setting of this package begins and ends with a quote: the shell, or a word processor, has left them there. */
export function assertUnquoted(key: string, value: string): void {
  if (key.startsWith(settingKey("")) && /^(["'“”„‘’]).*["'“”‘’]$/s.test(value.trim()))
    throw usageError(`The value of \`${key}\` has quotation marks around it. Leave them out.`);
}

/** Warns about keys that nothing reads, with the keys they may have meant. */
export function warnOfUnknownKeys(keys: readonly string[], { stderr }: Pick<CliContext, "stderr">): void {
  for (const text of unknownSettingKeys(keys)) stderr.write(`warning: ${printable(text)}\n`);
}

/** Sets the `key=value` pairs of `--config` in the stack's file, and gives their keys. */
export async function setConfig(
  { project }: ProjectBackend,
  stack: string,
  pairs: readonly string[],
): Promise<string[]> {
  if (pairs.length === 0) return [];
  const config = await readStackConfig(project, stack);
  const keys: string[] = [];
  for (const pair of pairs) {
    const cut = pair.indexOf("=");
    if (cut < 1) throw usageError(`--config ${pair}: write it as key=value.`);
    const key = pair.slice(0, cut);
    assertNamespaced(key, project);
    assertNotPlainSecret(key, `Set it once with \`npx pulumi-modelplatform config set --secret ${key}\`.`);
    assertUnquoted(key, pair.slice(cut + 1));
    config.set(key, pair.slice(cut + 1));
    keys.push(key);
  }
  await writeStackConfig(config);
  return keys;
}

/** A stack's config, its secrets included. Without the passphrase, what is encrypted counts as not set. */
export async function wholeConfig(
  config: StackConfig,
  env: CliContext["env"],
): Promise<{ get(key: string): string | undefined }> {
  const manager = await managerOf(config.encryptionSalt, env);
  return { get: (key) => (config.isSecret(key) && !manager ? undefined : config.get(key, manager)) };
}

async function managerOf(salt: string | undefined, env: CliContext["env"]): Promise<SecretsManager | undefined> {
  if (salt === undefined) return undefined;
  try {
    return await openSecrets({ passphrase: await passphraseFrom(env), salt });
  } catch {
    return undefined;
  }
}
