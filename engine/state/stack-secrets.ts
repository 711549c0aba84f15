import { openSecrets, passphraseFrom, type SecretsManager } from "./passphrase";
import { decryptSnapshot, saltOf } from "./secrets";
import type { StackConfig } from "./stack-config";
import type { Snapshot } from "./types";

interface OpenedStack {
  /** Encrypts with the salt of the stack's config, which was given one if it had none: save it. */
  manager: SecretsManager;
  /** The state in memory form. */
  snapshot: Snapshot | undefined;
}

/**
 * Opens a stack's secrets with the passphrase of the environment. The salt is the config's, else the state's, else a
 * new one. A state that was written with another salt than the config's is opened with its own.
 */
export async function openStack(
  config: StackConfig,
  state: Snapshot | undefined,
  env: { readonly [name: string]: string | undefined },
): Promise<OpenedStack> {
  const passphrase = await passphraseFrom(env);
  const stateSalt = state && saltOf(state);
  const manager = await openSecrets({ passphrase, salt: config.encryptionSalt ?? stateSalt });
  if (config.encryptionSalt === undefined) config.encryptionSalt = manager.state.salt;
  if (state === undefined) return { manager, snapshot: undefined };
  const opener =
    stateSalt === undefined || stateSalt === manager.state.salt
      ? manager
      : await openSecrets({ passphrase, salt: stateSalt });
  return { manager, snapshot: decryptSnapshot(state, opener) };
}
