import { type RetirementNotice, usualNoticeDays } from "../../core/declaration/retirement";
import { ConfigurationError } from "../../core/errors";
import { Concealed } from "../../core/redact";
import { oncePer } from "../../core/values/once";
import { z } from "../../core/zod";
import {
  createSources,
  type FoundSetting,
  howToSet,
  placesOf,
  type SettingOrigin,
  type SettingSources,
  type Sources,
} from "../sources";
import { type ClientSettings, type Credential, type Endpoint, methods, type Overrides } from "../types";
import { parseBaseUrl } from "./base-url";
import { fileNamed, type ReadSettingFile, readSettingFile } from "./setting-files";

/**
 * The settings, by precedence: explicit `Provider`, stack config, environment. Everything that is there is
 * validated before any request; what is missing is reported by `accountIdOf`, `credentialOf` and `endpointOf`
 * once it is needed. Throws `ConfigurationError`.
 */
export function resolveSettings({
  readFile = readSettingFile,
  ...given
}: SettingSources & { readFile?: ReadSettingFile }): ClientSettings {
  const sources = createSources(given);
  const accountId = accountIn(sources);
  const endpoint = endpointIn(sources);
  const requestsPerSecond = rateIn(sources);
  const intents = sources.find("intents")?.value;
  const dialect = dialectIn(sources, readFile);
  const validateOnly = sources.find("validateOnly") && oneOf(sources, "validateOnly", ["honored", "ignored"]);
  return Object.freeze({
    ...credentialsIn(sources, accountId, readFile),
    preflight: flag(sources, "preflight"),
    allowEndpointChange: flag(sources, "allowEndpointChange"),
    retirementNotice: noticeIn(sources),
    deletionProtection: flag(sources, "deletionProtection"),
    ownershipMarker: flag(sources, "ownershipMarker"),
    recover: oneOf(sources, "recover", ["ask", "take", "new"]),
    updateMask: oneOf(sources, "updateMask", ["snake", "camel", "off"]),
    patchBody: oneOf(sources, "patchBody", ["full", "mutable", "minimal"]),
    operations: operationsIn(sources),
    configCommand: sources.configCommand,
    accountId,
    endpoint,
    requestsPerSecond,
    intents: typeof intents === "string" ? intents : undefined,
    dialect,
    validateOnly,
  });
}

/** The account of a resource or a call: its own, else the default one. */
export function accountIdOf(settings: ClientSettings, given?: string): string {
  const account = given ?? settings.accountId;
  if (account !== undefined && account !== "") return account;
  throw new ConfigurationError(
    `no account is given: neither \`accountId\` where the resource or call is declared, nor a default account (${placesOf("accountId", settings)})`,
    { advice: howToSet("accountId", settings), topic: "no-key-account-or-base-url" },
  );
}

/** By account; each request asks, of one among thousands. */
const credentialsOf = oncePer(
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
    `no API key for account \`${account}\`${why}: \`${missing}\` was ${placesOf(missing, settings)}${others}`,
    { account, advice: howToSet(missing, settings), topic: "no-key-account-or-base-url" },
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
  throw new ConfigurationError(`no base URL is given (${placesOf("baseUrl", settings)})`, {
    account: credential.account,
    advice: howToSet("baseUrl", settings),
    topic: "no-key-account-or-base-url",
  });
}

/** Whether the service of an account is on this machine. */
export function isLocal(settings: ClientSettings, account = settings.accountId): boolean {
  const credential = settings.credentials.find((candidate) => candidate.account === account);
  return (credential?.endpoint ?? settings.endpoint)?.loopback === true;
}

function accountIn(sources: Sources): string | undefined {
  const found = sources.find("accountId");
  return found && checkedAccount(String(found.value), found.where);
}

function checkedAccount(account: string, where: string): string {
  if (/^[^/?#%\s\u0000-\u001f\u007f]+$/.test(account) && !/^(-|\.|\.\.)$/.test(account)) return account;
  throw new ConfigurationError(`${JSON.stringify(account)} in ${where} is not an account id`, {
    advice: "Give the last segment of the account's name, `accounts/<account id>`.",
  });
}

function endpointIn(sources: Sources): Endpoint | undefined {
  const found = sources.find("baseUrl");
  return found && Object.freeze({ ...parseBaseUrl(String(found.value), found.where), from: found.from });
}

function rateIn(sources: Sources): number | undefined {
  const found = sources.find("requestsPerSecond");
  if (!found) return undefined;
  const rate = Number(found.value);
  if (Number.isFinite(rate) && rate > 0) return rate;
  throw new ConfigurationError(`${found.where} is not a number above 0`, {
    advice: "Give the number of requests per second that an account may send, such as `5`, or remove it.",
  });
}

function noticeIn(sources: Sources): RetirementNotice {
  return {
    days: daysIn(sources, "retirementDays") ?? usualNoticeDays,
    errorDays: daysIn(sources, "retirementErrorDays"),
  };
}

function daysIn(sources: Sources, name: string): number | undefined {
  const found = sources.find(name);
  if (!found) return undefined;
  const days = Number(found.value);
  if (Number.isInteger(days) && days >= 0) return days;
  throw new ConfigurationError(`${found.where} is not a whole number of days`, {
    advice: "Give a number from 0 on, such as `90`, or remove it.",
  });
}

function flag(sources: Sources, name: string): boolean {
  const found = sources.find(name);
  const text = String(found?.value ?? "false").toLowerCase();
  if (found === undefined || ["true", "1", "false", "0"].includes(text)) return text === "true" || text === "1";
  throw new ConfigurationError(`${found.where} is neither \`true\` nor \`false\``, { advice: "Give one of the two." });
}

function oneOf<const V extends readonly [string, ...string[]]>(sources: Sources, name: string, values: V): V[number] {
  const found = sources.find(name);
  if (found === undefined) return values[0];
  if (values.includes(String(found.value))) return String(found.value);
  throw new ConfigurationError(`${found.where} is not one of the allowed values`, {
    advice: `Give ${values.map((value) => `\`${value}\``).join(", ")}.`,
  });
}

const AccountEntry = z
  .strictObject({
    apiKey: z.string().optional(),
    keyCommand: z.array(z.string()).min(1).optional(),
    baseUrl: z.string().optional(),
  })
  .refine((entry) => (entry.apiKey === undefined) !== (entry.keyCommand === undefined), {
    error: "must have either `apiKey` or `keyCommand`",
  });

const Accounts = z.record(z.string(), AccountEntry);

const OperationsSetting = z.record(
  z.string(),
  z.union([
    z.literal("off"),
    z.strictObject({
      path: z.string().optional(),
      idParam: z.string().optional(),
      wrap: z.string().optional(),
      method: z.enum(methods).optional(),
    }),
  ]),
);

function operationsIn(sources: Sources): Overrides {
  const found = sources.find("operations");
  return Object.freeze(
    found
      ? parse(
          OperationsSetting,
          found.value,
          found.where,
          '`{"<operation>": {"path", "idParam", "wrap", "method"} or "off"}`',
        )
      : {},
  );
}

/** A key, and where it was found. */
interface FoundKey {
  credential: Credential;
  setting: string;
  where: string;
}

/**
 * By source, `accounts` before `apiKey`; the first source that has a key for an account wins. Keys of the environment
 * that a stack's config keeps from being used are `overruled`: whoever gave them expects them to be used.
 */
function credentialsIn(
  sources: Sources,
  accountId: string | undefined,
  readFile: ReadSettingFile,
): Pick<ClientSettings, "credentials" | "overruled"> {
  const found = sources.all.flatMap((source) => keysIn(source, accountId, readFile));
  const used = firstByAccount(found);
  const given = firstByAccount(found.filter(({ credential }) => credential.from === "environment"));
  const overruled = [...given.values()].flatMap(({ credential: { account, key }, where }) => {
    const winner = used.get(account)!;
    if (winner.credential.from !== "project" || isSame(key, winner.credential.key)) return [];
    return { account, setting: winner.setting, unused: where };
  });
  const credentials = [...used.values()].map(({ credential }) => credential);
  credentials.sort((a, b) => Number(b.account === accountId) - Number(a.account === accountId));
  return { credentials: Object.freeze(credentials), overruled: Object.freeze(overruled) };
}

function firstByAccount(found: readonly FoundKey[]): Map<string | undefined, FoundKey> {
  const first = new Map<string | undefined, FoundKey>();
  for (const key of found) if (!first.has(key.credential.account)) first.set(key.credential.account, key);
  return first;
}

function keysIn(source: Sources["all"][number], accountId: string | undefined, readFile: ReadSettingFile): FoundKey[] {
  const several = accountSettings(source, readFile).flatMap(({ value, where, from }) => {
    const entries = parse(Accounts, value, where, '`{"<account>": {"apiKey" or "keyCommand", "baseUrl"}}`');
    return Object.entries(entries).map(([account, entry]) => ({
      credential: Object.freeze(credentialFrom(checkedAccount(account, where), entry, where, from)),
      ...{ setting: "accounts", where },
    }));
  });
  const apiKey = source("apiKey");
  if (!apiKey) return several;
  const { value, where, from } = apiKey;
  const account = accountId !== undefined && { account: accountId };
  const credential = Object.freeze({ ...account, key: checkedKey(String(value), where), from });
  return [...several, { credential, setting: "apiKey", where }];
}

function isSame(one: Credential["key"], other: Credential["key"]): boolean {
  if (one instanceof Concealed || other instanceof Concealed)
    return one instanceof Concealed && other instanceof Concealed && one.reveal() === other.reveal();
  return JSON.stringify(one.command) === JSON.stringify(other.command);
}

function accountSettings(source: Sources["all"][number], readFile: ReadSettingFile): FoundSetting[] {
  const inline = source("accounts");
  const file = source("accountsFile");
  return [...(inline ? [inline] : []), ...(file ? [fileNamed(file, readFile)] : [])];
}

/** A table, or the path of a file that holds one (A100). It is validated where the messages are known. */
function dialectIn(sources: Sources, readFile: ReadSettingFile): FoundSetting | undefined {
  const found = sources.find("dialect");
  if (!found) return undefined;
  const isPath = typeof found.value === "string" && !found.value.trim().startsWith("{");
  const { value, where } = isPath ? fileNamed(found, readFile) : found;
  return Object.freeze({
    value: parse(
      z.record(z.string(), z.unknown()),
      value,
      where,
      '`{"fields": {ours: theirs}, "values": {ours: theirs}}`',
    ),
    where,
    from: found.from,
  });
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
      ? Object.freeze({ command: Object.freeze(entry.keyCommand) })
      : checkedKey(entry.apiKey!, place),
    from,
    endpoint: entry.baseUrl === undefined ? undefined : Object.freeze({ ...parseBaseUrl(entry.baseUrl, place), from }),
  };
}

/** Whether a value has the quotes that a shell or a file of settings was to take away. */
const isQuoted = (text: string): boolean => /^(["']).*\1$/.test(text);

/** A key must fit into a header. */
export function checkedKey(text: string, where: string): Concealed {
  const key = text.trim();
  if (/^[\x21-\x7e]+$/.test(key) && !isQuoted(key)) return new Concealed(key);
  throw new ConfigurationError(
    `the API key from ${where} ${key === "" ? "is empty" : "holds quotes, spaces, line breaks or characters that cannot be part of a key"}`,
    { advice: "Copy the key again, without quotes." },
  );
}

/**
 * Parses JSON text, or takes a value as it is. What does not fit is described
 * without showing any of it: it may hold keys.
 */
function parse<T>(schema: z.ZodType<T>, value: unknown, where: string, form: string): T {
  const advice = `It has the form ${form}.`;
  let json = value;
  if (typeof value === "string") {
    try {
      json = JSON.parse(value);
    } catch {
      throw new ConfigurationError(`${where} is not JSON`, { advice });
    }
  }
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  const path = issue.path.length === 0 ? "" : `at \`${issue.path.join(".")}\` `;
  throw new ConfigurationError(`${where} is not valid: ${path}${issue.message}`, { advice });
}
