import { createCipheriv, createDecipheriv, pbkdf2, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { ceilings, readText, UnreadableFileError } from "../../io/files/read";

/** Encrypts and decrypts as Pulumi's passphrase secrets provider does. */
export interface SecretsManager {
  readonly type: "passphrase";
  /** The secrets provider's state in the file: `{ "salt": "v1:…" }`. */
  readonly state: { readonly salt: string };
  /** Two calls give two ciphertexts. */
  encrypt(text: string): string;
  decrypt(ciphertext: string): string;
}

interface SecretsOptions {
  passphrase: string;
  /**
   * The salt text: `encryptionsalt` of the stack's config, `secrets_providers.state.salt` of its state. Absent: a new
   * one is created.
   */
  salt?: string | undefined;
}

const rounds = 1_000_000;
const check = "pulumi";
const derive = promisify(pbkdf2);
const keys = new Map<string, Promise<Buffer>>();

/**
 * Derives the key, which takes most of a second, once per process for a salt and passphrase. Throws when the passphrase
 * does not match the salt text.
 */
export async function openSecrets({ passphrase, salt }: SecretsOptions): Promise<SecretsManager> {
  if (salt === undefined) return newSecrets(passphrase);
  const [version, random, ...proof] = salt.split(":");
  if (version !== "v1" || random === undefined || proof.length !== 3) {
    const where = "Compare `encryptionsalt` in the stack's config file with the version control's copy.";
    throw new Error(`The encryption salt is not of the form \`v1:<salt>:v1:<nonce>:<ciphertext>\`. ${where}`);
  }
  const manager = managerFor(await keyFor(passphrase, random), salt);
  if (!proves(manager, proof.join(":"))) {
    const what =
      "Set PULUMI_CONFIG_PASSPHRASE, or PULUMI_CONFIG_PASSPHRASE_FILE, to the one that the stack was created with.";
    throw new Error(`The passphrase does not fit this stack. ${what}`);
  }
  return manager;
}

/**
 * `PULUMI_CONFIG_PASSPHRASE` (it may be empty), else the content of the file named by `PULUMI_CONFIG_PASSPHRASE_FILE`.
 */
export async function passphraseFrom(env: { readonly [name: string]: string | undefined }): Promise<string> {
  const { PULUMI_CONFIG_PASSPHRASE: passphrase, PULUMI_CONFIG_PASSPHRASE_FILE: file } = env;
  if (passphrase !== undefined) return passphrase;
  if (!file)
    throw new Error(
      "The stack's secrets need a passphrase: set PULUMI_CONFIG_PASSPHRASE, or PULUMI_CONFIG_PASSPHRASE_FILE to a file that holds it.",
    );
  try {
    return (await readText(file, ceilings.settings, { fromUser: true })).trim();
  } catch (cause) {
    if (cause instanceof UnreadableFileError) throw cause;
    throw new Error(
      `The file that PULUMI_CONFIG_PASSPHRASE_FILE names, ${file}, cannot be read. Correct the path, or set PULUMI_CONFIG_PASSPHRASE.`,
      { cause },
    );
  }
}

async function newSecrets(passphrase: string): Promise<SecretsManager> {
  const random = randomBytes(8).toString("base64");
  const key = await keyFor(passphrase, random);
  return managerFor(key, `v1:${random}:${seal(key, check)}`);
}

function keyFor(passphrase: string, random: string): Promise<Buffer> {
  const id = JSON.stringify([passphrase, random]);
  const key = keys.get(id) ?? derive(passphrase, Buffer.from(random, "base64"), rounds, 32, "sha256");
  keys.set(id, key);
  return key;
}

function managerFor(key: Buffer, salt: string): SecretsManager {
  return {
    type: "passphrase",
    state: { salt },
    encrypt: (text) => seal(key, text),
    decrypt: (ciphertext) => open(key, ciphertext),
  };
}

function proves(manager: SecretsManager, proof: string): boolean {
  try {
    return manager.decrypt(proof) === check;
  } catch {
    return false;
  }
}

function seal(key: Buffer, text: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `v1:${nonce.toString("base64")}:${sealed.toString("base64")}`;
}

function open(key: Buffer, ciphertext: string): string {
  const [version, nonce, sealed, ...rest] = ciphertext.split(":");
  const bytes = Buffer.from(sealed ?? "", "base64");
  if (version !== "v1" || !nonce || bytes.length < 16 || rest.length > 0)
    throw new Error("A secret is not of the form `v1:<nonce>:<ciphertext>`: the file is damaged.");
  const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(nonce, "base64"));
  decipher.setAuthTag(bytes.subarray(-16));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString("utf8");
  } catch (cause) {
    throw new Error(
      "A secret cannot be decrypted: it was encrypted with another passphrase or salt, or the file is damaged.",
      { cause },
    );
  }
}
