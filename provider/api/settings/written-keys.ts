import { ConfigurationError } from "../../core/errors";
import { RedactedString } from "../../core/redact";
import { AccountKey } from "../../core/settings";
import { isUnknown } from "../../core/values/values";
import { z } from "../../core/zod";
import type { ClientSettings, Credential, KeyPattern, SettingOrigin } from "../types";
import { parseBaseUrl } from "./endpoint";
import { accountPlace, checkedKey, commandFor } from "./keyring";
import { fileNamed, parseSetting, placeOf, type ReadSettingFile, type ResolvedSetting, type Sources } from "./sources";

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

export function checkedAccount(account: string, where: string): string {
  if (/^[^/?#%\s\u0000-\u001f\u007f]+$/.test(account) && !/^(-|\.|\.\.)$/.test(account)) return account;
  throw new ConfigurationError(`${JSON.stringify(account)} in ${where} is not an account id`, {
    advice: "Give the last segment of the account's name, `accounts/<account id>`.",
  });
}
