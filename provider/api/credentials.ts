import { execFile } from "node:child_process";
import { ConfigurationError, isModelPlatformError } from "../core/errors";
import { Concealed } from "../core/redact";
import { checkedKey } from "./config";
import type { Credential } from "./types";

/** Runs a program without a shell and gives what it prints. */
export type RunCommand = (file: string, args: readonly string[]) => Promise<string>;

/** Gives the keys of credentials; a key command runs when its key is first needed, and once. */
export interface Keyring {
  key(credential: Credential): Promise<string>;
}

/** `seen` is told every key before anyone else, so that it can be kept out of logs. */
export function createKeyring(seen: (key: string) => void, run: RunCommand = runCommand): Keyring {
  const made = new Map<Credential, Promise<Concealed>>();

  const make = async (credential: Credential): Promise<Concealed> => {
    const key = credential.key instanceof Concealed ? credential.key : await keyFromCommand(credential, credential.key.command, run);
    seen(key.reveal());
    return key;
  };
  return {
    key: async (credential) => {
      let key = made.get(credential);
      if (!key) {
        key = make(credential);
        made.set(credential, key);
        key.catch(() => made.delete(credential));
      }
      return (await key).reveal();
    },
  };
}

const commandTimeout = 30_000;
const longestKey = 64 * 1024;

const runCommand: RunCommand = (file, args) =>
  new Promise((resolve, reject) => {
    execFile(file, [...args], { timeout: commandTimeout, maxBuffer: longestKey, windowsHide: true }, (error, stdout) => (error ? reject(error) : resolve(stdout)));
  });

/** What the command prints is never shown, not even when it fails: it may be the key. */
async function keyFromCommand({ account }: Credential, command: readonly string[], run: RunCommand): Promise<Concealed> {
  const [file, ...args] = command as [string, ...string[]];
  const where = `the key command \`${file}\` of account \`${account}\``;
  try {
    return checkedKey(await run(file, args), where);
  } catch (error) {
    if (isModelPlatformError(error)) throw error;
    throw new ConfigurationError(`${where} failed (${failureOf(error)})`, { advice: "Run it by hand: it must end with exit code 0 within 30 seconds and print the key and nothing else.", ...(account !== undefined && { account }) });
  }
}

function failureOf(error: unknown): string {
  const { code, signal, killed } = error as { code?: number | string; signal?: string | null; killed?: boolean };
  if (code === "ENOENT") return "there is no such program";
  if (killed) return "it took too long";
  return typeof code === "number" ? `exit code ${code}` : String(code ?? signal ?? "no reason given");
}
