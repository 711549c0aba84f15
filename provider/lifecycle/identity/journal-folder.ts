import { join } from "node:path";
import { type Environment, stateFolder } from "../../../io/files/user-folders";

/** Folder of the ownership journal where none is set. */
export const journalFolder = (env: Environment): string => join(stateFolder(env), "intents");

/** The folder of this run. */
export const journalFolderOf = ({ intents }: { intents?: string | undefined }, env: Environment): string =>
  intents ?? journalFolder(env);
