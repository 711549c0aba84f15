/** Where settings come from, and how an error names the places. */

export interface SettingSources {
  /** Arguments of an explicit `Provider`, by setting name; JSON settings may be values or text. */
  provider?: Readonly<Record<string, unknown>>;
  /** The stack's config, by full key such as `modelplatform:apiKey`. */
  config?: { get(key: string): string | undefined };
  env?: Readonly<Record<string, string | undefined>>;
}

/** A setting that was found, and the words for where. */
export interface Found {
  value: unknown;
  where: string;
}

export interface Sources {
  /** One per source, by precedence. */
  all: readonly ((name: string) => Found | undefined)[];
  find(name: string): Found | undefined;
}

const variables: Readonly<Record<string, string>> = {
  apiKey: "MODELPLATFORM_API_KEY",
  accountId: "MODELPLATFORM_ACCOUNT_ID",
  baseUrl: "MODELPLATFORM_BASE_URL",
  accounts: "MODELPLATFORM_ACCOUNTS",
  accountsFile: "MODELPLATFORM_ACCOUNTS_FILE",
  requestsPerSecond: "MODELPLATFORM_REQUESTS_PER_SECOND",
  preflight: "MODELPLATFORM_PREFLIGHT",
  recover: "MODELPLATFORM_RECOVER",
  allowEndpointChange: "MODELPLATFORM_ALLOW_ENDPOINT_CHANGE",
  intents: "MODELPLATFORM_INTENTS",
  dialect: "MODELPLATFORM_DIALECT",
};

/** Settings that no stack config has. */
const environmentOnly: ReadonlySet<string> = new Set(["accountsFile", "intents"]);

const secretSettings: ReadonlySet<string> = new Set(["apiKey", "accounts"]);

const configKey = (name: string): string => `modelplatform:${name}`;

export function createSources({ provider, config, env }: SettingSources): Sources {
  const all = [
    (name: string) => present(provider?.[name], `the provider's \`${name}\``),
    (name: string) => (environmentOnly.has(name) ? undefined : present(config?.get(configKey(name)), `the config \`${configKey(name)}\``)),
    (name: string) => (variables[name] === undefined ? undefined : present(env?.[variables[name]], `the environment variable \`${variables[name]}\``)),
  ];
  return { all, find: (name) => all.map((source) => source(name)).find((found) => found !== undefined) };
}

const present = (value: unknown, where: string): Found | undefined => (value === undefined || value === null || value === "" ? undefined : { value, where });

/** The places where a setting was looked for, and how to set it. */
export function keyHint(name: string): string {
  const secret = secretSettings.has(name) ? "--secret " : "";
  const file = name === "accounts" ? " and `MODELPLATFORM_ACCOUNTS_FILE`" : "";
  return `It was looked for in the provider's \`${name}\`, the config \`${configKey(name)}\` and the environment's \`${variables[name]}\`${file}. Set it with \`pulumi config set ${secret}${configKey(name)}\`, or export \`${variables[name]}\`.`;
}
