import { runProgram } from "../../../io/programs";
import { anything, literalSteps, matches, type PatternStep } from "../../../io/text/glob";
import { ConfigurationError, type Guidance, isModelPlatformError } from "../../core/errors";
import { RedactedString } from "../../core/redact";
import { AccountKey, settingKey } from "../../core/settings";
import { type Parameters, parametersOf } from "../../core/values/names";
import { memoizeByKey } from "../../core/values/once";
import { isUnknown, omitUndefined } from "../../core/values/values";
import { z } from "../../core/zod";
import { systemTime, type Time, within } from "../time";
import type {
  ApiOperation,
  ClientSettings,
  Credential,
  Endpoint,
  KeyPattern,
  OverriddenKey,
  SettingOrigin,
} from "../types";
import { baseOf, parseBaseUrl } from "./endpoint";
import {
  describeSources,
  fileNamed,
  parseSetting,
  placeOf,
  type ReadSettingFile,
  type ResolvedSetting,
  type Sources,
  setupAdvice,
} from "./sources";

const AccountEntry = AccountKey.refine((entry) => (entry.apiKey === undefined) !== (entry.keyCommand === undefined), {
  error: "must have either `apiKey` or `keyCommand`",
});

const Accounts = z.record(z.string(), AccountEntry);

/** A key, and the source that has it. */
interface KeyCandidate {
  credential: Credential;
  setting: string;
  where: string;
}

/**
 * By source, `accounts` before `apiKey`; the first source that has a key for an account wins. Environment keys that a
 * stack's config keeps from being used are `overruled`: the user expects them to be used.
 */
export function credentialsIn(
  sources: Sources,
  accountId: string | undefined,
  readFile: ReadSettingFile,
): Pick<ClientSettings, "credentials" | "keyPatterns" | "keysFile" | "overruled"> {
  const found = sources.all.map((source) => keysIn(source, accountId, readFile));
  const candidates = found.flatMap(({ keys }) => keys);
  const used = firstByAccount(candidates);
  const environmentKeys = firstByAccount(candidates.filter(({ credential }) => credential.from === "environment"));
  const overruled = [...environmentKeys.values()].flatMap(({ credential: { account, key }, where }) => {
    const winner = used.get(account)!;
    if (winner.credential.from !== "project" || isSame(key, winner.credential.key)) return [];
    return { account, setting: winner.setting, unused: where };
  });
  const credentials = [...used.values()].map(({ credential }) => credential);
  credentials.sort((a, b) => Number(b.account === accountId) - Number(a.account === accountId));
  const patterns = found.flatMap((source) => source.patterns);
  const file = sources.find("accountsFile");
  return {
    credentials: Object.freeze(credentials),
    ...(patterns.length > 0 && { keyPatterns: Object.freeze(patterns) }),
    ...(file && { keysFile: placeOf(file) }),
    overruled: Object.freeze(overruled),
  };
}

function firstByAccount(candidates: readonly KeyCandidate[]): Map<string | undefined, KeyCandidate> {
  const first = new Map<string | undefined, KeyCandidate>();
  for (const key of candidates) if (!first.has(key.credential.account)) first.set(key.credential.account, key);
  return first;
}

function keysIn(
  source: Sources["all"][number],
  accountId: string | undefined,
  readFile: ReadSettingFile,
): { keys: KeyCandidate[]; patterns: KeyPattern[] } {
  const entries = accountSettings(source, readFile).flatMap(({ value, where, from }) =>
    Object.entries(parseSetting(Accounts, value, where, '`{"<account>": {"apiKey" or "keyCommand", "baseUrl"}}`')).map(
      ([account, entry]) => ({ account: checkedAccount(account, where), entry, where, from }),
    ),
  );
  const patterns = entries.filter(({ account }) => isPattern(account)).map(patternFrom);
  const several = entries
    .filter(({ account }) => !isPattern(account))
    .map(({ account, entry, where, from }) => ({
      credential: Object.freeze(credentialFrom(account, entry, where, from)),
      ...{ setting: "accounts", where },
    }));
  const apiKey = source("apiKey");
  if (!apiKey) return { keys: several, patterns };
  const { value, where, from } = apiKey;
  const account = accountId !== undefined && { account: accountId };
  const credential = Object.freeze({ ...account, key: checkedKey(String(value), where), from });
  return { keys: [...several, { credential, setting: "apiKey", where }], patterns };
}

const isPattern = (account: string): boolean => account.includes("*");

interface WrittenEntry {
  account: string;
  entry: z.infer<typeof AccountEntry>;
  where: string;
  from: SettingOrigin;
}

/** One key for all would go to accounts that it is not meant for, so that only a command makes keys of many. */
function patternFrom({ account: pattern, entry, where, from }: WrittenEntry): KeyPattern {
  const place = `\`${pattern}\` of ${where}`;
  const [, ...args] = entry.keyCommand ?? [];
  if (!args.some((text) => text.includes(accountPlace)))
    throw new ConfigurationError(
      `${place} stands for several accounts, and has no \`keyCommand\` with \`${accountPlace}\``,
      {
        advice: `Give a command that prints the key of each, such as \`["vault", "read", "keys/${accountPlace}"]\`.`,
      },
    );
  const endpoint =
    entry.baseUrl === undefined ? undefined : Object.freeze({ ...parseBaseUrl(entry.baseUrl, place), from });
  return Object.freeze({ pattern, command: Object.freeze(entry.keyCommand!), from, endpoint });
}

/** Stands for the account in the arguments of a key command. */
const accountPlace = "{account}";

/** Whether an id can stand in a command and mean nothing else. */
const isArgument = (account: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/.test(account);

/** The command for one account. No shell reads it, and an id that could be an option or a path elsewhere is refused. */
function commandFor(account: string, [file, ...args]: readonly string[]): readonly string[] {
  if (!args.some((text) => text.includes(accountPlace))) return [file!, ...args];
  if (!isArgument(account)) throw refusalOf(account);
  return [file!, ...args.map((text) => text.replaceAll(accountPlace, account))];
}

const refusalOf = (account: string): ConfigurationError =>
  new ConfigurationError(
    `no key command is run for the account ${JSON.stringify(account)}: its id is not 1 to 63 letters, digits, \`-\` and \`_\` that begin with a letter or a digit`,
    { advice: "Give the account a key of its own.", account },
  );

function isSame(one: Credential["key"], other: Credential["key"]): boolean {
  if (one instanceof RedactedString || other instanceof RedactedString)
    return one instanceof RedactedString && other instanceof RedactedString && one.reveal() === other.reveal();
  return JSON.stringify(one.command) === JSON.stringify(other.command);
}

function accountSettings(source: Sources["all"][number], readFile: ReadSettingFile): ResolvedSetting[] {
  const known = source("accounts");
  const inline = isUnknown(known?.value) ? undefined : known;
  const file = source("accountsFile");
  return [...(inline ? [inline] : []), ...(file ? [fileNamed(file, readFile)] : [])];
}

function credentialFrom(
  account: string,
  entry: z.infer<typeof AccountEntry>,
  where: string,
  from: SettingOrigin,
): Credential {
  const place = `\`${account}\` of ${where}`;
  return {
    account,
    key: entry.keyCommand
      ? Object.freeze({ command: Object.freeze(commandFor(account, entry.keyCommand)) })
      : checkedKey(entry.apiKey!, place),
    from,
    endpoint: entry.baseUrl === undefined ? undefined : Object.freeze({ ...parseBaseUrl(entry.baseUrl, place), from }),
  };
}

/** Whether a value has the quotes that a shell or a file of settings was to take away. */
const isQuoted = (text: string): boolean => /^(["']).*\1$/.test(text);

/** A key must fit into a header. */
function checkedKey(text: string, where: string, account?: string): RedactedString {
  const key = text.trim();
  if (/^[\x21-\x7e]+$/.test(key) && !isQuoted(key)) return new RedactedString(key);
  throw new ConfigurationError(
    `the API key from ${where} ${key === "" ? "is empty" : "holds quotes, spaces, line breaks or characters that cannot be part of a key"}`,
    { advice: "Copy the key again, without quotes.", account },
  );
}

export function checkedAccount(account: string, where: string): string {
  if (/^[^/?#%\s\u0000-\u001f\u007f]+$/.test(account) && !/^(-|\.|\.\.)$/.test(account)) return account;
  throw new ConfigurationError(`${JSON.stringify(account)} in ${where} is not an account id`, {
    advice: "Give the last segment of the account's name, `accounts/<account id>`.",
  });
}

/** What to do where nothing can be sent without a setting. */
const guidanceFor = (name: string, settings: ClientSettings): Guidance => ({
  advice: setupAdvice(name, settings),
  topic: "no-key-account-or-base-url",
});

/** The account of a resource or a call: its own, else the default one. */
export function accountIdOf(settings: ClientSettings, requested?: string): string {
  const account = requested ?? settings.accountId;
  if (account !== undefined && account !== "") return account;
  throw new ConfigurationError(
    `no account is given: neither \`accountId\` where the resource or call is declared, nor a default account (${describeSources("accountId", settings)})`,
    guidanceFor("accountId", settings),
  );
}

/** By account: each request looks up one among thousands. */
const credentialsOf = memoizeByKey(
  ({ credentials }: ClientSettings) =>
    new Map([...credentials].reverse().map((credential) => [credential.account, credential])),
);

/** By account: the keys that patterns have made. A command's key is kept by the object that names the command. */
const madeOf = memoizeByKey((_: ClientSettings) => new Map<string, Credential>());

const patternFor = memoizeByKey(({ keyPatterns = [] }: ClientSettings) => {
  const compiled = keyPatterns.map((entry) => ({ entry, steps: stepsOf(entry.pattern) }));
  return (account: string): KeyPattern | undefined =>
    account === "-" || account === "platform"
      ? undefined
      : compiled.find(({ steps }) => matches(steps, account))?.entry;
});

const stepsOf = (pattern: string): PatternStep[] =>
  pattern.split("*").flatMap((text, index) => [...(index === 0 ? [] : [{ many: anything }]), ...literalSteps(text)]);

/** Whether there is a key for the account. */
export const isHeld = (settings: ClientSettings, account: string): boolean =>
  credentialsOf(settings).has(account) || (isArgument(account) && patternFor(settings)(account) !== undefined);

/** Whether there is a key for any account, and an address that it may be sent to. */
export const hasKey = ({ credentials, keyPatterns = [], endpoint }: ClientSettings): boolean =>
  [...credentials, ...keyPatterns].some((each) => (each.endpoint ?? endpoint) !== undefined);

/** Accounts whose keys are known, that of the default account first, though a pattern makes its key. */
export function heldAccounts(settings: ClientSettings): string[] {
  const { accountId, credentials } = settings;
  const ofDefault = accountId !== undefined && isHeld(settings, accountId) ? [accountId] : [];
  return [...new Set([...ofDefault, ...credentials.flatMap(({ account }) => account ?? [])])];
}

/** The account's own key, or that of the first pattern that it matches. */
function heldCredential(settings: ClientSettings, account: string): Credential | undefined {
  const made = madeOf(settings);
  const known = credentialsOf(settings).get(account) ?? made.get(account);
  const entry = known || !isArgument(account) ? undefined : patternFor(settings)(account);
  if (!entry) return known;
  const { command, endpoint, from } = entry;
  const key = Object.freeze({ command: Object.freeze(commandFor(account, command)) });
  const credential = Object.freeze({ account, key, endpoint, ...omitUndefined({ from }) });
  made.set(account, credential);
  return credential;
}

/** The key of an account. For an unknown account, the error names the searched sources. */
export function credentialOf(settings: ClientSettings, account: string): Credential {
  const credential = heldCredential(settings, account);
  if (credential) return credential;
  if (patternFor(settings)(account)) throw refusalOf(account);
  const held = namesIn(settings);
  const others = held === "" ? "" : `; keys are configured for ${held}`;
  const { missing, why } = missingFor(settings, account);
  if (settings.keysFile !== undefined && missing !== "accountId")
    throw new ConfigurationError(`no API key for account \`${account}\`: ${settings.keysFile} has none${others}`, {
      ...{ account, ...guidanceFor(missing, settings), advice: "Add it there." },
    });
  throw new ConfigurationError(
    `no API key for account \`${account}\`${why}: \`${missing}\` was ${describeSources(missing, settings)}${others}`,
    { account, ...guidanceFor(missing, settings) },
  );
}

const mostNames = 10;

/** The accounts of keys, as far as a line has room. */
function namesIn({ credentials }: ClientSettings): string {
  const names = credentials.flatMap(({ account }) => (account === undefined ? [] : [`\`${account}\``]));
  const more = names.length > mostNames ? `, and ${names.length - mostNames} more` : "";
  return `${names.slice(0, mostNames).join(", ")}${more}`;
}

/** The setting that an account without a key lacks, and the reason. */
function missingFor({ accountId, credentials }: ClientSettings, account: string): { missing: string; why: string } {
  if (account === accountId) return { missing: "apiKey", why: "" };
  if (accountId === undefined && credentials.some((candidate) => candidate.account === undefined))
    return { missing: "accountId", why: ", as no `accountId` says whose the `apiKey` is" };
  const ofDefault = accountId === undefined ? "" : ` \`${accountId}\``;
  return { missing: "accounts", why: `, as \`apiKey\` is for the default account${ofDefault} only` };
}

/** Where a key's requests go. A key with its own base URL goes nowhere else. */
export function endpointOf(settings: ClientSettings, credential: Credential): Endpoint {
  const endpoint = credential.endpoint ?? settings.endpoint;
  if (endpoint) return endpoint;
  throw new ConfigurationError(`no base URL is given (${describeSources("baseUrl", settings)})`, {
    account: credential.account,
    ...guidanceFor("baseUrl", settings),
  });
}

/** Where the objects of an account are. Public ones of an account without a key are read as the default one (A003). */
export const locationOf = (settings: ClientSettings, account: string): Endpoint =>
  endpointOf(settings, credentialOf(settings, isHeld(settings, account) ? account : accountIdOf(settings)));

/** Where requests about an account go, whether there is a key for it or not; undefined without an address. */
export function addressOf(settings: ClientSettings, account = settings.accountId): Endpoint | undefined {
  const credential = account === undefined ? undefined : heldCredential(settings, account);
  return credential?.endpoint ?? settings.endpoint;
}

/** Whether the service of an account is on this machine. */
export const isLocal = (settings: ClientSettings, account?: string): boolean =>
  addressOf(settings, account)?.loopback === true;

/**
 * The key that a call uses (A003): that of `as`; else that of the account in the path, if it is available; else, for
 * what may be public, the default account's.
 */
export function credentialFor(
  operation: ApiOperation,
  settings: ClientSettings,
  parameters: Parameters,
  as?: string,
): Credential {
  if (as !== undefined) return credentialOf(settings, as);
  const inPath = parametersOf(operation.path).includes("account") ? String(parameters["account"]) : undefined;
  const held = inPath === undefined ? undefined : heldCredential(settings, inPath);
  if (held) return held;
  if (inPath !== undefined && !mayBePublic(operation, inPath)) return credentialOf(settings, inPath);
  return defaultCredential(settings);
}

/**
 * Whose key reads an object that may be public where no command prints the key of its account: the default account's
 * (A003), at the same address. Not for lists, which prove that an object is gone.
 */
export function substituteFor(
  operation: ApiOperation,
  settings: ClientSettings,
  own: Credential,
  as?: string,
): Credential | undefined {
  const { account } = own;
  const isMade = account !== undefined && madeOf(settings).get(account) === own;
  if (!isMade || as !== undefined || operation.verb !== "get" || !mayBePublic(operation, account)) return undefined;
  const other = settings.accountId === undefined ? undefined : heldCredential(settings, settings.accountId);
  const isThere = other && baseOf(endpointOf(settings, other)) === baseOf(endpointOf(settings, own));
  return isThere && other !== own ? other : undefined;
}

/**
 * The platform's own account, every account at once, kinds that nobody
 * declares, and kinds with objects that can be public.
 */
function mayBePublic({ spec, effect }: ApiOperation, account: string): boolean {
  if (effect !== "read" && effect !== "readViaPost") return false;
  const declared = spec.operations["create"] !== undefined || spec.singleton === true;
  return (
    account === "platform" ||
    account === "-" ||
    !declared ||
    [...spec.fields.message, ...spec.fields.outputs].some((field) => field.name === "public")
  );
}

function defaultCredential(settings: ClientSettings): Credential {
  const own = credentialsOf(settings).get(settings.accountId);
  if (own) return own;
  if (settings.accountId !== undefined) return credentialOf(settings, settings.accountId);
  if (settings.credentials.length === 1) return settings.credentials[0]!;
  if (settings.credentials.length === 0) return credentialOf(settings, accountIdOf(settings));
  throw new ConfigurationError(`it is not clear which key to use: there are those of ${namesIn(settings)}`, {
    advice: "Name the account with `as`, or set a default account: `modelplatform:accountId`.",
  });
}

/** Runs a program without a shell, and resolves to what it prints. */
export type RunCommand = (file: string, args: readonly string[]) => Promise<string>;

/** Provides the keys of credentials; a key command runs once, when its key is first needed, even where it fails. */
export class Keyring {
  private readonly keys = new Map<Credential, Promise<RedactedString>>();
  private readonly renewals = new WeakMap<RedactedString, Promise<RedactedString>>();

  /** `seen` receives every key before anyone else, so that it stays out of logs. */
  constructor(
    private readonly seen: (key: string) => void,
    private readonly run: RunCommand = commandsWith(process.env),
  ) {}

  /** The first, or the other one where no key can be made for it. */
  available(first: Credential, other: Credential): Promise<Credential> {
    return this.key(first).then(
      () => first,
      () => other,
    );
  }

  key(credential: Credential): Promise<RedactedString> {
    return this.keys.get(credential) ?? this.cacheKey(credential);
  }

  /**
   * A new key for one that the service has rejected and that may have expired: its command runs once more for all
   * callers. Undefined if no command makes the key.
   */
  renewed(credential: Credential, refused: RedactedString): Promise<RedactedString> | undefined {
    if (credential.key instanceof RedactedString) return undefined;
    const renewal = this.renewals.get(refused) ?? this.cacheKey(credential);
    this.renewals.set(refused, renewal);
    return renewal;
  }

  private cacheKey(credential: Credential): Promise<RedactedString> {
    const key = this.read(credential);
    this.keys.set(credential, key);
    // A caller that gives up hears of no failure.
    key.catch(() => undefined);
    return key;
  }

  private async read({ key: source, ...credential }: Credential): Promise<RedactedString> {
    const key = source instanceof RedactedString ? source : await keyFromCommand(credential, source.command, this.run);
    this.seen(key.reveal());
    return key;
  }
}

const commandTimeout = 30_000;
const longestKey = 64 * 1024;

/** Runs programs that are on the PATH of `env`, in a folder. Default: that of this process. */
export const commandsWith =
  (env: Readonly<Record<string, string | undefined>>, cwd = ".", time: Time = systemTime): RunCommand =>
  (file, args) =>
    within(commandTimeout, time, (signal) =>
      runProgram(file, args, { signal, cwd, env: { ...env }, maxBuffer: longestKey }).catch((error: unknown) => {
        throw signal.aborted ? Object.assign(new Error("it took too long"), { killed: true }) : error;
      }),
    );

/** Never prints the command's output, not even on failure: it may be the key. */
async function keyFromCommand(
  { account }: Pick<Credential, "account">,
  command: readonly string[],
  run: RunCommand,
): Promise<RedactedString> {
  const [file, ...args] = command as [string, ...string[]];
  const where = `the key command \`${file}\` of account \`${account}\``;
  try {
    return checkedKey(await run(file, args), where, account);
  } catch (error) {
    if (isModelPlatformError(error)) throw error;
    throw new ConfigurationError(`${where} failed (${failureOf(error)})`, {
      advice: "Run it by hand: it must end with exit code 0 within 30 seconds and print the key and nothing else.",
      account,
    });
  }
}

function failureOf(error: unknown): string {
  const { code, signal, killed } = error as { code?: number | string; signal?: string | null; killed?: boolean };
  if (code === "ENOENT") return "there is no such program";
  if (killed) return "it took too long";
  return typeof code === "number" ? `exit code ${code}` : String(code ?? signal ?? "no reason given");
}

const keyOf = (account: string | undefined): string =>
  `the key of ${account === undefined ? "the default account" : `account \`${account}\``}`;

/** Reports that a key of the environment is not used. */
export const overriddenKeyWarning = ({ account, setting, unused }: OverriddenKey): string =>
  `${keyOf(account)} comes from the config \`${settingKey(setting)}\`, which wins over another one in ${unused}; leave it out of the stack's config where the environment's is meant`;

/**
 * Warns if a program or a project's files decide where a key of the environment is sent, so that the user can stop.
 * Undefined if the environment decides both, and for a service on this machine.
 */
export function foreignDestination(
  { account, from }: Credential,
  { origin, loopback, from: source }: Endpoint,
): string | undefined {
  if (loopback || from !== "environment" || source === undefined || source === from) return undefined;
  const who = source === "project" ? "the stack's config" : "the program";
  return `${keyOf(account)} comes from the environment and is sent to ${origin}, which ${who} names`;
}
