import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { historyOf } from "../../../drift/history/history";
import type { HistoryRecord } from "../../../drift/history/records";
import { figuresOf, type History, type HistoryStore } from "../../../drift/history/store";
import type { Finding, Severity } from "../../../drift/scan/finding-document";
import { isNightly, longerAtNight } from "../../nightly";
import { dayMs, finding, history, linesIn, removeFolders, report } from "./reports";

afterAll(removeFolders);

/** Ninety days over two hundred accounts in the nightly run; in a normal run a fifth of each. */
const days = isNightly ? 90 : 30;
const accountCount = isNightly ? 200 : 40;
const begin = Date.parse("2026-01-01T00:00:00Z");

/** Why something drifts in this world, what that does to the report, and how long it lasts. */
const causes: readonly {
  type: string;
  collection: string;
  finding: Partial<Finding> & { fields?: string[] };
  days: number;
}[] = [
  { type: "Deployment", collection: "deployments", finding: { fields: ["maxReplicaCount"] }, days: 2 },
  {
    type: "Deployment",
    collection: "deployments",
    finding: { fields: ["public"], severity: "error", ruleId: "drift/loosened" },
    days: 1,
  },
  { type: "Secret", collection: "secrets", finding: { verdict: "missing", severity: "error" }, days: 4 },
  {
    type: "Deployment",
    collection: "deployments",
    finding: { fields: ['annotations["team"]'], severity: "note" },
    days: 20,
  },
];

/** From `from` until `until`, with what it looks like once it has become worse. */
interface Drift {
  name: string;
  from: number;
  until: number;
  finding: Finding;
  worseFrom?: number;
}

interface Scan {
  at: number;
  /** Those of the scan's part; the others it has not read. */
  accounts: readonly string[];
  unreadable: ReadonlySet<string>;
}

/** The same numbers in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

const next = random(36);
const below = (count: number): number => Math.floor(next() * count);
const accounts = Array.from({ length: accountCount }, (_, index) => `team-${String(index).padStart(3, "0")}`);

/** Some objects of each account drift, some of them again and again. */
const drifts: Drift[] = accounts.flatMap((account) =>
  Array.from({ length: 1 + below(3) }, (_, index) => {
    const cause = causes[below(causes.length)]!;
    const name = `accounts/${account}/${cause.collection}/o${index}`;
    const found = finding(name, { type: cause.type, ...cause.finding });
    const times = below(10) === 0 ? 5 : 1 + below(2);
    let from = begin + next() * days * dayMs;
    return Array.from({ length: times }, () => {
      const until = from + (0.2 + next() * 2) * cause.days * dayMs;
      const drift: Drift = {
        name,
        from,
        until,
        finding: found,
        ...(below(4) === 0 && { worseFrom: (from + until) / 2 }),
      };
      from = until + next() * 6 * dayMs;
      return drift;
    });
  }).flat(),
);

/** Every night at two: of all, of all in four shards, or of one half; now and then accounts do not answer. */
const scans: Scan[] = Array.from({ length: days }, (_, day) => {
  const at = begin + day * dayMs + 2 * 3_600_000;
  const unreadable = new Set(accounts.filter(() => below(50) === 0));
  if (day % 7 === 3)
    return [0, 1, 2, 3].map((shard) => ({
      at: at + shard,
      accounts: accounts.filter((_, index) => index % 4 === shard),
      unreadable,
    }));
  if (day % 11 === 5) return [{ at, accounts: accounts.slice(accountCount / 2), unreadable }];
  return [{ at, accounts, unreadable }];
}).flat();

const presentAt = (at: number, account: string): Drift[] =>
  drifts.filter(({ name, from, until }) => from <= at && at < until && name.startsWith(`accounts/${account}/`));

const worsened = (drift: Drift, at: number): Finding =>
  drift.worseFrom !== undefined && at >= drift.worseFrom
    ? { ...drift.finding, severity: "error", ruleId: "drift/failed" }
    : drift.finding;

const reportOf = ({ at, accounts: read, unreadable }: Scan) =>
  report({
    at: new Date(at).toISOString(),
    accounts: read,
    unread: Object.fromEntries(read.filter((account) => unreadable.has(account)).map((account) => [account, []])),
    findings: read
      .filter((account) => !unreadable.has(account))
      .flatMap((account) => presentAt(at, account).map((drift) => worsened(drift, at))),
  });

/** What the world knows: for each object, the runs of scans that read its account and saw it. */
interface Truth {
  name: string;
  firstSeen: string;
  timesSeen: number;
  occurrence: number;
  severity: Severity;
  goneAt: string | undefined;
}

function truthOf(name: string): Truth[] {
  const account = name.split("/")[1]!;
  const runs: Truth[] = [];
  let current: Truth | undefined;
  for (const { at, accounts: read, unreadable } of scans) {
    if (!read.includes(account) || unreadable.has(account)) continue;
    const drift = presentAt(at, account).find((each) => each.name === name);
    const time = new Date(at).toISOString();
    if (drift) {
      if (!current) {
        current = {
          name,
          firstSeen: time,
          timesSeen: 0,
          occurrence: runs.length + 1,
          severity: "note",
          goneAt: undefined,
        };
        runs.push(current);
      }
      current.timesSeen++;
      current.severity = worsened(drift, at).severity;
    } else if (current) {
      current.goneAt = time;
      current = undefined;
    }
  }
  return runs;
}

const truths = [...new Set(drifts.map(({ name }) => name))].flatMap(truthOf);
const byKey = (left: Truth, right: Truth): number =>
  `${left.name} ${left.firstSeen}` < `${right.name} ${right.firstSeen}` ? -1 : 1;

const told = ({ open, ended }: History): Truth[] =>
  [...ended, ...open.values()].map(({ name, firstSeen, timesSeen, occurrence, severity, resolvedAt }) => ({
    ...{ name, firstSeen, timesSeen, occurrence, severity, goneAt: resolvedAt },
  }));

let folder: string;
let reopened: () => HistoryStore;
let known: History;
let found = 0;
let worse = 0;
let gone = 0;

beforeAll(async () => {
  const opened = history({ now: () => begin + days * dayMs });
  ({ folder, reopened } = opened);
  for (let day = 0; day < days; day++) {
    const parts = scans.filter(({ at }) => Math.floor((at - begin) / dayMs) === day);
    const recorded = await Promise.all(parts.map((scan) => reopened().record(reportOf(scan))));
    for (const { delta } of recorded) {
      found += delta.found.length;
      worse += delta.worse.length;
      gone += delta.resolved.length;
    }
  }
  known = opened.store.read();
  expect(opened.warnings).toEqual([]);
});

longerAtNight(() => {
  test("the world has what a history can get wrong", () => {
    expect(truths.filter(({ occurrence }) => occurrence > 2).length).toBeGreaterThan(2);
    expect(truths.filter(({ goneAt }) => goneAt === undefined).length).toBeGreaterThan(2);
    expect(scans.some(({ unreadable }) => unreadable.size > 0)).toBe(true);
  });

  test("every first seen, times seen, recurrence and end is what the world knows", () => {
    expect(told(known).sort(byKey)).toEqual(truths.sort(byKey));
  });

  test("what is new, worse and gone is said once each", () => {
    const ended = truths.filter(({ goneAt }) => goneAt !== undefined);
    expect([found, gone]).toEqual([truths.length, ended.length]);
    const grew = linesIn(folder).filter(({ change }) => change === "worse");
    expect(worse).toBe(grew.length);
    expect(worse).toBeGreaterThan(0);
  });

  test("times to remedy and what is open, per severity and account, match the world", () => {
    const { bySeverity, byAccount, recurring } = figuresOf(known);
    const expected = (of: readonly Truth[]) => {
      const times = of
        .flatMap(({ firstSeen, goneAt }) =>
          goneAt === undefined ? [] : (Date.parse(goneAt) - Date.parse(firstSeen)) / 1000,
        )
        .sort((a, b) => a - b);
      const half = times.length / 2;
      const median = Number.isInteger(half) ? (times[half - 1]! + times[half]!) / 2 : times[Math.floor(half)]!;
      return {
        open: of.filter(({ goneAt }) => goneAt === undefined).length,
        remedied: times.length,
        ...(times.length > 0 && { median, longest: Math.max(...times) }),
      };
    };
    for (const { key, oldest: _, ...figures } of bySeverity)
      expect([key, figures]).toEqual([key, expected(truths.filter(({ severity }) => severity === key))]);
    for (const { key, oldest: _, ...figures } of byAccount)
      expect([key, figures]).toEqual([key, expected(truths.filter(({ name }) => name.startsWith(`accounts/${key}/`)))]);
    const most = new Map(truths.map(({ name, occurrence }) => [name, occurrence]));
    expect(new Map(recurring.map(({ name, times }) => [name, times]))).toEqual(
      new Map([...most].filter(([, times]) => times > 1)),
    );
  });

  test("the history has a line per change and one per scan", () => {
    const lines = linesIn(folder);
    const changes = lines.filter(({ record }) => record === "finding");
    expect(lines).toHaveLength(changes.length + scans.length);
    const better = changes.filter(({ change }) => change === "better").length;
    expect(changes).toHaveLength(found + worse + gone + better);
    const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    // A line of a change is some 500 bytes, and one of a scan names each account.
    expect(bytes).toBeLessThan(600 * changes.length + scans.length * (500 + 20 * accountCount));
  });

  test("lines in any order, and twice, give the same figures", () => {
    const lines = linesIn(folder) as unknown as HistoryRecord[];
    const shuffled = [...lines, ...lines]
      .map((line) => ({ line, place: next() }))
      .sort((left, right) => left.place - right.place)
      .map(({ line }) => line);
    expect(told(historyOf(shuffled)).sort(byKey)).toEqual(truths);
  });

  test("recording every scan again adds nothing", async () => {
    const before = linesIn(folder).length;
    for (const scan of scans.slice(0, 10)) await reopened().record(reportOf(scan));
    expect(linesIn(folder)).toHaveLength(before);
  });
});
