import { join } from "node:path";
import { stateFolder } from "../../files/user-folders";

type Environment = Readonly<Record<string, string | undefined>>;

/** Folder of the ownership journal where none is set. */
export const journalFolder = (env: Environment): string => join(stateFolder(env), "intents");

/** The folder of this run. */
export const journalFolderOf = ({ intents }: { intents?: string }, env: Environment): string =>
  intents ?? journalFolder(env);
