import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** Where this package keeps what outlives a process: a folder in the user's state directory. */
export const stateFolder = (env: Environment): string =>
  join(absolute(env["XDG_STATE_HOME"]) ?? join(homeFolder(), ".local", "state"), "pulumi-modelplatform");

/** An empty or relative folder would lie in the folder that a command is run in, which may be anybody's. */
const absolute = (folder: string | undefined): string | undefined =>
  folder !== undefined && isAbsolute(folder) ? folder : undefined;

const homeFolder = (): string => absolute(homedir()) ?? userInfo().homedir;

/** Folder of the ownership journal where none is set. */
export const journalFolder = (env: Environment): string => join(stateFolder(env), "intents");

/** The folder of this run. */
export const journalFolderOf = ({ intents }: { intents?: string }, env: Environment): string =>
  intents ?? journalFolder(env);
