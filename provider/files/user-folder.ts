import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** This package's folder among those that the user has for caches, such as `~/.cache/pulumi-modelplatform`. */
export const cacheFolder = (env: Environment): string =>
  join(absolute(env["XDG_CACHE_HOME"]) ?? join(homeFolder(), ".cache"), "pulumi-modelplatform");

/** An empty or relative folder would lie in the folder that a command is run in, which may be anybody's. */
const absolute = (folder: string | undefined): string | undefined =>
  folder !== undefined && isAbsolute(folder) ? folder : undefined;

const homeFolder = (): string => absolute(homedir()) ?? userInfo().homedir;
