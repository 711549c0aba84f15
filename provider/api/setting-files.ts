import { readFileSync, statSync } from "node:fs";
import { ConfigurationError } from "../core/errors";
import type { Found, Origin } from "./sources";

/** Reads the file that a setting names; `from`: whose word the name is. */
export type ReadSettingFile = (path: string, from: Origin) => string;

const longest = 16 * 1024 * 1024;

/**
 * Files of a project may come from anybody, and name a device that never ends.
 * Whoever starts a command may hand over a pipe.
 */
export const readSettingFile: ReadSettingFile = (path, from) => {
  if (from === "project") refuseEndless(path);
  return readFileSync(path, "utf8");
};

function refuseEndless(path: string): void {
  const stats = statSync(path);
  const fault = stats.isFile() ? (stats.size > longest ? "larger than 16 MB" : undefined) : "not a file";
  if (fault !== undefined) throw Object.assign(new Error(fault), { code: fault });
}

/** The text of a file that a setting names. */
export function fileNamed(file: Found, readFile: ReadSettingFile): Found {
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
