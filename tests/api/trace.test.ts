import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmulator, type Emulator } from "../../emulator/index";
import { createClient } from "../../provider/api/client";
import { createCatalogue } from "../../provider/api/operations";
import { resolveSettings } from "../../provider/api/settings/config";
import { allSpecs } from "../../provider/resources/index";
import { entriesIn, type HarEntry, problemsOf } from "./support/har";

const key = "acme-key-that-nobody-may-see";
const canary = "value-that-nobody-may-see";

let folder: string;
let file: string;
let emulator: Emulator;
let url: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "trace-"));
  file = join(folder, "run.har");
  emulator = createEmulator({ accounts: { acme: key } });
  ({ url } = await emulator.listen({ port: 0 }));
});
afterEach(async () => {
  await emulator.close();
  rmSync(folder, { recursive: true });
});

function open() {
  const given: Record<string, string> = { accountId: "acme", apiKey: key, baseUrl: url };
  const settings = resolveSettings({
    config: { get: (name: string) => given[name.replace("modelplatform:", "")] },
    env: {},
  });
  const env = { MODELPLATFORM_TRACE: file };
  return createClient({ settings, catalogue: createCatalogue(allSpecs), env });
}

const text = (): string => readFileSync(file, "utf8");
const entries = (): HarEntry[] => entriesIn(text());
const problems = (): unknown => problemsOf(text());

test.each<[string, (log: { version: unknown; entries: Record<string, unknown>[] }) => unknown]>([
  ["no version", (log) => (log.version = undefined)],
  ["an entry without a time", ({ entries: [entry] }) => delete entry!["time"]],
  ["a field that it does not have", ({ entries: [entry] }) => (entry!["extra"] = 1)],
  ["a time that is none", ({ entries: [entry] }) => (entry!["startedDateTime"] = "yesterday")],
])("the schema of HAR 1.2 refuses %s", async (_, spoil) => {
  const client = open();
  await client.call("listUsers");
  await client.close();
  const archive = JSON.parse(text());
  expect(problemsOf(JSON.stringify(archive))).toBeUndefined();
  spoil(archive.log);
  expect(problemsOf(JSON.stringify(archive))).toHaveLength(1);
});

test("every request is in an archive by the schema of HAR 1.2, and no secret is", async () => {
  const client = open();
  const name = "accounts/acme/secrets/token";
  await client.call("createSecret", { body: { name, keyName: "TOKEN", value: canary } });
  await client.call("listUsers", { query: { pageSize: 7 } });
  await client.call("getModel", { parameters: { modelId: "nowhere" } }).catch(() => undefined);
  await client.close();
  expect(problems()).toBeUndefined();
  expect(text()).not.toContain(key);
  expect(text()).not.toContain(canary);
  const [list] = entries().filter(({ request }) => request.url.includes("/users"));
  expect(list).toMatchObject({ request: { method: "GET" }, response: { status: 200 } });
  expect(list!.request.queryString).toContainEqual({ name: "pageSize", value: "7" });
  expect(list!.comment).toMatch(/^listUsers, attempt 1, request id /);
  expect(entries().map(({ response }) => response.status)).toEqual(expect.arrayContaining([200, 404]));
});

test("the parts of the time make up the whole", async () => {
  const client = open();
  await client.call("listUsers");
  await client.close();
  for (const { time, timings } of entries())
    expect(time).toBeCloseTo(Object.values(timings).reduce((sum, part) => sum + Math.max(0, part), 0));
});

test("unanswered requests are included, each attempt separately", async () => {
  await emulator.fetch(
    new Request(`${url}/_emulator/faults`, {
      method: "POST",
      headers: { host: "127.0.0.1", "content-type": "application/json" },
      body: JSON.stringify({ match: { operation: "listUsers" }, fault: { kind: "reset" }, times: 1 }),
    }),
  );
  const client = open();
  await client.call("listUsers");
  await client.close();
  expect(entries().map(({ response }) => response.status)).toEqual([0, 200]);
  expect(entries().map(({ comment }) => comment)).toEqual([
    expect.stringContaining("attempt 1"),
    expect.stringContaining("attempt 2"),
  ]);
  expect(problems()).toBeUndefined();
});

test("several processes and runs write to one archive, which its owner alone can read", async () => {
  const clients = [open(), open()];
  await Promise.all(clients.flatMap((client) => Array.from({ length: 10 }, () => client.call("listUsers"))));
  await Promise.all(clients.map((client) => client.close()));
  expect(entries()).toHaveLength(20);
  expect(problems()).toBeUndefined();
  expect(statSync(file).mode & 0o077).toBe(0);
});

test("a file that is no archive is left alone: an error before the first request", () => {
  writeFileSync(file, "notes of a week");
  expect(() => open()).toThrow(/is not a trace/);
  expect(text()).toBe("notes of a week");
});

test("an archive that cannot be written any longer costs no answer", async () => {
  const client = open();
  await client.call("listUsers");
  writeFileSync(file, "overwritten by somebody");
  expect((await client.call("listUsers")).status).toBe(200);
  await client.close();
});
