import { readdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { doubtsOf, journalFindings } from "../../cli/platform/doctor/orphans";
import { resolveSettings } from "../../provider/api/settings/config";
import { journalIn } from "../../provider/lifecycle/memory/journal-files";
import { temporaryFolder } from "./terminal";

test("creates that were started long ago and never finished are listed by name", async () => {
  const folder = temporaryFolder();
  const name = "accounts/acme/deployments/chat";
  const about = { kind: "Deployment", urn: "urn:1", origin: "https://x", account: "acme", at: 1_000 };
  const journal = journalIn(folder, () => 1_000);
  await journal.append({ ...about, fact: "sent", id: "1", place: { name }, digest: "d" });
  expect(await journalFindings(folder, 2_000)).toMatchObject([
    { level: "ok", found: expect.stringContaining("1 creates that no later run has shown yet") },
  ]);
  expect(await journalFindings(folder, 2_000, { stack: "urn:1" })).toMatchObject([
    { level: "warning", found: expect.stringContaining("call deleteDeployment --account acme --deployment-id chat") },
  ]);
  expect(await journalFindings(folder, 10_000_000)).toMatchObject([
    { level: "warning", found: expect.stringContaining("accounts/acme/deployments/chat") },
  ]);
  expect(
    await journalFindings(folder, 10_000_000, { recorded: new Map([["urn:1", "accounts/acme/deployments/another"]]) }),
  ).toMatchObject([{ level: "warning" }]);
  expect(await journalFindings(folder, 10_000_000, { recorded: new Map([["urn:1", name]]) })).toMatchObject([
    { level: "ok" },
  ]);
  const elsewhere = { "*": { keyCommand: ["vault", "{account}"], baseUrl: "https://eu.example.com" } };
  const env = { MODELPLATFORM_ACCOUNTS: JSON.stringify(elsewhere), MODELPLATFORM_BASE_URL: about.origin };
  expect(doubtsOf(folder, resolveSettings({ env }), { urns: [], names: [] })).toEqual([]);
  await journal.append({ ...about, fact: "held", object: { name } });
  expect(await journalFindings(folder, 10_000_000)).toMatchObject([{ level: "ok" }]);
  expect(await journalFindings(join(folder, "not", "there"), 0)).toMatchObject([{ level: "ok" }]);
});

test("creates that were sent for one object again are one doubt", async () => {
  const folder = temporaryFolder();
  const object = { name: "accounts/acme/deployments/chat", createTime: "2026-01-01T00:00:00Z" };
  const about = { kind: "Deployment", urn: "urn:1", origin: "https://x", account: "acme", at: 1_000 };
  const journal = journalIn(folder, () => 1_000);
  for (const id of ["1", "2"])
    await journal.append({ ...about, fact: "sent", id, place: { name: object.name }, digest: "d" });
  await journal.append({ ...about, fact: "void", id: "1", refused: true });
  await journal.append({ ...about, fact: "made", object });
  const held = { urns: [], names: [] };
  expect(doubtsOf(folder, undefined, held)).toMatchObject([{ id: "2", created: object }]);
  await journal.append({
    ...about,
    fact: "sent",
    id: "3",
    place: { name: "accounts/acme/deployments/2" },
    digest: "d",
  });
  expect(doubtsOf(folder, undefined, held).map(({ id }) => id)).toEqual(["2", "3"]);
});

test("a folder of the journal that is a file is an error", async () => {
  const file = join(temporaryFolder(), "file");
  writeFileSync(file, "");
  expect(await journalFindings(file, 0)).toMatchObject([{ level: "error" }]);
});

test("a journal that is too large to be read is an error that names it", async () => {
  const folder = temporaryFolder();
  const about = { kind: "Deployment", urn: "urn:1", origin: "https://x", account: "acme", at: 1_000 };
  await journalIn(folder, () => 1_000).append({ ...about, fact: "void", id: "1" });
  const [name] = readdirSync(folder);
  truncateSync(join(folder, name!), 64 * 1024 * 1024 + 1);
  expect(await journalFindings(folder, 0)).toMatchObject([
    { level: "error", found: expect.stringContaining(`${name} is larger than 64 MB`) },
  ]);
});

test("a journal's folder whose parent is a file is an error in words", async () => {
  const file = join(temporaryFolder(), "file");
  writeFileSync(file, "");
  expect(await journalFindings(join(file, "intents"), 0)).toMatchObject([
    { level: "error", found: expect.stringContaining("a part of its path is a file (ENOTDIR)") },
  ]);
});
