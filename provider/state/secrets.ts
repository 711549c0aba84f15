import type { Json, Snapshot } from "./types";

export interface SecretsManager {
  readonly type: "passphrase";
  /** What stands in the stack's file: `{ "salt": "v1:…" }`. */
  readonly state: { salt: string };
  encrypt(text: string): string;
  decrypt(ciphertext: string): string;
}

export interface SecretsOptions {
  passphrase: string;
  /** The salt text (`encryptionsalt`, or `secrets_providers.state.salt`). Absent: a new one is made. */
  salt?: string;
}

/** Derives the key (slow: a million rounds, once per process, salt and passphrase) and checks the passphrase against the salt text. */
export async function openSecrets(options: SecretsOptions): Promise<SecretsManager> {
  throw new Error(`not built yet: ${Object.keys(options)}`);
}

/** The salt text of a snapshot; undefined when it has no secrets provider; an error when it is not the passphrase one. */
export function saltOf(snapshot: Snapshot): string | undefined {
  throw new Error(`not built yet: ${snapshot.resources.length}`);
}

/** `PULUMI_CONFIG_PASSPHRASE`, else the file named by `PULUMI_CONFIG_PASSPHRASE_FILE`; neither is an error that says what to set. */
export async function passphraseFrom(env: { [name: string]: string | undefined }): Promise<string> {
  throw new Error(`not built yet: ${Object.keys(env)}`);
}

/** File form: every `{sig, value}` becomes `{sig, ciphertext}`. An unchanged secret at the same place keeps its ciphertext. */
export function encryptSnapshot(snapshot: Snapshot, manager: SecretsManager): Snapshot {
  throw new Error(`not built yet: ${snapshot.resources.length} ${manager.type}`);
}

/** Memory form: every `{sig, ciphertext|plaintext}` becomes `{sig, value}`. */
export function decryptSnapshot(snapshot: Snapshot, manager: SecretsManager): Snapshot {
  throw new Error(`not built yet: ${snapshot.resources.length} ${manager.type}`);
}

/** `stack export --show-secrets`: every `{sig, value}` becomes `{sig, plaintext: "<json text>"}`. Takes the memory form. */
export function showSecrets(snapshot: Snapshot): Snapshot {
  throw new Error(`not built yet: ${snapshot.resources.length}`);
}

export const secretSignature: { key: string; value: string } = { key: "4dabf18193072939515e22adb298388d", value: "1b47061264138c4ac30d75fd1eb44270" };

export const isSecret = (value: Json): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value) && value[secretSignature.key] === secretSignature.value;
