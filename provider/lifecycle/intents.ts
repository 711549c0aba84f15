import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { ConfigurationError } from "../core/errors";
import type { Intent, Intents } from "./world";

type Environment = Readonly<Record<string, string | undefined>>;

/** Where this package keeps what outlives a process: a folder in the user's state directory. */
export const stateFolder = (env: Environment): string =>
  join(env["XDG_STATE_HOME"] ?? join(homedir(), ".local", "state"), "pulumi-modelplatform");

/** Folder of creation intents where none is set. */
export const intentsFolder = (env: Environment): string => join(stateFolder(env), "intents");

/** Every intent in the folder; files that are none are passed over. */
export async function intentsIn(folder: string): Promise<Intent[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) =>
    error.code === "ENOENT" ? [] : Promise.reject(error),
  );
  const read = names
    .filter((name) => name.endsWith(".json"))
    .map((name) =>
      readFile(join(folder, name), "utf8")
        .then((text) => JSON.parse(text) as Intent)
        .catch(() => undefined),
    );
  return (await Promise.all(read)).filter((intent) => intent !== undefined);
}

/** Intents as one small file each, written durably: what is in the folder survives a crash of the process and of the machine. */
export function fileIntents(folder: string): Intents {
  const fileOf = (origin: string, account: string, urn: string) =>
    join(
      folder,
      `${createHash("sha256")
        .update(JSON.stringify([origin, account, urn]))
        .digest("hex")
        .slice(0, 40)}.json`,
    );

  async function find(origin: string, account: string, urn: string): Promise<Intent | undefined> {
    try {
      return JSON.parse(await readFile(fileOf(origin, account, urn), "utf8")) as Intent;
    } catch {
      return undefined;
    }
  }

  async function write(intent: Intent): Promise<void> {
    const file = fileOf(intent.origin, intent.account, intent.urn);
    const temporary = `${file}.${randomUUID()}`;
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const handle = await open(temporary, "w", 0o600);
      await handle.writeFile(JSON.stringify(intent));
      await handle.sync();
      await handle.close();
      await rename(temporary, file);
    } catch (cause) {
      throw new ConfigurationError(
        `the note about an object that is about to be made cannot be written to ${folder} (${(cause as NodeJS.ErrnoException).code ?? "unknown error"})`,
        {
          advice:
            "Without it a crash could leave an object that no state knows. Set MODELPLATFORM_INTENTS to a folder that can be written.",
          cause,
        },
      );
    }
  }

  const withdraw = (origin: string, account: string, urn: string): Promise<void> =>
    rm(fileOf(origin, account, urn), { force: true });

  async function settle(origin: string, account: string, urn: string, name: string): Promise<string | undefined> {
    const intent = await find(origin, account, urn);
    if (!intent || intent.settled) return undefined;
    if (intent.name !== undefined && intent.name !== name) return intent.name;
    await write({ ...intent, name, settled: true });
    return undefined;
  }

  return { find, write, withdraw, settle };
}
