import { type FileSystem, nodeFiles } from "../../io/files/durable";

const changing = ["write", "overwrite", "rename", "duplicate", "remove", "makeFolder"] as const;

/** Does something while files are changed through `around`, which gets each change and does it. */
export async function withFiles(
  work: () => Promise<unknown>,
  around: (change: string, path: string, go: () => Promise<unknown>) => Promise<unknown>,
): Promise<void> {
  const originals: FileSystem = { ...nodeFiles };
  for (const name of changing) {
    const original = originals[name] as (...args: unknown[]) => Promise<unknown>;
    const changed = (...args: unknown[]): Promise<unknown> => around(name, String(args[0]), () => original(...args));
    Object.assign(nodeFiles, { [name]: changed });
  }
  try {
    await work();
  } finally {
    Object.assign(nodeFiles, originals);
  }
}
