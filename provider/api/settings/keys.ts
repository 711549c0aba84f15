import { ConfigurationError } from "../../core/errors";
import { RedactedString } from "../../core/redact";
import { isUnknown } from "../../core/values/unknowns";
import { z } from "../../core/zod";
import type { ClientSettings, Credential, SettingOrigin } from "../types";
import { parseBaseUrl } from "./base-url";
import { fileNamed, parseSetting, type ReadSettingFile, type ResolvedSetting, type Sources } from "./sources";

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

/** A key, and where it was found. */
interface KeyCandidate {
  credential: Credential;
  setting: string;
  where: string;
}

/**
 * By source, `accounts` before `apiKey`; the first source that has a key for an account wins. Keys of the environment
 * that a stack's config keeps from being used are `overruled`: whoever gave them expects them to be used.
 */
export function credentialsIn(
  sources: Sources,
  accountId: string | undefined,
  readFile: ReadSettingFile,
): Pick<ClientSettings, "credentials" | "overriddenKeys"> {
  const candidates = sources.all.flatMap((source) => keysIn(source, accountId, readFile));
  const used = firstByAccount(candidates);
  const environmentKeys = firstByAccount(candidates.filter(({ credential }) => credential.from === "environment"));
  const overruled = [...environmentKeys.values()].flatMap(({ credential: { account, key }, where }) => {
    const winner = used.get(account)!;
    if (winner.credential.from !== "project" || isSame(key, winner.credential.key)) return [];
    return { account, setting: winner.setting, unused: where };
  });
  const credentials = [...used.values()].map(({ credential }) => credential);
  credentials.sort((a, b) => Number(b.account === accountId) - Number(a.account === accountId));
  return { credentials: Object.freeze(credentials), overriddenKeys: Object.freeze(overruled) };
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
): KeyCandidate[] {
  const several = accountSettings(source, readFile).flatMap(({ value, where, from }) => {
    const entries = parseSetting(Accounts, value, where, '`{"<account>": {"apiKey" or "keyCommand", "baseUrl"}}`');
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
      ? Object.freeze({ command: Object.freeze(entry.keyCommand) })
      : checkedKey(entry.apiKey!, place),
    from,
    endpoint: entry.baseUrl === undefined ? undefined : Object.freeze({ ...parseBaseUrl(entry.baseUrl, place), from }),
  };
}

/** Whether a value has the quotes that a shell or a file of settings was to take away. */
const isQuoted = (text: string): boolean => /^(["']).*\1$/.test(text);

/** A key must fit into a header. */
export function checkedKey(text: string, where: string): RedactedString {
  const key = text.trim();
  if (/^[\x21-\x7e]+$/.test(key) && !isQuoted(key)) return new RedactedString(key);
  throw new ConfigurationError(
    `the API key from ${where} ${key === "" ? "is empty" : "holds quotes, spaces, line breaks or characters that cannot be part of a key"}`,
    { advice: "Copy the key again, without quotes." },
  );
}

export function checkedAccount(account: string, where: string): string {
  if (/^[^/?#%\s\u0000-\u001f\u007f]+$/.test(account) && !/^(-|\.|\.\.)$/.test(account)) return account;
  throw new ConfigurationError(`${JSON.stringify(account)} in ${where} is not an account id`, {
    advice: "Give the last segment of the account's name, `accounts/<account id>`.",
  });
}
