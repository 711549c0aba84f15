import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import promises from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { digestOfKey } from "../../provider/lifecycle/identity/ids";
import { fileIntents, intentsIn } from "../../provider/lifecycle/identity/intents";
import type { Intent } from "../../provider/lifecycle/ports/intents";
import { createHarness } from "./harness";

const intent: Intent = {
  kind: "Deployment",
  urn: "urn:chat",
  origin: "https://api.example.com",
  account: "acme",
  name: "accounts/acme/deployments/chat-1",
  time: 1_700_000_000_000,
  digest: "d",
};

const day = 24 * 60 * 60 * 1000;
const now = intent.time + 1_000;

let folder: string;
/** As a process of its own has them. */
const intents = (at = now) => fileIntents(folder, () => at);
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "intents-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("an intent is found again by origin, account and URN, and by nothing else", async () => {
  await intents().write(intent);
  expect(await intents().find(intent.origin, "acme", "urn:chat")).toEqual(intent);
  expect(await intents().find(intent.origin, "beta", "urn:chat")).toBeUndefined();
  expect(await intents().find("https://other.example.com", "acme", "urn:chat")).toBeUndefined();
});

test("an intent is settled by its own object, and not by another one", async () => {
  const kept = intents();
  await kept.write(intent);
  await kept.settle(intent.origin, "acme", "urn:chat", { name: "accounts/acme/deployments/other" });
  expect((await kept.find(intent.origin, "acme", "urn:chat"))?.settled).toBeUndefined();
  await kept.settle(intent.origin, "acme", "urn:chat", { name: intent.name! });
  expect((await kept.find(intent.origin, "acme", "urn:chat"))?.settled).toBe(true);
});

test("settling an intent that is not there writes nothing", async () => {
  await intents().settle(intent.origin, "acme", "urn:chat", { name: intent.name! });
  expect(readdirSync(folder)).toEqual([]);
});

test("a truncated file counts as no intent", async () => {
  await intents().write(intent);
  const file = join(folder, readdirSync(folder)[0]!);
  writeFileSync(file, readFileSync(file, "utf8").slice(0, 20));
  expect(await intents().find(intent.origin, "acme", "urn:chat")).toBeUndefined();
});

test("a folder that cannot be written is an error that names the setting, before anything is sent", async () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  chmodSync(file, 0o400);
  await expect(fileIntents(join(file, "below"), () => now).write(intent)).rejects.toThrow("MODELPLATFORM_INTENTS");
});

test.each([
  ["ENOSPC", "the disk is full (ENOSPC). Without it, a crash could orphan the object. Free space on it"],
  ["EROFS", "the file system is read-only (EROFS). Without it"],
  ["EACCES", "permission is denied (EACCES). Without it"],
])("a disk that answers %s is an error that names the folder and says what to do", async (code, words) => {
  const refused = Object.assign(new Error(`${code}: some reason, write`), { code });
  const opened = jest.spyOn(promises, "open").mockRejectedValueOnce(refused);
  const error = await fileIntents(folder, () => now)
    .write(intent)
    .catch((thrown: Error) => thrown);
  opened.mockRestore();
  expect(String(error)).toContain(`cannot be written to ${folder}: ${words}`);
  expect(String(error)).toContain("or set `modelplatform:intents` or MODELPLATFORM_INTENTS to a folder");
});

test("the folder and its notes are for this user alone", async () => {
  const below = join(folder, "below");
  await fileIntents(below, () => now).write(intent);
  expect(statSync(below).mode & 0o777).toBe(0o700);
  expect(statSync(join(below, readdirSync(below)[0]!)).mode & 0o777).toBe(0o600);
});

test("no note holds a value of an input: natural keys are digests", async () => {
  const at = await createHarness();
  const { world, create } = at.process();
  const written = jest.spyOn(world.intents, "write");
  await create("User", "ada", { email: "ada@example.com", role: "admin", displayName: "Countess" });
  await create("Secret", "key", { keyName: "STORAGE_KEY", secretId: "other", value: "hidden" });
  expect(written).toHaveBeenCalledTimes(2);
  expect(JSON.stringify(written.mock.calls)).not.toMatch(/example\.com|countess|storage_key|hidden/i);
  await at.close();
});

describe("a note of an earlier release, which holds the natural key", () => {
  const key = JSON.stringify(["ada@example.com"]);
  const { name: _, ...unnamed } = intent;
  const old = { ...unnamed, kind: "User", urn: "urn:ada", key };

  async function leave(): Promise<void> {
    await intents().write(intent);
    const [file] = readdirSync(folder);
    await intents().write({ ...unnamed, kind: "User", urn: "urn:ada" });
    const other = readdirSync(folder).find((name) => name !== file)!;
    writeFileSync(join(folder, other), JSON.stringify(old));
  }

  test("is understood", async () => {
    await leave();
    const found = await intents().find(intent.origin, "acme", "urn:ada");
    expect(found).toMatchObject({ kind: "User", keyDigest: digestOfKey("User", "acme", key) });
    expect(JSON.stringify([found, await intentsIn(folder)])).not.toContain("ada@example.com");
  });

  test("is written again without it", async () => {
    await leave();
    const before = await intents().find(intent.origin, "acme", "urn:ada");
    await intents().write(intent);
    const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
    expect(texts).toHaveLength(2);
    expect(texts.join()).not.toContain("ada@example.com");
    expect(await intents().find(intent.origin, "acme", "urn:ada")).toEqual(before);
  });
});

describe("the first note that a process writes", () => {
  const another = { ...intent, urn: "urn:another" };
  const urns = async (): Promise<string[]> => (await intentsIn(folder)).map(({ urn }) => urn).sort();

  test.each([
    ["settled", 30, { settled: true as const }],
    ["open", 180, {}],
  ])("removes %s notes that are older than %i days, and no younger ones", async (_, days, more) => {
    await intents().write({ ...intent, ...more });
    await intents(intent.time + days * day).write({ ...another, time: intent.time + days * day });
    expect(await urns()).toEqual(["urn:another", "urn:chat"]);
    await intents(intent.time + days * day + 1).write({ ...another, time: intent.time + days * day });
    expect(await urns()).toEqual(["urn:another"]);
  });

  test("removes files that broken writes left a day ago, and no others", async () => {
    await intents().write(intent);
    const note = join(folder, readdirSync(folder)[0]!);
    const leave = (name: string, age: number): string => {
      writeFileSync(name, '{"kind":');
      utimesSync(name, (now - age) / 1_000, (now - age) / 1_000);
      return name;
    };
    const uuid = "00000000-0000-4000-8000-00000000000";
    leave(`${note}.${uuid}1`, 2 * day);
    const young = leave(`${note}.${uuid}2`, day / 2);
    leave(join(folder, `${"a".repeat(40)}.json`), 2 * day);
    const torn = leave(join(folder, `${"b".repeat(40)}.json`), day / 2);
    const foreign = [leave(join(folder, "README.md"), 9 * day), leave(join(folder, "settings.json"), 9 * day)];
    await intents().write(intent);
    const left = readdirSync(folder).map((name) => join(folder, name));
    expect(left.sort()).toEqual([note, young, torn, ...foreign].sort());
  });

  test("is the only one that looks for old ones", async () => {
    const kept = intents(intent.time + 31 * day);
    await kept.write(another);
    await kept.write({ ...intent, settled: true });
    await kept.write(another);
    expect(await urns()).toEqual(["urn:another", "urn:chat"]);
  });

  test("keeps what another process writes again while it removes the old one", async () => {
    await intents().write({ ...intent, settled: true });
    const late = intent.time + 31 * day;
    const fresh = { ...intent, time: late };
    const others = Array.from({ length: 8 }, (_, index) => intents(late).write({ ...another, urn: `urn:${index}` }));
    await Promise.all([...others, fileIntents(folder, () => late).write(fresh)]);
    expect(await intents().find(intent.origin, "acme", "urn:chat")).toEqual(fresh);
    expect(readdirSync(folder).filter((name) => !name.endsWith(".json"))).toEqual([]);
  });

  test("succeeds where the folder cannot be tidied", async () => {
    await intents().write({ ...intent, settled: true });
    const file = join(folder, readdirSync(folder)[0]!);
    rmSync(file);
    renameSync(mkdtempSync(join(tmpdir(), "intents-")), file);
    await intents(intent.time + 31 * day).write(another);
    expect(await urns()).toEqual(["urn:another"]);
  });
});
