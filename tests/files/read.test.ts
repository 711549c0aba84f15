import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readBounded, readBoundedSync } from "../../io/files/read";
import { temporaryFolder } from "../state/temporary-folder";

let path: string;
beforeEach(() => {
  path = join(temporaryFolder(), "file");
});

type Reader = (most: number, fromUser?: boolean) => Promise<Buffer>;
const readers: readonly (readonly [name: string, read: Reader])[] = [
  ["readBounded", (most, fromUser = false) => readBounded(path, most, { fromUser })],
  ["readBoundedSync", async (most, fromUser = false) => readBoundedSync(path, most, { fromUser })],
];

describe.each(readers)("%s", (_, read) => {
  test.each(["", "x", "four", "text of some letters"])("reads %j as it is", async (text) => {
    writeFileSync(path, text);
    expect((await read(text.length)).toString()).toBe(text);
  });

  test("refuses one byte too many", async () => {
    writeFileSync(path, "12345");
    await expect(read(4)).rejects.toThrow(`${path} is not read: it is larger than`);
  });

  test("refuses a file of two gigabytes by its size, and reads none of it", async () => {
    writeFileSync(path, "");
    truncateSync(path, 2 * 1024 ** 3);
    await expect(read(16 * 1024 ** 2)).rejects.toThrow(
      `${path} is not read: it is larger than 16 MB (2,048 MB). Check that it is the right file.`,
    );
  });

  test.each([true, false])("refuses a folder, whether or not the user has named it (%s)", async (fromUser) => {
    mkdirSync(path);
    await expect(read(4, fromUser)).rejects.toMatchObject({ code: "EISDIR", message: expect.stringMatching("folder") });
  });

  test("refuses a pipe and does not wait for its writer", async () => {
    execFileSync("mkfifo", [path]);
    await expect(read(4)).rejects.toThrow("is not a regular file. Put a file in its place.");
  });

  test("reads a pipe that its user has named to the end, up to the ceiling", async () => {
    execFileSync("mkfifo", [path]);
    const write = (text: string) => spawn("sh", ["-c", `printf %s "${text}" > "${path}"`]);
    write("piped");
    expect((await read(5, true)).toString()).toBe("piped");
    write("piped");
    await expect(read(4, true)).rejects.toThrow("it is larger than");
  });

  test("reads no more than the ceiling of a device that never ends", async () => {
    path = "/dev/zero";
    await expect(read(100_000, true)).rejects.toThrow("/dev/zero is not read: it is larger than");
  });

  test("reads a file of the kernel, which has no size", async () => {
    path = "/proc/self/status";
    expect((await read(100_000)).toString()).toMatch(/^Name:/);
  });

  test("leaves system errors as they are", async () => {
    await expect(read(4)).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("a file that changes while it is read", () => {
  /** Appends in each turn that a read leaves, as often as `isWritten` says. */
  async function readBeside(isWritten: (turn: number) => boolean): Promise<Buffer> {
    writeFileSync(path, "x");
    let isOver = false;
    const reading = readBounded(path, 1024 ** 2).finally(() => {
      isOver = true;
    });
    reading.catch(() => undefined);
    for (let turn = 0; !isOver; turn++) {
      if (isWritten(turn)) appendFileSync(path, "x");
      await new Promise(setImmediate);
    }
    return reading;
  }

  test("is read again, and complete", async () => {
    const bytes = await readBeside((turn) => turn < 3);
    expect(bytes.toString()).toBe("xxxx");
  });

  test("is refused where it never stays as it is", async () => {
    await expect(readBeside(() => true)).rejects.toThrow(
      `${path} is not read: it changes while it is read. Run the command again once nobody writes it.`,
    );
  });
});
