import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { journalIn, openAttemptsIn } from "../../provider/lifecycle/journal/journal-files";
import type { Values } from "../../provider/lifecycle/types";
import { rejection } from "../rejection";
import { createHarness, type Harness, type Process } from "./harness";

/** Notes as the release before the journal has left them: written by it, and not changed since. */
const left = join(__dirname, "notes");
/** When the last of them was written. */
const then = Date.parse("2026-01-01T00:12:12.592Z");

const served = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };

/** What that release has made. */
const live: Readonly<Record<string, Values>> = {
  "accounts/acme/users/ada": { role: "user", email: "ada@example.com", createTime: "2026-01-01T00:00:00.000Z" },
  "accounts/acme/users/bob": { role: "admin", email: "bob@example.com", createTime: "2026-01-01T00:04:03.788Z" },
  "accounts/acme/users/cleo": { role: "user", email: "cleo@example.com", createTime: "2026-01-01T00:12:10.484Z" },
  "accounts/acme/deployments/chat-e45f5e2": { ...served, createTime: "2026-01-01T00:00:02.047Z" },
  "accounts/acme/deployments/first": { ...served, createTime: "2026-01-01T00:04:07.003Z" },
  "accounts/acme/deployments/second": { ...served, createTime: "2026-01-01T00:08:08.744Z" },
  "accounts/acme/secrets/storage-key": { keyName: "STORAGE_KEY" },
};

let at: Harness;
let folder: string;
beforeEach(async () => {
  at = await createHarness();
  folder = mkdtempSync(join(tmpdir(), "notes-"));
  for (const name of readdirSync(left)) copyFileSync(join(left, name), join(folder, name));
  await at.clock.sleep(then - at.clock.now());
  for (const [name, object] of Object.entries(live)) await at.put(name, { name, state: "READY", ...object });
});
afterEach(async () => {
  await at.close();
  rmSync(folder, { recursive: true });
});

const upgraded = (): Process => at.process({}, { journal: journalIn(folder, at.clock.now) });

const interrupted = expect.stringContaining("was left by an interrupted run and is taken over");

test.each([
  ["at an automatic id", "Deployment", "chat", served, "accounts/acme/deployments/chat-e45f5e2"],
  [
    "whose declaration has begun another one since",
    "Deployment",
    "moved",
    { ...served, deploymentId: "first" },
    "accounts/acme/deployments/first",
  ],
  [
    "that was proven, and changed since",
    "User",
    "bob",
    { email: "bob@example.com", role: "contributor" },
    "accounts/acme/users/bob",
  ],
  [
    "of which nothing tells when it was made",
    "Secret",
    "key",
    { keyName: "STORAGE_KEY", value: "one" },
    "accounts/acme/secrets/storage-key",
  ],
] as const)("an interrupted create of the release before is resumed: %s", async (_, kind, name, inputs, id) => {
  const process = upgraded();
  expect((await process.create(kind, name, inputs)).id).toBe(id);
  expect(process.messages).toContainEqual(interrupted);
});

test("what a state held is the declaration's own, and what it had adopted is retained", async () => {
  const ada = { email: "ada@example.com", role: "user" };
  expect((await rejection(upgraded().create("User", "ada", ada))).message).toContain(
    "was already created by this declaration",
  );
  const cleo = { email: "cleo@example.com", role: "user", adopt: "overwrite" };
  expect((await upgraded().create("User", "cleo", cleo)).outputs["adopted"]).toBe(true);
});

test("notes are read as facts once: the first fact of their stack takes their place", async () => {
  const before = openAttemptsIn(folder).map(({ place, urn }) => [place.name, urn]);
  expect(before.map(([name]) => name).sort()).toEqual([
    "accounts/acme/deployments/chat-e45f5e2",
    "accounts/acme/deployments/first",
    "accounts/acme/deployments/second",
    "accounts/acme/policySettings",
    "accounts/acme/secrets/storage-key",
    "accounts/acme/users/bob",
  ]);
  const process = upgraded();
  await process.create("Model", "weights", { modelId: "weights", kind: "CUSTOM_MODEL" });
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^[0-9a-f]{40}\.jsonl$/)]);
  expect(openAttemptsIn(folder).map(({ place, urn }) => [place.name, urn])).toEqual(expect.arrayContaining(before));
  expect((await upgraded().create("Deployment", "chat", served)).id).toBe("accounts/acme/deployments/chat-e45f5e2");
});

test("a stack of the same machine that the earlier release still runs keeps its notes", async () => {
  const other = join(folder, "05e5fbb1d6e31a8476fa18f0277adf14bf720376.json");
  writeFileSync(other, readFileSync(other, "utf8").replaceAll("urn:pulumi:test::", "urn:pulumi:dev::"));
  await upgraded().create("Model", "weights", { modelId: "weights", kind: "CUSTOM_MODEL" });
  expect(readdirSync(folder).filter((name) => name.endsWith(".json"))).toEqual([
    "05e5fbb1d6e31a8476fa18f0277adf14bf720376.json",
  ]);
});

test("a note of the first releases is read, and its natural key leaves no trace", async () => {
  const file = join(folder, "1607adafda82bf83c14d8493ef255f2866547192.json");
  const { keyDigest: _, name: _name, made: _made, ...note } = JSON.parse(readFileSync(file, "utf8")) as Values;
  writeFileSync(file, JSON.stringify({ ...note, key: JSON.stringify(["bob@example.com"]) }));
  await at.change("accounts/acme/users/bob", { role: "user" });
  const process = upgraded();
  await process.create("User", "bob", { email: "bob@example.com", role: "contributor" });
  expect(process.messages).toContainEqual(interrupted);
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  expect(texts.join()).not.toContain("bob@example.com");
});

test.each(["{", "[]", "null", '{"kind":"User"}', `{"urn":"${"x".repeat(70_000)}"}`])(
  "a file that is no note is no fact: %.20s",
  async (text) => {
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), text);
    expect(openAttemptsIn(folder)).toEqual([]);
    expect((await upgraded().create("Deployment", "other", served)).id).toContain("/other-");
  },
);
