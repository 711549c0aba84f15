import { runProgram } from "../../../io/programs";
import { ConfigurationError, isModelPlatformError } from "../../core/errors";
import { RedactedString } from "../../core/redact";
import { systemTime, type Time, within } from "../time";
import type { Credential } from "../types";

/** Stands for the account in the arguments of a key command. */
export const accountPlace = "{account}";

/** Whether an id can stand in a command and mean nothing else. */
export const isArgument = (account: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/.test(account);

/** The command for one account. No shell reads it, and an id that could be an option or a path elsewhere is refused. */
export function commandFor(account: string, [file, ...args]: readonly string[]): readonly string[] {
  if (!args.some((text) => text.includes(accountPlace))) return [file!, ...args];
  if (!isArgument(account)) throw refusalOf(account);
  return [file!, ...args.map((text) => text.replaceAll(accountPlace, account))];
}

export const refusalOf = (account: string): ConfigurationError =>
  new ConfigurationError(
    `no key command is run for the account ${JSON.stringify(account)}: its id is not 1 to 63 letters, digits, \`-\` and \`_\` that begin with a letter or a digit`,
    { advice: "Give the account a key of its own.", account },
  );

/** Whether a value has the quotes that a shell or a file of settings was to take away. */
const isQuoted = (text: string): boolean => /^(["']).*\1$/.test(text);

/** A key must fit into a header. */
export function checkedKey(text: string, where: string, account?: string): RedactedString {
  const key = text.trim();
  if (/^[\x21-\x7e]+$/.test(key) && !isQuoted(key)) return new RedactedString(key);
  throw new ConfigurationError(
    `the API key from ${where} ${key === "" ? "is empty" : "holds quotes, spaces, line breaks or characters that cannot be part of a key"}`,
    { advice: "Copy the key again, without quotes.", account },
  );
}

/** Runs a program without a shell, and resolves to what it prints. */
export type RunCommand = (file: string, args: readonly string[]) => Promise<string>;

/** How long a command that has failed is not run again: a secret store may be out of reach for a while. */
const failureMs = 60_000;

/** Provides keys. A command for one runs once, when its key is first needed; after a failure, once a minute at most. */
export class Keyring {
  private readonly keys = new Map<Credential, Promise<RedactedString>>();
  private readonly renewals = new WeakMap<RedactedString, Promise<RedactedString>>();
  /** When keys could not be had. */
  private readonly failures = new WeakMap<Promise<RedactedString>, number>();

  /** `seen` receives every key, and whose it is, before anyone else, so that it stays out of logs. */
  constructor(
    private readonly seen: (key: string, account: string | undefined) => void,
    private readonly run: RunCommand = commandsWith(process.env),
    private readonly now = systemTime.now,
  ) {}

  /** The first, or the other one where no key can be made for it. */
  available(first: Credential, other: Credential): Promise<Credential> {
    return this.key(first).then(
      () => first,
      () => other,
    );
  }

  key(credential: Credential): Promise<RedactedString> {
    return this.current(this.keys.get(credential)) ?? this.cacheKey(credential);
  }

  /**
   * A new key for one that the service has rejected and that may have expired: its command runs once more for all
   * callers. Undefined if no command makes the key.
   */
  renewed(credential: Credential, refused: RedactedString): Promise<RedactedString> | undefined {
    if (credential.key instanceof RedactedString) return undefined;
    const renewal = this.current(this.renewals.get(refused)) ?? this.cacheKey(credential);
    this.renewals.set(refused, renewal);
    return renewal;
  }

  private cacheKey(credential: Credential): Promise<RedactedString> {
    const key = this.read(credential);
    this.keys.set(credential, key);
    key.catch(() => this.failures.set(key, this.now()));
    return key;
  }

  private current(key: Promise<RedactedString> | undefined): Promise<RedactedString> | undefined {
    const failed = key && this.failures.get(key);
    return failed !== undefined && this.now() - failed >= failureMs ? undefined : key;
  }

  private async read({ key: source, ...credential }: Credential): Promise<RedactedString> {
    const key = source instanceof RedactedString ? source : await keyFromCommand(credential, source.command, this.run);
    this.seen(key.reveal(), credential.account);
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
