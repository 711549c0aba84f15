import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { HistoryVersionError } from "../../../drift/history/store";
import type { Finding } from "../../../drift/scan/finding-document";
import { finding, history, linesIn, removeFolders, report } from "./reports";

afterEach(removeFolders);

const chat = "accounts/acme/deployments/chat";
const search = "accounts/globex/deployments/search";
const first = "2026-02-01T02:00:00.000Z";
const second = "2026-02-02T02:00:00.000Z";
const third = "2026-02-03T02:00:00.000Z";
const names = (found: readonly { name: string }[]): string[] => found.map(({ name }) => name);

test("a finding is new once, and seen by every scan that read its account", async () => {
  const { store, folder } = history();
  const opened = await store.record(report({ at: first, findings: [finding(chat)] }));
  const again = await store.record(report({ at: second, findings: [finding(chat)] }));
  expect([names(opened.delta.found), names(again.delta.found)]).toEqual([[chat], []]);
  expect(again.report.findings).toMatchObject([{ firstSeen: first, timesSeen: 2 }]);
  expect(linesIn(folder).map(({ record, change }) => change ?? record)).toEqual(["found", "scan", "scan"]);
});

test("a group is as old as its oldest member", async () => {
  const { store } = history();
  const both = [finding(chat), finding(search)];
  const accounts = ["acme", "globex"];
  await store.record(report({ at: first, accounts, findings: [finding(chat)] }));
  const { report: dated } = await store.record(report({ at: second, accounts, findings: both }));
  expect(dated.groups).toMatchObject([{ firstSeen: first, accounts }]);
});

test("what is gone is said once, and back again it counts from the beginning", async () => {
  const { store } = history();
  await store.record(report({ at: first, findings: [finding(chat)] }));
  const gone = await store.record(report({ at: second }));
  const still = await store.record(report({ at: "2026-02-02T03:00:00.000Z" }));
  const back = await store.record(report({ at: third, findings: [finding(chat)] }));
  expect([gone, still].map(({ delta }) => names(delta.resolved))).toEqual([[chat], []]);
  expect(gone.history.ended).toMatchObject([{ firstSeen: first, resolvedAt: second, timesSeen: 1 }]);
  expect(names(back.delta.found)).toEqual([chat]);
  expect(back.report.findings).toMatchObject([{ firstSeen: third, timesSeen: 1 }]);
  expect(back.history.open.get(finding(chat).fingerprint)).toMatchObject({ occurrence: 2 });
});

test("the same report adds nothing, in the same process or another one", async () => {
  const { store, folder, reopened } = history();
  const scan = report({ at: first, findings: [finding(chat)] });
  await store.record(scan);
  const before = linesIn(folder);
  for (const each of [store, reopened()]) {
    const { delta, report: dated } = await each.record(scan);
    expect(delta).toEqual({ found: [], worse: [], resolved: [], handedOver: [] });
    expect(dated.findings).toMatchObject([{ firstSeen: first, timesSeen: 1 }]);
  }
  expect(linesIn(folder)).toEqual(before);
});

const open = { at: first, accounts: ["acme", "globex"], findings: [finding(chat), finding(search)] };

test.each<[string, Omit<Parameters<typeof report>[0], "at">, string[]]>([
  ["of one account says nothing of the others", { accounts: ["acme"] }, [chat]],
  [
    "that could not read an account resolves nothing in it",
    { accounts: ["acme", "globex"], unread: { globex: [] } },
    [chat],
  ],
  [
    "that could not read a collection resolves nothing in it",
    { accounts: ["acme", "globex"], unread: { globex: ["deployments"] } },
    [chat],
  ],
  [
    "that could not read another collection resolves what it read",
    { accounts: ["acme", "globex"], unread: { globex: ["secrets"] } },
    [chat, search],
  ],
  ["of other stacks says nothing", { accounts: ["acme", "globex"], stacks: ["acme/other/prod"], unlisted: 1 }, []],
  ["of another service says nothing", { accounts: ["acme", "globex"], origin: "https://staging.example.com" }, []],
  [
    "that found an object unreadable says nothing of it",
    {
      accounts: ["acme", "globex"],
      findings: [finding(chat, { verdict: "error" }), finding(search, { verdict: "in-flight", severity: "note" })],
    },
    [],
  ],
])("a scan %s", async (_, given, gone) => {
  const { store } = history();
  await store.record(report(open));
  const { delta, history: after } = await store.record(report({ at: second, ...given }));
  expect(names(delta.resolved)).toEqual(gone);
  const seen = [...after.open.values()].map(({ name, timesSeen }) => [name, timesSeen]);
  expect(seen).toEqual([chat, search].filter((name) => !gone.includes(name)).map((name) => [name, 1]));
});

test.each([
  ["before the scan", "2026-01-31T02:00:00.000Z", { after: "2026-01-31T02:00:00.000Z", before: first }],
  ["after the scan, by another clock", third, { before: first }],
])("what was recorded %s was deleted in a time that does not run backwards", async (_, after, window) => {
  const { store } = history();
  const missing = finding(chat, { verdict: "missing", changedBetween: { after } });
  const { report: dated } = await store.record(report({ at: first, findings: [missing] }));
  expect(dated.findings).toMatchObject([{ changedBetween: window }]);
  expect(Object.keys(dated.findings[0]!.changedBetween!)).toEqual(Object.keys(window));
});

test("what needs no action is not recorded, but for what several resources record", async () => {
  const told = (["in-sync", "retired", "unverifiable", "in-flight"] as const).map((verdict) =>
    finding(`accounts/acme/deployments/${verdict}`, { verdict, severity: "note" }),
  );
  const twice = finding(chat, { verdict: "in-sync", ruleId: "drift/recorded-twice" });
  const { store } = history();
  const { history: after, report: dated } = await store.record(report({ at: first, findings: [...told, twice] }));
  expect([...after.open.values()].map(({ name }) => name)).toEqual([chat]);
  expect(dated.findings.map(({ firstSeen }) => firstSeen)).toEqual([...told.map(() => undefined), first]);
});

test("an object that is in no stack is gone only where all of them were listed", async () => {
  const stray = finding(chat, { verdict: "unmanaged" });
  const { store } = history();
  await store.record(report({ at: first, findings: [stray] }));
  expect((await store.record(report({ at: second, unlisted: 3 }))).delta.resolved).toEqual([]);
  const other = finding(search, { account: "acme", verdict: "unmanaged" });
  expect(
    (await store.record(report({ at: "2026-02-02T03:00:00Z", findings: [other], unlisted: 1 }))).delta.resolved,
  ).toEqual([]);
  expect(names((await store.record(report({ at: third, findings: [other] }))).delta.resolved)).toEqual([chat]);
});

test.each<
  [string, Partial<Finding> & { fields?: string[] }, Partial<Finding> & { fields?: string[] }, "worse" | "better"]
>([
  ["more severe", {}, { severity: "error" }, "worse"],
  ["with another field", {}, { fields: ["maxReplicaCount", "public"] }, "worse"],
  ["deleted", { severity: "error" }, { severity: "error", verdict: "missing" }, "worse"],
  ["less severe", { severity: "error" }, {}, "better"],
  ["with a field less", { fields: ["maxReplicaCount", "public"] }, {}, "better"],
  ["accepted", {}, { suppressed: { by: "baseline", owner: "search", reason: "#42", expires: "2026-05-01" } }, "better"],
  [
    "accepted no longer",
    { suppressed: { by: "baseline", owner: "search", reason: "#42", expires: "2026-05-01" } },
    {},
    "worse",
  ],
])("what is %s is %s", async (_, before, after, change) => {
  const { store, folder } = history();
  await store.record(report({ at: first, findings: [finding(chat, before)] }));
  const { delta } = await store.record(report({ at: second, findings: [finding(chat, after)] }));
  expect(names(delta.worse)).toEqual(change === "worse" ? [chat] : []);
  expect(linesIn(folder).filter(({ record }) => record === "finding")).toMatchObject([
    { change: "found" },
    { change, firstSeen: first, timesSeen: 2 },
  ]);
});

test("what is accepted when it is found is recorded, and is no news", async () => {
  const accepted = finding(chat, { suppressed: { by: "ignore", owner: null, reason: "*", expires: null } });
  const { store } = history();
  const { delta, history: after } = await store.record(report({ at: first, findings: [accepted] }));
  expect(delta.found).toEqual([]);
  expect(after.scans.at(-1)?.open).toEqual({ error: 0, warning: 0, note: 0 });
  expect((await store.record(report({ at: second }))).delta.resolved).toEqual([]);
});

test("scans that run at once lose nothing: each adds to what the others have written", async () => {
  const { reopened, folder } = history();
  const stores = Array.from({ length: 8 }, reopened);
  const accounts = stores.map((_, index) => `a${index}`);
  await Promise.all(
    stores.map((store, index) => {
      const name = `accounts/a${index}/deployments/chat`;
      return store.record(report({ at: first, accounts: [accounts[index]!], findings: [finding(name)] }));
    }),
  );
  const { scans, open: known } = reopened().read();
  expect(scans.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect([...known.values()].map(({ account }) => account).sort()).toEqual(accounts);
  expect(readdirSync(folder)).toEqual(["2026-02-01.ndjson"]);
});

test("a scan that read before another one wrote adds the difference to both", async () => {
  const { store, reopened } = history();
  const slow = reopened();
  slow.read();
  await store.record(report({ at: first, findings: [finding(chat)] }));
  const { delta, report: dated } = await slow.record(report({ at: second, findings: [finding(chat)] }));
  expect(delta.found).toEqual([]);
  expect(dated.findings).toMatchObject([{ firstSeen: first, timesSeen: 2 }]);
});

test("findings that are read before the line of their scan count once that is there", async () => {
  const { store, folder } = history();
  await store.record(report({ at: first, findings: [finding(chat)] }));
  const lines = readFileSync(join(folder, "2026-02-01.ndjson"), "utf8").split("\n");
  const other = history();
  const path = join(other.folder, "2026-02-01.ndjson");
  writeFileSync(path, `${lines[0]}\n`);
  expect(other.store.read().open.size).toBe(0);
  appendFileSync(path, `${lines[1]}\n`);
  expect(other.store.read()).toEqual(store.read());
});

test("a file that others remove is read no more", async () => {
  const { store, folder } = history();
  await store.record(report({ at: first, findings: [finding(chat)] }));
  await store.record(report({ at: second }));
  rmSync(join(folder, "2026-02-02.ndjson"));
  expect([store.read().open.size, store.read().scans.length]).toEqual([1, 1]);
});

test("a torn line is reported once and does not count; its facts are found again", async () => {
  const { store, folder, reopened, warnings } = history();
  await store.record(report({ at: first, accounts: ["acme"] }));
  await store.record(report({ at: "2026-02-01T03:00:00.000Z", findings: [finding(chat)] }));
  const path = join(folder, "2026-02-01.ndjson");
  const whole = readFileSync(path, "utf8");
  writeFileSync(path, whole.slice(0, -200));
  const after = reopened();
  const { delta } = await after.record(report({ at: "2026-02-01T04:00:00.000Z", findings: [finding(chat)] }));
  expect(names(delta.found)).toEqual([chat]);
  expect(after.read().open.get(finding(chat).fingerprint)).toMatchObject({ timesSeen: 1 });
  after.read();
  expect(warnings).toEqual([expect.stringContaining("2026-02-01.ndjson: a line is torn and does not count")]);
  expect(readFileSync(path, "utf8").startsWith(whole.slice(0, -200))).toBe(true);
});

test("a number after which no scan has one does not count", async () => {
  const { store, folder, reopened } = history();
  await store.record(report({ at: first }));
  const path = join(folder, "2026-02-01.ndjson");
  const whole = readFileSync(path, "utf8");
  writeFileSync(path, whole.replace(/"sequence":1\b/, `"sequence":${Number.MAX_SAFE_INTEGER}`));
  await reopened().record(report({ at: second, findings: [finding(chat)] }));
  const { scans, open: known } = reopened().read();
  expect(scans.map(({ sequence }) => sequence)).toEqual([1]);
  expect([...known.values()].map(({ name }) => name)).toEqual([chat]);
});

test("a history of another version is refused, and stays as it is", async () => {
  const { store, folder } = history();
  await store.record(report({ at: first }));
  const path = join(folder, "2026-01-31.ndjson");
  writeFileSync(path, '{"schemaVersion":2,"record":"scan"}\n');
  const before = linesIn(folder);
  await expect(store.record(report({ at: second }))).rejects.toThrow(HistoryVersionError);
  await expect(store.record(report({ at: second }))).rejects.toThrow(/2026-01-31\.ndjson .*version 2.*reads version 1/);
  expect(linesIn(folder)).toEqual(before);
});

test("lines of kinds to come are passed over", async () => {
  const { store, folder, warnings } = history();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "2026-01-31.ndjson"), '{"schemaVersion":1,"record":"note","more":true}\n');
  await store.record(report({ at: first, findings: [finding(chat)] }));
  expect(warnings).toEqual([]);
});

test("after a clock went back, scans keep their order and a warning says so", async () => {
  const { store, warnings, folder } = history();
  await store.record(report({ at: third, findings: [finding(chat)] }));
  const { delta } = await store.record(report({ at: first }));
  expect(names(delta.resolved)).toEqual([chat]);
  expect(warnings).toEqual([expect.stringMatching(/ended at 2026-02-03.*this one at 2026-02-01.*a clock was wrong/)]);
  const { delta: later } = await store.record(report({ at: second, findings: [finding(chat)] }));
  expect(names(later.found)).toEqual([chat]);
  expect(linesIn(folder).filter(({ record }) => record === "scan")).toHaveLength(3);
});

test("scans that overlap may be recorded in any order, without a warning", async () => {
  const { store, warnings } = history();
  await store.record(report({ at: "2026-02-01T02:00:30.000Z", accounts: ["acme"] }));
  await store.record(report({ at: "2026-02-01T02:00:00.000Z", accounts: ["globex"] }));
  expect(warnings).toEqual([]);
});

test("nothing of a value is stored, and other users cannot read what is", async () => {
  const { store, folder } = history();
  const leaky = finding(chat, {
    reason: "opens up: `apiKey` was hunter2",
    changes: [
      { path: "apiKey", kind: "changed", recorded: "hunter2", live: "hunter3", severity: "error", managed: true },
    ],
  });
  await store.record(report({ at: first, findings: [leaky] }));
  const path = join(folder, "2026-02-01.ndjson");
  expect(readFileSync(path, "utf8")).not.toContain("hunter");
  expect(linesIn(folder)[0]).toMatchObject({ fields: ["apiKey"] });
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("names that would move a cursor are spelled out in the file", async () => {
  const { store, folder } = history();
  const name = "accounts/acme/deployments/\u202echat\u001b[2J";
  await store.record(report({ at: first, findings: [finding(name)] }));
  expect(readFileSync(join(folder, "2026-02-01.ndjson"), "utf8")).toMatch(/\\u202echat\\u001b\[2J/);
  expect(linesIn(folder)[0]).toMatchObject({ name });
});

test("a link where a file goes is neither read nor written through", async () => {
  const { store, folder, warnings } = history();
  const elsewhere = join(folder, "elsewhere");
  writeFileSync(elsewhere, "mine\n");
  symlinkSync(elsewhere, join(folder, "2026-02-01.ndjson"));
  await expect(store.record(report({ at: first, findings: [finding(chat)] }))).rejects.toThrow("symbolic link");
  expect(readFileSync(elsewhere, "utf8")).toBe("mine\n");
  expect(warnings).toEqual([expect.stringMatching(/2026-02-01\.ndjson is not read: it is not a regular file/)]);
});

test("a lock that stays is waited for, and then named", async () => {
  const pauses: number[] = [];
  const { store, folder } = history({ sleep: async (ms) => void pauses.push(ms) });
  mkdirSync(join(folder, "history.lock"));
  await expect(store.record(report({ at: first }))).rejects.toThrow("history.lock");
  expect(pauses).toHaveLength(9);
});
