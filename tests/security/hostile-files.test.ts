import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { CollectionScan } from "../../drift/scan/collection-scan";
import { fileJournal } from "../../drift/scan/journal";
import { parsePacked } from "../../engine/state/checkpoint";
import { canonicalBaseUrl } from "../../provider/lifecycle/memory/identity";
import { specOf } from "../../provider/resources/index";
import { modelplatform, project, temporaryFolder } from "../cli/terminal";
import { expectInert, payloads } from "./payloads";

const scan = {
  place: { origin: "https://api.example.com", account: "acme" },
  spec: specOf("User"),
  objects: [],
  known: { objects: new Map(), produced: new Set() },
  isListed: () => true,
  as: "acme",
} as unknown as CollectionScan;

const about = { name: "users", status: "read", managed: 0, total: 0, read: 0, requests: 1 };
const result = { ...about, counts: {}, findings: [], references: [], lineage: { models: {}, derived: [] } };

/** What a journal gives back once its file has been changed by somebody. */
async function forged(change: (kept: { at: number; result: Record<string, unknown> }) => unknown): Promise<unknown> {
  const folder = temporaryFolder();
  const journal = fileJournal(folder, ["1"], () => 1_000);
  await journal.write(scan, result as never);
  const file = join(folder, readdirSync(folder)[0]!);
  writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, "utf8")) as never)));
  return journal.find(scan);
}

const markup = "<img src=x onerror=alert(1)>";

test("a journal that nobody touched is believed", async () => {
  expect(await forged((kept) => kept)).toMatchObject(result);
});
for (const [what, change] of [
  ["a count that is markup", { requests: markup }],
  ["a total that is markup", { total: markup }],
  ["a status that is none", { status: markup }],
  ["a verdict that is none", { counts: { [markup]: 1 } }],
  ["a finding that is none", { findings: [{ severity: markup }] }],
  ["the name of another collection", { name: "models" }],
  ["a negative count", { managed: -1 }],
  ["no findings", { findings: null }],
] as const) {
  test(`a journal with ${what} is not believed`, async () => {
    expect(await forged((kept) => ({ ...kept, result: { ...kept.result, ...change } }))).toBeUndefined();
  });
}
test("a journal of the future is not believed", async () => {
  expect(await forged((kept) => ({ ...kept, at: 2_000 }))).toBeUndefined();
});
test("a journal that is no object is not believed", async () => {
  expect(await forged(() => [])).toBeUndefined();
});

test("a state that unpacks to very much more is refused", () => {
  expect(() => parsePacked(gzipSync(Buffer.alloc(200 * 1024 * 1024, " ")))).toThrow("unpacked it is larger than 32 MB");
});
test("a packed state of very many small members is refused before it is parsed", () => {
  expect(() => parsePacked(gzipSync(Buffer.from(`[${"{},".repeat(5_000_000)}{}]`)))).toThrow("which no state has");
});
test("so is a plain one", () => {
  expect(() => parsePacked(Buffer.from(`[${"[],".repeat(2_000_000)}[]]`))).toThrow("which no state has");
});
test("a packed state as it should be is opened", () => {
  expect(parsePacked(gzipSync(Buffer.from('{"a":1}')))).toEqual({ a: 1 });
});
for (const endpoint of ["", "not a url", "http://", "javascript:alert(1)", "\u001b[2J"]) {
  test(`a recorded address ${JSON.stringify(endpoint)} is another service, not a crash`, () => {
    expect(canonicalBaseUrl(endpoint)).not.toBe(canonicalBaseUrl("https://api.example.com"));
  });
}

/** Runs a command where a file of the project is hostile. */
for (const [name, text] of payloads) {
  test(`a state with ${name} in its names does nothing to one output, nor to a list`, async () => {
    const { cwd, env } = await project("dev");
    const path = join(cwd, ".pulumi", "stacks", "shop", "dev.json");
    const stack = {
      urn: "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev",
      custom: false,
      type: "pulumi:pulumi:Stack",
    };
    const latest = {
      manifest: { time: "2026-01-01T00:00:00Z", magic: "", version: "" },
      resources: [{ ...stack, outputs: { [text]: text, plain: text } }],
    };
    writeFileSync(path, JSON.stringify({ version: 3, checkpoint: { stack: "organization/shop/dev", latest } }));
    const { stdout, stderr } = await modelplatform("stack output --stack dev", { cwd, env });
    expect(stdout).toContain("OUTPUT");
    expectInert(stdout + stderr);
    const one = await modelplatform("stack output plain --stack dev", { cwd, env });
    expect(one).toMatchObject({ code: 0, stdout: expect.stringMatching(/./) });
    expectInert(one.stdout);
    const { stdout: json } = await modelplatform("stack output plain --json --stack dev", { cwd, env });
    expect(JSON.parse(json)).toBe(text);
  });
  test(`an ignore file and a baseline with ${name} do nothing to the error that they are`, async () => {
    const { cwd, env } = await project("dev");
    mkdirSync(join(cwd, "x"));
    writeFileSync(join(cwd, "baseline.json"), JSON.stringify({ [text]: text, entries: [{ name: text }] }));
    const { code, stdout, stderr } = await modelplatform("drift --backend file://. --baseline baseline.json", {
      cwd,
      env: {
        ...env,
        MODELPLATFORM_API_KEY: "a-key-of-mine",
        MODELPLATFORM_ACCOUNT_ID: "acme",
        MODELPLATFORM_BASE_URL: "http://127.0.0.1:9",
        XDG_STATE_HOME: cwd,
      },
    });
    expect(code).not.toBe(0);
    expectInert(stdout + stderr);
  });
}
