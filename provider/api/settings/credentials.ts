import { firstOf } from "../../../io/text/first-of";
import { anything, literalSteps, matches, type PatternStep } from "../../../io/text/glob";
import { ConfigurationError, type Guidance } from "../../core/errors";
import { type Parameters, parametersOf } from "../../core/values/names";
import { memoizeByKey } from "../../core/values/once";
import { omitUndefined } from "../../core/values/values";
import type { ApiOperation, ClientSettings, Credential, Endpoint, KeyPattern } from "../types";
import { baseOf } from "./endpoint";
import { commandFor, isArgument, refusalOf } from "./keyring";
import { describeSources, setupAdvice } from "./sources";

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
  return firstOf(names, { most: mostNames });
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
