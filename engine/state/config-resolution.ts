import { type ConfigDeclaration, fullKey, inOrder, isOfType, splitKey, typeName } from "./config-declaration";
import { configText, holdsSecret, isSecure, type StoredConfigValue, secretTexts, valueAt } from "./config-value";
import type { SecretsManager } from "./passphrase";
import type { Project } from "./project-file";
import { decrypter, type StackConfig } from "./stack-config";

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
    secretKeys: keys.filter((key) => holdsSecret(merged[key] ?? null)),
    secrets: keys.flatMap((key) => secretTexts(merged[key] ?? null, decrypter(key, manager))),
  };
}

function problemOf(
  name: string,
  { type, items, secret }: ConfigDeclaration,
  value: StoredConfigValue | undefined,
  manager: SecretsManager | undefined,
): string[] {
  if (value === undefined) return [`\`${name}\` is not set: \`config set ${name} <value>\``];
  if (type === undefined) return [];
  if (secret && !holdsSecret(value)) return [`\`${name}\` must be a secret: \`config set --secret ${name}\``];
  return isOfType(opened(value, name, manager), type, items)
    ? []
    : [`\`${name}\` must be of type \`${typeName({ type, items })}\``];
}

/** As Pulumi compares it with a type: text for what is neither list nor object. */
function opened(value: StoredConfigValue, key: string, manager: SecretsManager | undefined): StoredConfigValue {
  const text = configText(value, decrypter(key, manager));
  return typeof value !== "object" || isSecure(value) ? text : JSON.parse(text);
}
