import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where this package keeps what outlives a process: a folder in the user's state directory. */
export const stateFolder = (env: Environment): string => userFolder(env["XDG_STATE_HOME"], ".local", "state");

/** Where it keeps what it can make again: a folder in the user's cache directory. */
export const cacheFolder = (env: Environment): string => userFolder(env["XDG_CACHE_HOME"], ".cache");

const userFolder = (named: string | undefined, ...usual: string[]): string =>
  join(absolute(named) ?? join(homeFolder(), ...usual), "pulumi-modelplatform");

/** An empty or relative folder would lie in the folder that a command is run in, which may be anybody's. */
const absolute = (folder: string | undefined): string | undefined =>
  folder !== undefined && isAbsolute(folder) ? folder : undefined;

const homeFolder = (): string => absolute(homedir()) ?? userInfo().homedir;
