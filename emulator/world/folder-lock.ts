import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createFile, removeFile } from "../../io/files/write";

/** Locks of this process. Another process that had the same id once does not hold one. */
const held = new Set<string>();

/**
 * Locks a folder for this process; the returned function releases it. A lock that a killed process left behind is taken
 * over.
 */
export function lockFolder(folder: string): () => void {
  const path = resolve(folder, "emulator.lock");
  if (!tryClaim(path)) {
    const owner = ownerOf(path);
    if (owner !== undefined && (owner === process.pid ? held.has(path) : isAlive(owner)))
      throw new Error(
        `the data folder ${folder} is in use by process ${owner}; stop it, or remove ${path} if that process is not an emulator`,
      );
    removeFile(path);
    if (!tryClaim(path)) throw new Error(`the data folder ${folder} was taken by another process just now`);
  }
  held.add(path);
  let released = false;
  return () => {
    if (released) return;
    released = true;
    held.delete(path);
    removeFile(path);
  };
}

function tryClaim(path: string): boolean {
  try {
    createFile(path, String(process.pid), { durable: false });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function ownerOf(path: string): number | undefined {
  try {
    const owner = Number(readFileSync(path, "utf8"));
    return Number.isInteger(owner) && owner > 0 ? owner : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
