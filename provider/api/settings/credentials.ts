import { execFile } from "node:child_process";
import { ConfigurationError, isModelPlatformError } from "../../core/errors";
import { Concealed } from "../../core/redact";
import type { Credential } from "../types";
import { checkedKey } from "./config";

/** Runs a program without a shell and gives what it prints. */
export type RunCommand = (file: string, args: readonly string[]) => Promise<string>;

/** Provides the keys of credentials; a key command runs once, when its key is first needed. */
interface Keyring {
  key(credential: Credential): Promise<Concealed>;
  /**
   * A new key for one that the service has refused: its command runs once more, whoever asks. Undefined if no command
   * makes the key.
   */
  renewed(credential: Credential, refused: Concealed): Promise<Concealed> | undefined;
}

/** `seen` receives every key before anyone else, so that it stays out of logs. */
export function createKeyring(seen: (key: string) => void, run: RunCommand = commandsWith(process.env)): Keyring {
  const made = new Map<Credential, Promise<Concealed>>();
  const renewals = new WeakMap<Concealed, Promise<Concealed>>();

  const make = async ({ key: source, ...credential }: Credential): Promise<Concealed> => {
    const key = source instanceof Concealed ? source : await keyFromCommand(credential, source.command, run);
    seen(key.reveal());
    return key;
  };
  const keep = (credential: Credential): Promise<Concealed> => {
    const key = make(credential);
    made.set(credential, key);
    key.catch(() => made.delete(credential));
    return key;
  };
  return {
    key: (credential) => made.get(credential) ?? keep(credential),
    renewed: (credential, refused) => {
      if (credential.key instanceof Concealed) return undefined;
      const renewal = renewals.get(refused) ?? keep(credential);
      renewals.set(refused, renewal);
      renewal.catch(() => renewals.delete(refused));
      return renewal;
    },
  };
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
): Promise<Concealed> {
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

/** A key from a command may have expired: after a 401 the command runs once more, and a second 401 is the error. */
export async function withKey<T>(
  keyring: Keyring,
  credential: Credential,
  send: (key: string) => Promise<T>,
): Promise<T> {
  const key = await keyring.key(credential);
  try {
    return await send(key.reveal());
  } catch (error) {
    const fresh = isModelPlatformError(error) && error.status === 401 ? keyring.renewed(credential, key) : undefined;
    if (fresh === undefined) throw error;
    return send((await fresh).reveal());
  }
}
