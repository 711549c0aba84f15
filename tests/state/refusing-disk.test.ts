import { join } from "node:path";
import { openBackend } from "../../engine/state/backend";
import { layoutOf } from "../../engine/state/layout";
import { StackFiles, type UpdateRecord } from "../../engine/state/stack-files";
import { type FileSystem, nodeFiles, replacePublic } from "../../io/files/durable";
import { resource, snapshotOf } from "./states";
import { temporaryFolder } from "./temporary-folder";

const remedies: readonly [code: string, words: string][] = [
  ["ENOSPC", "the disk is full (ENOSPC). Free space on it, and run the command again."],
  ["EDQUOT", "the quota of the disk is used up (EDQUOT). Free space in it, and run the command again."],
  ["EROFS", "the file system is read-only (EROFS). Mount it for writing, or use a folder elsewhere, and run"],
  ["EACCES", "permission is denied (EACCES). Check the owner and the rights of the file and of its folder, and run"],
];

/** As the system puts it: a write that fails names no file. */
const failure = (code: string): Error => Object.assign(new Error(`${code}: some reason, write`), { code });

/** A disk that refuses to write what `pattern` matches. */
const refusing = (code: string, pattern: RegExp): FileSystem => ({
  ...nodeFiles,
  write: (path, ...rest) => (pattern.test(path) ? Promise.reject(failure(code)) : nodeFiles.write(path, ...rest)),
});

const record: UpdateRecord = {
  ...{ kind: "update", startTime: 1, endTime: 2, message: "", environment: {}, config: {} },
  ...{ result: "succeeded", resourceChanges: { create: 1 } },
};
const snapshot = snapshotOf([resource("chat")]);

describe.each(remedies)("a disk that answers %s", (code, words) => {
  let root: string;
  beforeEach(() => void (root = temporaryFolder()));

  const stackOn = (files: FileSystem) =>
    new StackFiles({ project: "demo", name: "dev", layout: layoutOf(root, "demo", "dev"), files, clock: () => now });
  const now = new Date("2026-01-02T03:04:05Z");
  const backendOn = (files: FileSystem) => openBackend(`file://${root}`, { files, home: join(root, "home"), env: {} });

  test("names the state, and not the file beside it", async () => {
    const state = join(root, ".pulumi/stacks/demo/dev.json");
    const saved = stackOn(refusing(code, /dev\.json/)).save(snapshot);
    await expect(saved).rejects.toThrow(`${state} cannot be written: ${words}`);
  });

  test("names the history", async () => {
    const stack = stackOn(refusing(code, /history/));
    await stack.save(snapshot);
    await expect(stack.record(record)).rejects.toThrow(
      /\/history\/demo\/dev\/dev-\d+\.history\.json cannot be written/,
    );
    await expect(stack.record(record)).rejects.toThrow(words);
  });

  test("names the lock", async () => {
    await backendOn(nodeFiles).createStack("demo", "dev");
    const backend = backendOn(refusing(code, /\/locks\//));
    const locked = backend.lock("demo", "dev").acquire();
    await expect(locked).rejects.toThrow(/\.pulumi\/locks\/organization\/demo\/dev\/[\w-]+\.json cannot be written/);
    await expect(backend.lock("demo", "dev").acquire()).rejects.toThrow(words);
  });

  test("names the backend before anything else is in it", async () => {
    const made = backendOn(refusing(code, /meta\.yaml/)).createStack("demo", "dev");
    await expect(made).rejects.toThrow(
      `The backend file://${root} cannot be written to: ${join(root, ".pulumi/meta.yaml")} cannot be written: ${words}`,
    );
  });

  test("names any other file", async () => {
    const file = join(root, "Pulumi.dev.yaml");
    const written = replacePublic(refusing(code, /Pulumi\.dev/), file, Buffer.from("config: {}\n"));
    await expect(written).rejects.toThrow(`${file} cannot be written: ${words}`);
  });

  test("keeps its code, for those that continue without the file", async () => {
    const written = replacePublic(refusing(code, /./), join(root, "file"), Buffer.from(""));
    await expect(written).rejects.toMatchObject({ code });
  });
});
