import { inspect } from "node:util";
import { resolveSettings } from "../../provider/api/settings/config";
import {
  accountIdOf,
  addressOf,
  credentialOf,
  endpointOf,
  hasKey,
  heldAccounts,
  isHeld,
  locationOf,
} from "../../provider/api/settings/credentials";
import { Keyring } from "../../provider/api/settings/keyring";
import { createSources } from "../../provider/api/settings/sources";
import type { ClientSettings } from "../../provider/api/types";
import { isConfigurationError } from "../../provider/core/errors";
import { RedactedString } from "../../provider/core/redact";
import { settingFields, unknownSettingKeys, unknownSettingVariables } from "../../provider/core/settings";

type Given = Parameters<typeof resolveSettings>[0];

const config = (values: Record<string, string>): NonNullable<Given["config"]> => ({ get: (key) => values[key] });

const keyOf = (settings: ClientSettings, account: string): string =>
  (credentialOf(settings, account).key as RedactedString).reveal();

function refusalOf(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    expect(isConfigurationError(error)).toBe(true);
    return error as Error;
  }
  throw new Error("nothing was refused");
}

const env = {
  MODELPLATFORM_API_KEY: "env-key",
  MODELPLATFORM_ACCOUNT_ID: "env-account",
  MODELPLATFORM_BASE_URL: "https://env.example.com",
};

const stack = config({
  "modelplatform:apiKey": "config-key",
  "modelplatform:accountId": "config-account",
  "modelplatform:baseUrl": "https://config.example.com",
});

const provider = { apiKey: "provider-key", accountId: "provider-account", baseUrl: "https://provider.example.com" };

test.each([
  [{ env }, "env"],
  [{ env, config: stack }, "config"],
  [{ env, config: stack, provider }, "provider"],
])("explicit provider goes before config, and config before environment (%#)", (given, source) => {
  const settings = resolveSettings(given);
  expect(settings.accountId).toBe(`${source}-account`);
  expect(keyOf(settings, `${source}-account`)).toBe(`${source}-key`);
  expect(endpointOf(settings, credentialOf(settings, `${source}-account`)).origin).toBe(
    `https://${source}.example.com`,
  );
});

describe("a key of the environment that the stack's config keeps from being used", () => {
  const read = { MODELPLATFORM_ACCOUNT_ID: "acme", MODELPLATFORM_ACCOUNTS: '{"acme": {"apiKey": "read"}}' };
  const file = { MODELPLATFORM_ACCOUNT_ID: "acme", MODELPLATFORM_ACCOUNTS_FILE: "/keys.json" };
  const command = '{"acme": {"keyCommand": ["key-of", "acme"]}}';
  const inConfig = (name: string, value: string) => config({ [`modelplatform:${name}`]: value });

  test.each<[string, Parameters<typeof resolveSettings>[0], object[]]>([
    [
      "is told where `apiKey` wins over `accounts`",
      { env: read, config: inConfig("apiKey", "admin") },
      [{ account: "acme", setting: "apiKey", unused: "the environment variable `MODELPLATFORM_ACCOUNTS`" }],
    ],
    [
      "is told where `accounts` wins over a key command",
      {
        env: { ...read, MODELPLATFORM_ACCOUNTS: command },
        config: inConfig("accounts", '{"acme": {"apiKey": "admin"}}'),
      },
      [{ account: "acme", setting: "accounts", unused: "the environment variable `MODELPLATFORM_ACCOUNTS`" }],
    ],
    [
      "is warned of a file of keys",
      { env: file, config: inConfig("apiKey", "admin"), readFile: () => '{"acme": {"apiKey": "read"}}' },
      [{ account: "acme", setting: "apiKey", unused: expect.stringContaining("/keys.json") }],
    ],
    [
      "is told without a default account",
      { env: { MODELPLATFORM_API_KEY: "read" }, config: inConfig("apiKey", "admin") },
      [{ setting: "apiKey", unused: "the environment variable `MODELPLATFORM_API_KEY`" }],
    ],
    ["is not told where it is the same key", { env: read, config: inConfig("apiKey", "read") }, []],
    [
      "is not told where the same command makes both",
      { env: { ...read, MODELPLATFORM_ACCOUNTS: command }, config: inConfig("accounts", command) },
      [],
    ],
    ["is not warned of another's", { env: read, config: inConfig("accounts", '{"beta": {"apiKey": "b"}}') }, []],
    ["is not warned where the program gives the key", { env: read, provider: { apiKey: "admin" } }, []],
  ])("%s", (_, given, expected) => {
    expect(resolveSettings(given).overruled).toEqual(expected);
  });
});

test("a resource's own account goes before all", () => {
  expect(accountIdOf(resolveSettings({ env }), "mine")).toBe("mine");
  expect(accountIdOf(resolveSettings({ env }))).toBe("env-account");
});

test("empty texts count as absent", () => {
  expect(
    resolveSettings({ env, config: config({ "modelplatform:accountId": "" }), provider: { accountId: undefined } })
      .accountId,
  ).toBe("env-account");
});

test("the other settings have the documented defaults", () => {
  expect(resolveSettings({})).toEqual({
    credentials: [],
    overruled: [],
    hasUnknowns: false,
    preflight: true,
    allowEndpointChange: false,
    retirementNotice: { days: 90 },
    deletionProtection: false,
    ownershipMarker: false,
    recover: "ask",
    updateMask: "snake",
    patchBody: "full",
    operations: {},
  });
});

test("the folder of notes is read from the stack's config as well", () => {
  const config = new Map([["modelplatform:intents", ".modelplatform/intents"]]);
  expect(resolveSettings({ config }).intents).toBe(".modelplatform/intents");
});

test("the other settings are read", () => {
  const settings = resolveSettings({
    provider: { preflight: true, operations: { deleteUser: "off" } },
    env: {
      MODELPLATFORM_RECOVER: "take",
      MODELPLATFORM_ALLOW_ENDPOINT_CHANGE: "1",
      MODELPLATFORM_REQUESTS_PER_SECOND: "2.5",
      MODELPLATFORM_RETIREMENT_DAYS: "60",
      MODELPLATFORM_RETIREMENT_ERROR_DAYS: "0",
      MODELPLATFORM_INTENTS: "/var/intents",
      MODELPLATFORM_DELETION_PROTECTION: "true",
      MODELPLATFORM_OWNERSHIP_MARKER: "true",
    },
  });
  expect(settings).toMatchObject({
    preflight: true,
    operations: { deleteUser: "off" },
    recover: "take",
    allowEndpointChange: true,
    requestsPerSecond: 2.5,
    retirementNotice: { days: 60, errorDays: 0 },
    intents: "/var/intents",
    deletionProtection: true,
    ownershipMarker: true,
  });
  expect(Object.isFrozen(settings)).toBe(true);
});

test.each(settingFields.map(({ name }) => [name]))("the stack's config is read for %s", (name) => {
  const sources = createSources({ config: config({ [`modelplatform:${name}`]: "given" }) });
  expect(sources.find(name)).toMatchObject({ value: "given", from: "project" });
});

test("the environment moves and turns off operations, as the stack's config does", () => {
  const moved = { getSecret: { path: "/v1/accounts/{account}/keys/{secretId}" }, deleteUser: "off" };
  const { operations } = resolveSettings({ env: { MODELPLATFORM_OPERATIONS: JSON.stringify(moved) } });
  expect(operations).toEqual(moved);
});

test.each([
  ["modelplatform:requestPerSecond", "; did you mean `modelplatform:requestsPerSecond`?"],
  ["modelplatform:acountId", "; did you mean `modelplatform:accountId`?"],
  ["modelplatform:colour", ""],
])("`%s` is a key that nothing reads", (key, hint) => {
  const keys = ["modelplatform:baseUrl", "shop:requestPerSecond", key];
  expect(unknownSettingKeys(keys)).toEqual([
    `\`${key}\` is not a setting of pulumi-modelplatform and does nothing${hint}`,
  ]);
});

test("a misspelt variable is reported, and one that merely has the same prefix is not", () => {
  const names = ["MODELPLATFORM_API_KY", "MODELPLATFORM_ACCOUNTS_FILE", "MODELPLATFORM_TEAM", "PATH"];
  expect(unknownSettingVariables(names)).toEqual([
    "`MODELPLATFORM_API_KY` is not a variable that pulumi-modelplatform reads; did you mean `MODELPLATFORM_API_KEY`?",
  ]);
});

const table = { fields: { baseModel: "llm" } };

test.each<Given>([
  { provider: { dialect: table } },
  { config: config({ "modelplatform:dialect": JSON.stringify(table) }) },
  { env: { MODELPLATFORM_DIALECT: ` ${JSON.stringify(table)}` } },
  {
    env: { MODELPLATFORM_DIALECT: "words.json" },
    readFile: (path) => (path === "words.json" ? JSON.stringify(table) : ""),
  },
])("a dialect is given as it is or as a file (%#)", (given) => {
  expect(resolveSettings(given).dialect).toMatchObject({ value: table });
});

test("keys come from accounts, JSON in the environment and a file, the nearest first", () => {
  const settings = resolveSettings({
    provider: { accounts: { a: { apiKey: "a-provider" } } },
    config: config({
      "modelplatform:accounts":
        '{"a": {"apiKey": "a-config"}, "b": {"apiKey": "b-config", "baseUrl": "https://b.example.com"}}',
    }),
    env: {
      ...env,
      MODELPLATFORM_ACCOUNTS: '{"b": {"apiKey": "b-env"}, "c": {"apiKey": "c-env"}}',
      MODELPLATFORM_ACCOUNTS_FILE: "/keys.json",
    },
    readFile: (path) => (path === "/keys.json" ? '{"c": {"apiKey": "c-file"}, "d": {"apiKey": "d-file"}}' : ""),
  });
  expect(["a", "b", "c", "d", "env-account"].map((account) => keyOf(settings, account))).toEqual([
    "a-provider",
    "b-config",
    "c-env",
    "d-file",
    "env-key",
  ]);
  expect(settings.credentials[0]?.account).toBe("env-account");
});

test("a key with a base URL of its own goes nowhere else", () => {
  const settings = resolveSettings({
    provider,
    env: { MODELPLATFORM_ACCOUNTS: '{"eu": {"apiKey": "eu-key", "baseUrl": "https://eu.example.com"}}' },
  });
  expect(endpointOf(settings, credentialOf(settings, "eu")).origin).toBe("https://eu.example.com");
  expect(endpointOf(settings, credentialOf(settings, "provider-account")).origin).toBe("https://provider.example.com");
});

test("of one source, accounts goes before apiKey for the default account", () => {
  expect(
    keyOf(
      resolveSettings({ env: { ...env, MODELPLATFORM_ACCOUNTS: '{"env-account": {"apiKey": "from-accounts"}}' } }),
      "env-account",
    ),
  ).toBe("from-accounts");
});

const emptyConfig = { get: () => undefined };

/** With the keys of twenty accounts in a file. */
const withFile = (given: Readonly<Record<string, string>>) =>
  resolveSettings({
    env: { ...given, MODELPLATFORM_ACCOUNTS_FILE: "/keys.json" },
    readFile: () =>
      JSON.stringify(Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`a${i}`, { apiKey: "k" }]))),
  });

const missing: readonly [what: string, act: () => unknown, says: RegExp][] = [
  [
    "account",
    () => accountIdOf(resolveSettings({ config: emptyConfig })),
    /no account is given.*the provider's `accountId`, the config `modelplatform:accountId` and the environment's `MODELPLATFORM_ACCOUNT_ID`/,
  ],
  [
    "key",
    () => credentialOf(resolveSettings({ config: emptyConfig, env: { MODELPLATFORM_ACCOUNT_ID: "acme" } }), "acme"),
    /no API key for account `acme`.*the config `modelplatform:apiKey`.*`MODELPLATFORM_API_KEY`.* `pulumi config set --secret modelplatform:apiKey`/,
  ],
  [
    "key on the built-in engine",
    () =>
      credentialOf(
        resolveSettings({
          config: emptyConfig,
          env: { MODELPLATFORM_ACCOUNT_ID: "acme", MODELPLATFORM_ENGINE: "built-in" },
        }),
        "acme",
      ),
    /Set it with `npx pulumi-modelplatform config set --secret modelplatform:apiKey`.*`refresh` and `destroy` see .* `--run-program`/,
  ],
  [
    "key where no config is read",
    () => credentialOf(resolveSettings({ env: { MODELPLATFORM_ACCOUNT_ID: "acme" } }), "acme"),
    /for account `acme`: `apiKey` was looked for in the environment's `MODELPLATFORM_API_KEY`\. Export `MODELPLATFORM_API_KEY`\. See /,
  ],
  [
    "key of another account",
    () => credentialOf(resolveSettings({ config: emptyConfig, env }), "other"),
    /no API key for account `other`, as `apiKey` is for the default account `env-account` only: .*`modelplatform:accounts`.*MODELPLATFORM_ACCOUNTS_FILE.*keys are configured for `env-account`\. Set it with/,
  ],
  [
    "key of an account that the file of keys lacks",
    () => credentialOf(withFile({ MODELPLATFORM_ACCOUNT_ID: "a0" }), "other"),
    /^no API key for account `other`: the file `\/keys\.json` \(the environment variable `MODELPLATFORM_ACCOUNTS_FILE`\) has none; keys are configured for `a0`, .*, `a9` and 10 more\. Add it there\. See /,
  ],
  [
    "key of the default account beside a file of keys",
    () => credentialOf(withFile({ MODELPLATFORM_ACCOUNT_ID: "acme" }), "acme"),
    /^no API key for account `acme`: the file `\/keys\.json` .* Add it there\./,
  ],
  [
    "default account beside a key",
    () => credentialOf(resolveSettings({ env: { MODELPLATFORM_API_KEY: "k" } }), "acme"),
    /no `accountId` says whose the `apiKey` is/,
  ],
  [
    "base URL",
    () => endpointOf(resolveSettings({}), { account: "acme", key: new RedactedString("k") }),
    /no base URL is given.*`MODELPLATFORM_BASE_URL`/,
  ],
];

test.each(missing)("a missing %s is one error that names the places searched", (_, act, says) => {
  expect(refusalOf(act).message).toMatch(says);
});

const canary = "canary-key-0123456789";

const wrong: readonly [given: Given, says: RegExp][] = [
  [
    { env: { MODELPLATFORM_BASE_URL: "http://api.example.com" } },
    /the base URL in the environment variable `MODELPLATFORM_BASE_URL` uses http/,
  ],
  [{ provider: { baseUrl: "x" } }, /the provider's `baseUrl` is not a URL/],
  [
    { env: { MODELPLATFORM_ACCOUNT_ID: "a/b" } },
    /"a\/b" in the environment variable `MODELPLATFORM_ACCOUNT_ID` is not an account id/,
  ],
  [{ env: { MODELPLATFORM_ACCOUNT_ID: ".." } }, /is not an account id/],
  [{ env: { MODELPLATFORM_REQUESTS_PER_SECOND: "-1" } }, /not a number above 0/],
  [{ env: { MODELPLATFORM_RETIREMENT_DAYS: "-1" } }, /`MODELPLATFORM_RETIREMENT_DAYS` is not a whole number of days/],
  [{ env: { MODELPLATFORM_RETIREMENT_ERROR_DAYS: "soon" } }, /is not a whole number of days/],
  [{ env: { MODELPLATFORM_REQUESTS_PER_SECOND: "many" } }, /not a number above 0/],
  [{ env: { MODELPLATFORM_RECOVER: "never" } }, /`ask`, `take` or `new`\./],
  [{ env: { MODELPLATFORM_UPDATE_MASK: "kebab" } }, /`snake`, `camel` or `off`\./],
  [{ env: { MODELPLATFORM_PATCH_BODY: "none" } }, /`full`, `mutable` or `minimal`\./],
  [{ env: { MODELPLATFORM_PREFLIGHT: "yes" } }, /neither `true` nor `false`/],
  [{ env: { MODELPLATFORM_PREFLIGHT: "constructor" } }, /neither `true` nor `false`/],
  [{ env: { MODELPLATFORM_DIALECT: "{x" } }, /`MODELPLATFORM_DIALECT` is not JSON\. It has the form `\{"fields"/],
  [
    { env: { MODELPLATFORM_DIALECT: "[]" }, readFile: () => "[]" },
    /the file `\[\]` \(the environment variable `MODELPLATFORM_DIALECT`\) is not valid/,
  ],
  [
    { env: { MODELPLATFORM_DIALECT: "/nowhere.json" } },
    /the file `\/nowhere\.json` \(the environment variable `MODELPLATFORM_DIALECT`\) cannot be read \(ENOENT\)/,
  ],
  [
    { env: { MODELPLATFORM_API_KEY: `${canary}\nx` } },
    /the API key from the environment variable `MODELPLATFORM_API_KEY` holds quotes, spaces, line breaks/,
  ],
  [{ env: { MODELPLATFORM_API_KEY: `${canary}ü` } }, /cannot be part of a key/],
  [{ env: { MODELPLATFORM_ACCOUNTS: canary } }, /`MODELPLATFORM_ACCOUNTS` is not JSON/],
  [{ env: { MODELPLATFORM_ACCOUNTS: `{"acme": "${canary}"}` } }, /at `acme`/],
  [{ env: { MODELPLATFORM_ACCOUNTS: `{"acme": {"apikey": "${canary}"}}` } }, /at `acme`/],
  [
    { env: { MODELPLATFORM_ACCOUNTS: `{"acme": {"apiKey": "${canary}", "keyCommand": ["x"]}}` } },
    /either `apiKey` or `keyCommand`/,
  ],
  [{ env: { MODELPLATFORM_ACCOUNTS: `{"a/b": {"apiKey": "${canary}"}}` } }, /is not an account id/],
  [
    { env: { MODELPLATFORM_ACCOUNTS: `{"acme": {"apiKey": "${canary}", "baseUrl": "http://x.example.com"}}` } },
    /the base URL in `acme` of the environment variable `MODELPLATFORM_ACCOUNTS` uses http/,
  ],
  [
    { env: { MODELPLATFORM_ACCOUNTS_FILE: "/nowhere.json" } },
    /the file `\/nowhere\.json` \(the environment variable `MODELPLATFORM_ACCOUNTS_FILE`\) cannot be read \(ENOENT\)/,
  ],
  [
    { env: { MODELPLATFORM_ACCOUNTS_FILE: ` {"acme": {"apiKey": "${canary}"}}` } },
    /the environment variable `MODELPLATFORM_ACCOUNTS_FILE` holds JSON, and not the path of a file\. Put it into a file, or into `MODELPLATFORM_ACCOUNTS`/,
  ],
  [{ config: config({ "modelplatform:operations": "{" }) }, /`modelplatform:operations` is not JSON/],
  [{ config: config({ "modelplatform:operations": '{"deleteUser": "on"}' }) }, /at `deleteUser`/],
];

test.each(wrong)("wrong settings are refused before any request (%#)", (given, says) => {
  const refusal = refusalOf(() => resolveSettings(given));
  expect(refusal.message).toMatch(says);
  expect(inspect(refusal, { depth: 9, showHidden: true })).not.toContain("canary-key");
});

test("settings can be printed without showing a key", () => {
  const settings = resolveSettings({ env: { ...env, MODELPLATFORM_API_KEY: canary } });
  expect(`${inspect(settings, { depth: 9, showHidden: true })}${JSON.stringify(settings)}`).not.toContain("canary");
});

describe("key commands", () => {
  const settings = resolveSettings({
    env: { MODELPLATFORM_ACCOUNTS: JSON.stringify({ acme: { keyCommand: ["vault", "read", "$HOME; rm"] } }) },
  });
  const acme = credentialOf(settings, "acme");

  test("run when the key is first needed, once, with their arguments as they are", async () => {
    const runs: unknown[] = [];
    const seen: string[] = [];
    const keyring = new Keyring(
      (key) => seen.push(key),
      async (...command) => {
        runs.push(command);
        return "made-key\n";
      },
    );
    expect(runs).toEqual([]);
    expect((await Promise.all([keyring.key(acme), keyring.key(acme)])).map((key) => key.reveal())).toEqual([
      "made-key",
      "made-key",
    ]);
    expect(runs).toEqual([["vault", ["read", "$HOME; rm"]]]);
    expect(seen).toEqual(["made-key"]);
  });

  test.each([
    [{ code: "ENOENT" }, "there is no such program"],
    [{ code: 2 }, "exit code 2"],
    [{ killed: true }, "it took too long"],
  ])("that fail with %j are an error without their output, and run once", async (failure, says) => {
    let runs = 0;
    const keyring = new Keyring(
      () => {},
      async () => {
        runs += 1;
        throw Object.assign(new Error(`stderr ${canary}`), failure, { stdout: canary });
      },
    );
    const error = await keyring.key(acme).catch((reason: Error) => reason as Error);
    expect((error as Error).message).toContain(`the key command \`vault\` of account \`acme\` failed (${says})`);
    expect(inspect(error, { depth: 9 })).not.toContain("canary");
    await expect(keyring.key(acme)).rejects.toBe(error);
    expect(runs).toBe(1);
  });

  test("that fail run again after a minute, for a first key and for a new one", async () => {
    let [now, runs] = [0, 0];
    const answers = [undefined, "first", undefined, "second"];
    const keyring = new Keyring(
      () => {},
      async () => answers[runs++] ?? Promise.reject(new Error("out of reach")),
      () => now,
    );
    const outcome = (key: Promise<RedactedString> | undefined) =>
      key!.then(
        (each) => each.reveal(),
        () => "failed",
      );
    expect([await outcome(keyring.key(acme)), await outcome(keyring.key(acme)), runs]).toEqual(["failed", "failed", 1]);
    now += 60_000;
    const first = await keyring.key(acme);
    expect([first.reveal(), await outcome(keyring.renewed(acme, first)), runs]).toEqual(["first", "failed", 3]);
    now += 59_999;
    expect([await outcome(keyring.renewed(acme, first)), runs]).toEqual(["failed", 3]);
    now += 1;
    expect([await outcome(keyring.renewed(acme, first)), await outcome(keyring.key(acme)), runs]).toEqual([
      ...["second", "second"],
      4,
    ]);
  });

  test("that print something other than a key are an error that does not quote it", async () => {
    const keyring = new Keyring(
      () => {},
      async () => `Welcome! ${canary}`,
    );
    await expect(keyring.key(acme)).rejects.toThrow(
      "the API key from the key command `vault` of account `acme` holds quotes, spaces",
    );
  });

  test("really run, without a shell", async () => {
    const real = resolveSettings({
      provider: { accounts: { acme: { keyCommand: [process.execPath, "-p", "process.argv[1]", "$(echo shell)"] } } },
    });
    await expect(new Keyring(() => {}).key(credentialOf(real, "acme"))).rejects.toThrow("holds quotes, spaces");
    const plain = resolveSettings({
      provider: { accounts: { acme: { keyCommand: [process.execPath, "-p", "process.argv[1]", "$HOME"] } } },
    });
    expect((await new Keyring(() => {}).key(credentialOf(plain, "acme"))).reveal()).toBe("$HOME");
  });
});

describe("a key command for all accounts that match a pattern", () => {
  const settings = resolveSettings({
    env: {
      MODELPLATFORM_ACCOUNTS: JSON.stringify({
        "acme-*": { keyCommand: ["vault", "read", "keys/{account}/read"] },
        "acme-7": { apiKey: "own-key" },
      }),
    },
  });
  const commandOf = (account: string) => credentialOf(settings, account).key;

  test("gets the account within an argument, and is one for each account", () => {
    expect(commandOf("acme-8")).toEqual({ command: ["vault", "read", "keys/acme-8/read"] });
    expect(credentialOf(settings, "acme-8")).toBe(credentialOf(settings, "acme-8"));
    expect(keyOf(settings, "acme-7")).toBe("own-key");
    expect(refusalOf(() => commandOf("beta")).message).toContain("no API key for account `beta`");
  });

  test("is none where its id cannot stand in the command, or where another key is meant", () => {
    const all = { "*": { keyCommand: ["vault", "{account}"], baseUrl: "https://eu.example.com" } };
    const env = { MODELPLATFORM_ACCOUNTS: JSON.stringify(all), MODELPLATFORM_BASE_URL: "https://us.example.com" };
    const held = resolveSettings({ env: { ...env, MODELPLATFORM_ACCOUNT_ID: "acme" } });
    expect(["acme", "beta", "a.b"].map((account) => isHeld(held, account))).toEqual([true, true, false]);
    expect(heldAccounts(held)).toEqual(["acme"]);
    expect(["beta", "a.b"].map((account) => addressOf(held, account)?.origin)).toEqual([
      "https://eu.example.com",
      "https://us.example.com",
    ]);
    expect(locationOf(held, "beta").origin).toBe("https://eu.example.com");
    expect([held, resolveSettings({ env: { MODELPLATFORM_BASE_URL: "https://us.example.com" } })].map(hasKey)).toEqual([
      true,
      false,
    ]);
  });

  test.each(["acme-../other", "acme-$(id)", "acme- x", `acme-${"7".repeat(60)}`])(
    "is not run for an account whose id could mean something else: %s",
    (account) => {
      expect(refusalOf(() => commandOf(account)).message).toContain("no key command is run for the account");
    },
  );

  test.each<[object, string]>([
    [{ "*": { apiKey: "one-for-all" } }, "has no `keyCommand` with `{account}`"],
    [{ "*": { keyCommand: ["key-of-{account}"] } }, "has no `keyCommand` with `{account}`"],
    [{ "--version": { keyCommand: ["vault", "{account}"] } }, "no key command is run for the account"],
  ])("has to be one: %j is refused", (accounts, says) => {
    const env = { MODELPLATFORM_ACCOUNTS: JSON.stringify(accounts) };
    expect(refusalOf(() => resolveSettings({ env })).message).toContain(says);
  });
});
