import { execFile } from "node:child_process";
import { ConfigurationError, isModelPlatformError } from "../../core/errors";
import { RedactedString } from "../../core/redact";
import { type Parameters, parametersOf } from "../../core/values/names";
import { memoizeByKey } from "../../core/values/once";
import type { ApiOperation, ClientSettings, Credential, Endpoint } from "../types";
import { checkedKey } from "./keys";
import { describeSources, setupAdvice } from "./sources";

/** The account of a resource or a call: its own, else the default one. */
export function accountIdOf(settings: ClientSettings, requested?: string): string {
  const account = requested ?? settings.accountId;
  if (account !== undefined && account !== "") return account;
  throw new ConfigurationError(
    `no account is given: neither \`accountId\` where the resource or call is declared, nor a default account (${describeSources("accountId", settings)})`,
    { advice: setupAdvice("accountId", settings), topic: "no-key-account-or-base-url" },
  );
}

/** By account; each request asks, of one among thousands. */
const credentialsOf = memoizeByKey(
  ({ credentials }: ClientSettings) =>
    new Map([...credentials].reverse().map((credential) => [credential.account, credential])),
);

/** The key of an account. For an unknown account, the error says where it was looked for. */
export function credentialOf(settings: ClientSettings, account: string): Credential {
  const credential = credentialsOf(settings).get(account);
  if (credential) return credential;
  const { missing, why } = missingFor(settings, account);
  const held = settings.credentials.flatMap((candidate) =>
    candidate.account === undefined ? [] : [`\`${candidate.account}\``],
  );
  const others = held.length === 0 ? "" : `; keys are configured for ${held.join(", ")}`;
  throw new ConfigurationError(
    `no API key for account \`${account}\`${why}: \`${missing}\` was ${describeSources(missing, settings)}${others}`,
    { account, advice: setupAdvice(missing, settings), topic: "no-key-account-or-base-url" },
  );
}

/** The setting that an account without a key lacks, and why that one. */
function missingFor({ accountId, credentials }: ClientSettings, account: string): { missing: string; why: string } {
  if (account === accountId) return { missing: "apiKey", why: "" };
  if (accountId === undefined && credentials.some((candidate) => candidate.account === undefined))
    return { missing: "accountId", why: ", as no `accountId` says whose the `apiKey` is" };
  const ofDefault = accountId === undefined ? "" : ` \`${accountId}\``;
  return { missing: "accounts", why: `, as \`apiKey\` is for the default account${ofDefault} only` };
}

/** Where the requests of a key go. A key with its own base URL goes nowhere else. */
export function endpointOf(settings: ClientSettings, credential: Credential): Endpoint {
  const endpoint = credential.endpoint ?? settings.endpoint;
  if (endpoint) return endpoint;
  throw new ConfigurationError(`no base URL is given (${describeSources("baseUrl", settings)})`, {
    account: credential.account,
    advice: setupAdvice("baseUrl", settings),
    topic: "no-key-account-or-base-url",
  });
}

/** Whether the service of an account is on this machine. */
export function isLocal(settings: ClientSettings, account = settings.accountId): boolean {
  const credential = settings.credentials.find((candidate) => candidate.account === account);
  return (credential?.endpoint ?? settings.endpoint)?.loopback === true;
}

/**
 * Whose key a call uses (A003): that of `as`; else that of the account in the path, where it is held; else, for what
 * can be anyone's to read, the default account's.
 */
export function credentialFor(
  operation: ApiOperation,
  settings: ClientSettings,
  parameters: Parameters,
  as?: string,
): Credential {
  if (as !== undefined) return credentialOf(settings, as);
  const inPath = parametersOf(operation.path).includes("account") ? String(parameters["account"]) : undefined;
  const held = inPath === undefined ? undefined : credentialsOf(settings).get(inPath);
  if (held) return held;
  if (inPath !== undefined && !mayBePublic(operation, inPath)) return credentialOf(settings, inPath);
  return defaultCredential(settings);
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
  const own = settings.credentials.find((credential) => credential.account === settings.accountId);
  if (own) return own;
  if (settings.accountId !== undefined) return credentialOf(settings, settings.accountId);
  if (settings.credentials.length === 1) return settings.credentials[0]!;
  if (settings.credentials.length === 0) return credentialOf(settings, accountIdOf(settings));
  const accounts = settings.credentials.map(({ account }) => `\`${account}\``).join(", ");
  throw new ConfigurationError(`it is not clear which key to use: there are those of ${accounts}`, {
    advice: "Name the account with `as`, or set a default account: `modelplatform:accountId`.",
  });
}

/** Runs a program without a shell and gives what it prints. */
export type RunCommand = (file: string, args: readonly string[]) => Promise<string>;

/** Provides the keys of credentials; a key command runs once, when its key is first needed. */
export class Keyring {
  private readonly keys = new Map<Credential, Promise<RedactedString>>();
  private readonly renewals = new WeakMap<RedactedString, Promise<RedactedString>>();

  /** `seen` receives every key before anyone else, so that it stays out of logs. */
  constructor(
    private readonly seen: (key: string) => void,
    private readonly run: RunCommand = commandsWith(process.env),
  ) {}

  key(credential: Credential): Promise<RedactedString> {
    return this.keys.get(credential) ?? this.cacheKey(credential);
  }

  /**
   * A new key for one that the service has refused, which may have expired: its command runs once more, whoever asks.
   * Undefined if no command makes the key.
   */
  renewed(credential: Credential, refused: RedactedString): Promise<RedactedString> | undefined {
    if (credential.key instanceof RedactedString) return undefined;
    const renewal = this.renewals.get(refused) ?? this.cacheKey(credential);
    this.renewals.set(refused, renewal);
    renewal.catch(() => this.renewals.delete(refused));
    return renewal;
  }

  private cacheKey(credential: Credential): Promise<RedactedString> {
    const key = this.read(credential);
    this.keys.set(credential, key);
    key.catch(() => this.keys.delete(credential));
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
  (env: Readonly<Record<string, string | undefined>>, cwd = "."): RunCommand =>
  (file, args) =>
    new Promise((resolve, reject) => {
      const limits = { timeout: commandTimeout, maxBuffer: longestKey };
      const options = { ...limits, env: { ...env }, cwd, windowsHide: true };
      execFile(file, [...args], options, (error, stdout) => (error ? reject(error) : resolve(stdout)));
    });

/** The command's output is never shown, not even when it fails: it may be the key. */
async function keyFromCommand(
  { account }: Pick<Credential, "account">,
  command: readonly string[],
  run: RunCommand,
): Promise<RedactedString> {
  const [file, ...args] = command as [string, ...string[]];
  const where = `the key command \`${file}\` of account \`${account}\``;
  try {
    return checkedKey(await run(file, args), where);
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
