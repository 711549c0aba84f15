import { readFileSync, statSync } from "node:fs";
import { ConfigurationError } from "../../core/errors";
import type { FoundSetting, SettingOrigin } from "../sources";

/** Reads the file that a setting names; `from`: who gave the name. */
export type ReadSettingFile = (path: string, from: SettingOrigin) => string;

const longest = 16 * 1024 * 1024;

/**
 * Anybody may have written a project's files, and they may name an endless device. Whoever starts a command may pass a
 * pipe.
 */
export const readSettingFile: ReadSettingFile = (path, from) => {
  if (from === "project") refuseEndless(path);
  return readFileSync(path, "utf8");
};

function refuseEndless(path: string): void {
  const stats = statSync(path);
  if (!stats.isFile()) throw unfit("not a file");
  if (stats.size > longest) throw unfit("larger than 16 MB");
}

const unfit = (fault: string): Error => Object.assign(new Error(fault), { code: fault });

/** The text of a file that a setting names. */
export function fileNamed(file: FoundSetting, readFile: ReadSettingFile): FoundSetting {
  const where = `the file \`${String(file.value)}\` (${file.where})`;
  try {
    return { value: readFile(String(file.value), file.from), where, from: file.from };
  } catch (error) {
    throw new ConfigurationError(
      `${where} cannot be read (${(error as NodeJS.ErrnoException).code ?? "no reason given"})`,
      { advice: "Check the path and who may read it." },
    );
  }
}
