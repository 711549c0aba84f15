import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileIntents } from "../../provider/lifecycle/intents";
import type { Intent } from "../../provider/lifecycle/world";

const intent: Intent = {
  kind: "Deployment",
  urn: "urn:chat",
  origin: "https://api.example.com",
  account: "acme",
  name: "accounts/acme/deployments/chat-1",
  time: 1_700_000_000_000,
  digest: "d",
};

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "intents-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("an intent is found again by origin, account and URN, and by nothing else", async () => {
  await fileIntents(folder).write(intent);
  expect(await fileIntents(folder).find(intent.origin, "acme", "urn:chat")).toEqual(intent);
  expect(await fileIntents(folder).find(intent.origin, "beta", "urn:chat")).toBeUndefined();
  expect(await fileIntents(folder).find("https://other.example.com", "acme", "urn:chat")).toBeUndefined();
});

test("an intent is settled when the engine presents its object, and not by another one", async () => {
  const intents = fileIntents(folder);
  await intents.write(intent);
  await intents.settle(intent.origin, "acme", "urn:chat", "accounts/acme/deployments/other");
  expect((await intents.find(intent.origin, "acme", "urn:chat"))?.settled).toBeUndefined();
  await intents.settle(intent.origin, "acme", "urn:chat", intent.name!);
  expect((await intents.find(intent.origin, "acme", "urn:chat"))?.settled).toBe(true);
});

test("settling an intent that is not there writes nothing", async () => {
  await fileIntents(folder).settle(intent.origin, "acme", "urn:chat", intent.name!);
  expect(readdirSync(folder)).toEqual([]);
});

test("a torn file counts as no intent", async () => {
  await fileIntents(folder).write(intent);
  const file = join(folder, readdirSync(folder)[0]!);
  writeFileSync(file, readFileSync(file, "utf8").slice(0, 20));
  expect(await fileIntents(folder).find(intent.origin, "acme", "urn:chat")).toBeUndefined();
});

test("a folder that cannot be written is an error that names the setting, before anything is sent", async () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  chmodSync(file, 0o400);
  await expect(fileIntents(join(file, "below")).write(intent)).rejects.toThrow("MODELPLATFORM_INTENTS");
});
