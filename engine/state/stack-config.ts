import { assertOfCheckout } from "../../io/files/checkout";
import { type FileSystem, nodeFiles, readIfExists, replacePublic } from "../../io/files/durable";
import { ownCommand, quotedCommand } from "../../io/text/command-line";
import { decodeText } from "../../io/text/decode";
import {
  type ConfigObject,
  configText,
  containsSecret,
  isConfigObject,
  isSecure,
  type StoredConfigValue,
  secretTexts,
  valueAt,
  valueAtPath,
  withoutValueAt,
  withValueAt,
  yamlContent,
  yamlWith,
} from "./config-value";
import { correctKeys, keyProblems, stackKeys } from "./file-keys";
import type { SecretsManager } from "./passphrase";
import {
  type ConfigDeclaration,
  fullKey,
  inOrder,
  isOfType,
  mergeDeclared,
  type Project,
  splitKey,
  stackConfigPath,
  typeName,
} from "./project";

/** A key of the stack's config: the project's own when it has no namespace. */
interface KeyOptions {
  /** The key continues into the value: `list[0].member`. */
  path?: boolean;
}

/** The content of `Pulumi.<stack>.yaml`. Edits keep comments and order; `writeStackConfig` saves them. */
export class StackConfig {
  /** What the text says. Every look at a setting asks for it, and parsing takes a millisecond. */
  private content: StoredConfigValue;

  constructor(
    readonly project: Project,
    /** Absolute path; the file need not exist. */
    readonly file: string,
    private text: string,
  ) {
    this.content = yamlContent(text, file);
    this.assertSupported();
  }

  get encryptionSalt(): string | undefined {
    const salt = this.setting("encryptionsalt");
    return typeof salt === "string" && salt !== "" ? salt : undefined;
  }

  set encryptionSalt(salt: string) {
    this.edit(["encryptionsalt"], salt);
  }

  /** The stack's own values by full key, secrets as ciphertext. */
  values(): ConfigObject {
    const config = this.setting("config");
    const entries = Object.entries(isConfigObject(config) ? config : {});
    return Object.fromEntries(entries.map(([key, value]) => [fullKey(this.project.name, key), value]));
  }

  /**
   * The stack's values over the project's, by full key, secrets as
   * ciphertext: what an operation records in the history.
   */
  merged(): ConfigObject {
    return mergeDeclared(this.project.name, this.project.config, this.values());
  }

  /** Whether the value is a secret, or holds one. */
  isSecret(key: string, { path = false }: KeyOptions = {}): boolean {
    const value = this.find(key, path);
    return value !== undefined && containsSecret(value);
  }

  /**
   * Plain text, JSON text for lists and objects, the project's default where the stack
   * sets nothing. Undefined when nothing is set.
   */
  get(key: string, manager: SecretsManager | undefined, { path = false }: KeyOptions = {}): string | undefined {
    const value = this.find(key, path);
    return value === undefined ? undefined : configText(value, decrypter(key, manager));
  }

  /** With `secret`, the value is encrypted, and the file gets the manager's salt if it has none. */
  set(
    key: string,
    text: string,
    { path = false, secret }: KeyOptions & { secret?: SecretsManager | undefined } = {},
  ): void {
    const at = this.locate(key, path);
    const value = secret ? { secure: this.encrypt(text, secret) } : valueAtPath(at.path, text);
    this.write(at.key, withValueAt(this.values()[at.key], at.path, value));
  }

  /** A key that is not set counts as removed. */
  remove(key: string, { path = false }: KeyOptions = {}): void {
    const at = this.locate(key, path);
    const value = this.values()[at.key];
    if (value === undefined) return;
    if (at.path.length > 0) this.write(at.key, withoutValueAt(value, at.path));
    else this.forget(at.key);
  }

  /** The file's text. */
  toString(): string {
    return this.text;
  }

  private find(key: string, path: boolean): StoredConfigValue | undefined {
    const at = this.locate(key, path);
    return valueAt(this.merged(), [at.key, ...at.path]);
  }

  private locate(key: string, path: boolean): ReturnType<typeof splitKey> {
    const full = fullKey(this.project.name, key, path);
    return path ? splitKey(full) : { key: full, path: [] };
  }

  private encrypt(text: string, manager: SecretsManager): string {
    this.encryptionSalt ??= manager.state.salt;
    if (this.encryptionSalt !== manager.state.salt)
      throw new Error(`the encryption salt in ${this.file} is not the one that the secret would be encrypted with.`);
    return manager.encrypt(text);
  }

  private write(key: string, value: StoredConfigValue): void {
    this.edit(["config", this.spellingOf(key)], value);
  }

  private forget(key: string): void {
    const isLast = Object.keys(this.values()).length === 1;
    this.edit(isLast ? ["config"] : ["config", this.spellingOf(key)], undefined);
  }

  private edit(path: readonly string[], value: StoredConfigValue | undefined): void {
    this.text = yamlWith(this.text, path, value, this.file);
    this.content = yamlContent(this.text, this.file);
  }

  private spellingOf(key: string): string {
    const config = this.setting("config");
    return (
      Object.keys(isConfigObject(config) ? config : {}).find(
        (spelling) => fullKey(this.project.name, spelling) === key,
      ) ?? key
    );
  }

  private setting(name: string): StoredConfigValue | undefined {
    return isConfigObject(this.content) ? this.content[name] : undefined;
  }

  private assertSupported(): void {
    const problems = keyProblems(this.content, stackKeys, this.file);
    if (problems !== undefined) throw new Error(`${problems} ${correctKeys}`);
  }
}

/** A missing file is read as an empty one. */
export async function readStackConfig(
  project: Project,
  stack: string,
  files: FileSystem = nodeFiles,
): Promise<StackConfig> {
  const file = stackConfigPath(project, stack);
  const bytes = await readIfExists(files, file);
  if (bytes !== undefined) assertOfCheckout(file, project.checkout);
  return new StackConfig(project, file, bytes === undefined ? "" : decodeText(bytes, file));
}

export async function writeStackConfig(config: StackConfig, files: FileSystem = nodeFiles): Promise<void> {
  await replacePublic(files, config.file, Buffer.from(config.toString()));
}

/** Decrypts the secrets of `key`'s value. Throws without a manager. */
function decrypter(key: string, manager: SecretsManager | undefined): (ciphertext: string) => string {
  return (ciphertext) => {
    if (manager !== undefined) return manager.decrypt(ciphertext);
    throw new Error(
      `The config key \`${key}\` is a secret. Set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE to read it.`,
    );
  };
}

export interface ResolvedConfig {
  /** For `PULUMI_CONFIG`: full key to plain text, JSON text for lists and objects. */
  values: { [key: string]: string };
  /** For `PULUMI_CONFIG_SECRET_KEYS`. */
  secretKeys: string[];
  /** The secret texts, including those within lists and objects. */
  secrets: string[];
}

/**
 * The stack's values over the project's, secrets decrypted. `manager` is needed only for secrets. Throws with
 * everything that does not fit the project's declarations.
 */
export function resolveConfig(
  project: Project,
  config: StackConfig,
  manager: SecretsManager | undefined,
): ResolvedConfig {
  const merged = config.merged();
  const problems = inOrder(project.config).flatMap(([name, declared]) => {
    const { key, path } = splitKey(fullKey(project.name, name, true));
    return problemOf(name, declared, valueAt(merged, [key, ...path]), manager);
  });
  if (problems.length > 0) {
    throw new Error(
      [
        `The config of ${config.file} does not fit project ${project.name}:`,
        ...problems.map((problem) => `  ${problem}`),
      ].join("\n"),
    );
  }
  const keys = Object.keys(merged).sort();
  const textOf = (key: string): string => configText(merged[key] ?? null, decrypter(key, manager));
  return {
    values: Object.fromEntries(keys.map((key) => [key, textOf(key)])),
    secretKeys: keys.filter((key) => containsSecret(merged[key] ?? null)),
    secrets: keys.flatMap((key) => secretTexts(merged[key] ?? null, decrypter(key, manager))),
  };
}

function problemOf(
  name: string,
  { type, items, secret }: ConfigDeclaration,
  value: StoredConfigValue | undefined,
  manager: SecretsManager | undefined,
): string[] {
  if (value === undefined) return [`\`${name}\` is not set: ${setting([], name)}`];
  if (type === undefined) return [];
  if (secret && !containsSecret(value)) return [`\`${name}\` must be a secret: ${setting(["--secret"], name)}`];
  return isOfType(decrypted(value, name, manager), type, items)
    ? []
    : [`\`${name}\` must be of type \`${typeName({ type, items })}\``];
}

const setting = (flags: readonly string[], name: string): string =>
  quotedCommand([...ownCommand, "config", "set", ...flags], {
    args: [name],
    ...(flags.length === 0 && { placeholder: "value" }),
  });

/** The value that Pulumi checks against a type: text unless it is a list or an object. */
function decrypted(value: StoredConfigValue, key: string, manager: SecretsManager | undefined): StoredConfigValue {
  const text = configText(value, decrypter(key, manager));
  return typeof value !== "object" || isSecure(value) ? text : JSON.parse(text);
}
