import { openSecrets, passphraseFrom, type SecretsManager } from "../../engine/state/passphrase";
import type { StackConfig } from "../../engine/state/stack-config";
import type { CliContext } from "../command/context";

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
