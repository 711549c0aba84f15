import fc from "fast-check";
import { type History, historyOf } from "../../drift/history/history";
import { historyChanges, linesOf, scanOf } from "../../drift/history/news";
import { noticeOf } from "../../drift/notify/notice";
import { formats } from "../../drift/report/formats";
import { scopeOf } from "../../drift/report/wording";
import { isIn, targetsOf } from "../../drift/scan/accounts";
import type { DriftReport, MissingPart } from "../../drift/scan/document";
import { mergeReports, type ReportPart } from "../../drift/scan/merge";
import { parseShard } from "../../drift/scan/shard";
import { verdicts } from "../../drift/scan/verdicts";
import { createClient } from "../../provider/api/client";
import { resolveSettings } from "../../provider/api/settings/config";
import { instantTime } from "../api/support/instant-time";
import { mockService } from "../api/support/mock-service";
import { catalogue } from "../api/support/test-client";
import { isNightly, longerAtNight } from "../nightly";
import type { Values } from "../values";
import { createScene } from "./support/scene";
import { origin, type RecordedResource } from "./support/stacks";

const inputs = { baseModel: "accounts/platform/models/open-8b", maxReplicaCount: 2 };
const accounts = Array.from({ length: 12 }, (_, index) => `account-${index}`);
const live = (account: string): Values => ({ name: `accounts/${account}/deployments/chat`, ...inputs, state: "READY" });
const recorded: RecordedResource[] = accounts.map((account) => ({ kind: "Deployment", inputs, live: live(account) }));

function world() {
  const scene = createScene({ accounts });
  for (const account of accounts)
    scene.put(`accounts/${account}/deployments/chat`, {
      ...live(account),
      maxReplicaCount: account === "account-3" ? 9 : 2,
    });
  return scene;
}

const shardsOf = async (count: number): Promise<ReportPart[]> => {
  const scene = world();
  return Promise.all(
    Array.from({ length: count }, async (_, place) => ({
      file: `shard-${place + 1}.json`,
      report: await scene.scan(recorded, { shard: { index: place + 1, count } }),
    })),
  );
};

const merged = (parts: readonly ReportPart[]): DriftReport => {
  const result = mergeReports(parts);
  if ("problem" in result) throw new Error(result.problem);
  return result.report;
};

test.each(["1/1", "3/4", "12/12"])("%s is a shard", (text) =>
  expect(parseShard(text)).toEqual({ index: Number(text.split("/")[0]), count: Number(text.split("/")[1]) }),
);
test.each(["0/4", "5/4", "1", "1/0", "-1/2", "a/b", "1/2/3", ""])("%j is none", (text) =>
  expect(parseShard(text)).toBeUndefined(),
);

test("each account is in one shard, and stays there when another one leaves", () => {
  const many = Array.from({ length: 1000 }, (_, index) => ({ origin, account: `a${index}` }));
  const shardOf = (count: number) => (target: (typeof many)[number]) =>
    Array.from({ length: count }, (_, place) => place + 1).filter((index) => isIn({ index, count }, target));
  const [before, after] = [many.map(shardOf(8)), many.map(shardOf(7))];
  expect(before.every(({ length }) => length === 1)).toBe(true);
  const sizes = Array.from({ length: 8 }, (_, place) => before.filter(([index]) => index === place + 1).length);
  expect(Math.min(...sizes)).toBeGreaterThan(80);
  before.forEach(([index], place) => index !== 8 && expect(after[place]).toEqual([index]));
});

/** By account without a key of its own, the keys that list it. */
const listers = fc.dictionary(fc.constantFrom("x", "y", "z"), fc.subarray(["a", "b", "c", "d", "e"], { minLength: 1 }));

const held = ["a", "b", "c", "d", "e"];

interface Sharing {
  listing: Readonly<Record<string, readonly string[]>>;
  recorded: readonly string[];
  count: number;
  /** By shard, the keys whose lists fail there. */
  failing?: readonly (readonly string[])[];
}

const emptyReport = {
  schemaVersion: 1 as const,
  tool: { name: "modelplatform", version: "1.0.0" },
  startedAt: "2026-03-01T02:00:00.000Z",
  finishedAt: "2026-03-01T02:01:00.000Z",
  ...{ complete: true, drifted: false, exitCode: 0, findings: [] },
  summary: Object.fromEntries(verdicts.map((verdict) => [verdict, 0])) as DriftReport["summary"],
  coverage: { managed: 0, total: 0 },
};

interface Share {
  targets: string[];
  read: string[];
  unlisted: readonly string[] | undefined;
}

function shared({ listing, recorded, count, failing = [] }: Sharing): Promise<Share[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, place) => {
      const service = mockService([origin], ({ headers }) => {
        const key = headers["authorization"]!.replace("Bearer key-", "");
        if (failing[place]?.includes(key)) return { status: 500, body: { code: 13, message: "broken", details: [] } };
        const listed = Object.keys(listing).filter((account) => listing[account]!.includes(key));
        return { body: { accounts: [key, ...listed].map((account) => ({ name: `accounts/${account}` })) } };
      });
      const MODELPLATFORM_ACCOUNTS = JSON.stringify(
        Object.fromEntries(held.map((account) => [account, { apiKey: `key-${account}` }])),
      );
      const settings = resolveSettings({ env: { MODELPLATFORM_ACCOUNTS, MODELPLATFORM_BASE_URL: origin } });
      const client = createClient({ settings, catalogue, time: instantTime(), dispatcher: service.agent, env: {} });
      const shard = { index: place + 1, count };
      const limits = { deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal, shard };
      const { targets, unlisted } = await targetsOf(client, { accounts: recorded, recorded, all: true }, limits);
      const mine = targets.filter((target) => isIn(shard, target));
      for (const { account, as } of mine) expect([account, ...(listing[account] ?? [])]).toContain(as);
      return { targets: targets.map(({ account }) => account), read: mine.map(({ account }) => account), unlisted };
    }),
  );
}

/** By shard, the accounts that it reads. */
const readBy = async (sharing: Sharing): Promise<string[][]> => (await shared(sharing)).map(({ read }) => read);

longerAtNight(() => {
  test("where lists fail in some shards, no account is read by two", async () => {
    const failing = fc.array(fc.subarray(held), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(listers, fc.integer({ min: 2, max: 4 }), failing, async (listing, count, failing) => {
        const read = (await readBy({ listing, recorded: [], count, failing })).flat();
        expect(read).toHaveLength(new Set(read).size);
        expect(read).toEqual(expect.arrayContaining(held));
      }),
      { numRuns: isNightly ? 400 : 40, examples: [[{ x: ["d", "e"] }, 3, [[], [], ["e"]]]] },
    );
  });
});

const sampleShard = (
  { unlisted, ...scope }: Pick<DriftReport["scope"], "shard" | "accounts"> & { unlisted: Share["unlisted"] },
  read: readonly string[],
): DriftReport => ({
  ...emptyReport,
  scope: { stacks: [], run: "night", ...scope, ...(unlisted && { unlisted: [...unlisted] }) },
  accounts: read.map((account) => ({ account, origin, status: "read", requests: 0, collections: [] })),
});

test("what only failed lists show is said to be missing", async () => {
  const failing = fc.array(fc.subarray(held), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(listers, fc.integer({ min: 1, max: 4 }), failing, async (listing, count, failing) => {
      const shares = await shared({ listing, recorded: [], count, failing });
      const report = merged(
        shares.map(({ targets, read, unlisted }, place) => ({
          file: `${place}`,
          report: sampleShard({ shard: `${place + 1}/${count}`, accounts: targets, unlisted }, read),
        })),
      );
      const known = new Set(shares.flatMap(({ targets }) => targets));
      const unknown = Object.keys(listing).filter((account) => !known.has(account));
      const lists = (report.missing ?? []).filter(({ part }) => part === "list").map(({ name }) => name);
      for (const account of unknown) expect(lists).toEqual(expect.arrayContaining([...listing[account]!]));
      // A list that one of the shards could read is none.
      const failedAnywhere = new Set(failing.slice(0, count).flat());
      for (const key of lists) expect(failedAnywhere).toContain(key);
      if (lists.length > 0) expect(report).toMatchObject({ complete: false, exitCode: 3 });
    }),
    { numRuns: isNightly ? 400 : 25, examples: [[{ x: ["e"] }, 2, [["e"], ["e"]]]] },
  );
});

test("each account is in one shard, whichever keys list it, recorded in a stack or not", async () => {
  const one = fc.constantFrom([], ["x"], ["x", "a"]);
  await fc.assert(
    fc.asyncProperty(listers, one, fc.integer({ min: 1, max: 4 }), async (listing, recorded, count) => {
      const read = (await readBy({ listing, recorded, count })).flat();
      expect(read.sort()).toEqual([...new Set([...held, ...recorded, ...Object.keys(listing)])].sort());
    }),
    { examples: [[{ x: ["c"] }, [], 2]] },
  );
});

test("the shards put together are the whole", async () => {
  const whole = await world().scan(recorded);
  const report = merged(await shardsOf(3));
  // Each shard reads the model that everything is made from, for whichever of its accounts comes first.
  const same = ({ accounts, ...rest }: typeof whole) => ({
    ...{ ...rest, startedAt: "", finishedAt: "" },
    accounts: accounts.map(({ requests: _, ...account }) => account),
  });
  expect(same(report)).toEqual(same(whole));
  expect(report.summary.changed).toBe(1);
});

test("a shard reads its own accounts only, and says of which whole it is a part", async () => {
  const [first] = await shardsOf(3);
  const stacks = ["shop/prod"];
  expect(first!.report.scope).toEqual({ stacks, builtIn: stacks, accounts: [...accounts].sort(), shard: "1/3" });
  expect(first!.report.accounts.length).toBeLessThan(accounts.length);
});

test.each<[string, (parts: ReportPart[]) => ReportPart[], RegExp]>([
  [
    "a double",
    (parts) => [...parts, { ...parts[0]!, file: "again.json" }],
    /^again\.json and shard-1\.json are both shard 1 of 3/,
  ],
  [
    "another version",
    ([first, ...others]) => [
      first!,
      ...others.map((part) => ({ ...part, report: { ...part.report, tool: { name: "modelplatform", version: "9" } } })),
    ],
    /^shard-2\.json is of another version than shard-1\.json/,
  ],
  [
    "another number of shards",
    ([first, ...others]) => [
      first!,
      ...others.map((part) => ({ ...part, report: { ...part.report, scope: { ...part.report.scope, shard: "2/4" } } })),
    ],
    /another number of shards/,
  ],
  [
    "a report of a whole scan",
    (parts) =>
      parts.slice(0, 1).map((part) => ({ ...part, report: { ...part.report, scope: { stacks: [], accounts: [] } } })),
    /is a report of a whole scan/,
  ],
  ["nothing", () => [], /nothing to merge/],
  ["a report with other flags", inScope({ options: "0123" }), /^shard-2\.json is of other flags, or other options/],
  ["a report in which something else counts", inScope({ failOn: ["missing"] }), /^shard-2\.json is of other flags/],
  [
    "a report of a named run among others",
    inScope({ run: "7" }),
    /^shard-2\.json is of the run 7, and shard-1\.json of no/,
  ],
  [
    "a report of a year ago",
    ([first, ...others]) => [
      first!,
      ...others.map((part) => ({
        ...part,
        report: { ...part.report, startedAt: "2025-01-01T00:00:00.000Z", finishedAt: "2025-01-01T00:01:00.000Z" },
      })),
    ],
    /^shard-1\.json began at .* had ended at 2025-01-01T00:01:00\.000Z: .* Name it with `--run`/,
  ],
])("%s is refused", async (_, spoil, problem) => {
  expect(mergeReports(spoil(await shardsOf(3)))).toEqual({ problem: expect.stringMatching(problem) });
});

const withoutAccount = (account: string) => (report: DriftReport) => ({
  accounts: report.accounts.filter((each) => each.account !== account),
  findings: report.findings.filter((each) => each.account !== account),
});

/** What may be missing of three shards, and how the report calls it. */
const gaps: readonly [string, (parts: ReportPart[]) => ReportPart[], Partial<MissingPart>[], RegExp][] = [
  [
    "a shard, with its accounts,",
    (parts) => parts.slice(1),
    [{ part: "shard", name: "1/3" }, ...lostWith(1, 3).map((name) => ({ part: "account" as const, name }))],
    /Missing: shard 1\/3 \(no report of it\), and \d more\./,
  ],
  [
    "an account that is read by none",
    (parts) => everywhere(parts, withoutAccount("account-5")),
    [{ part: "account", name: "account-5", reason: "in no report" }],
    /Missing: account account-5 \(in no report\)\./,
  ],
  [
    "an account that came late and was not read",
    (parts) => inScope({ accounts: [...accounts, "late"] })(parts),
    [{ part: "account", name: "late", reason: "in no report" }],
    /account late/,
  ],
  [
    "a stack that came late",
    (parts) => inScope({ stacks: ["shop/prod", "shop/late"] })(parts),
    [{ part: "stack", name: "shop/late", reason: "unknown to shard 1/3" }],
    /stack shop\/late \(unknown to shard 1\/3\)/,
  ],
  [
    "a stack that went",
    (parts) => inScope({ stacks: [] })(parts).reverse(),
    [{ part: "stack", name: "shop/prod", reason: "unknown to shards 2/3, 3/3" }],
    /stack shop\/prod/,
  ],
  [
    "a list of accounts that failed wherever it was asked for",
    (parts) => everywhere(parts, (report) => ({ ...report, scope: { ...report.scope, unlisted: ["account-1"] } })),
    [{ part: "list", name: "account-1" }],
    /Missing: list account-1 \(it failed, so that accounts which only this key lists are not known\)\./,
  ],
];

/** The accounts of a shard. */
function lostWith(index: number, count: number): string[] {
  return accounts.filter((account) => isIn({ index, count }, { origin, account })).sort();
}

test.each(gaps)("%s is named, and the rest is reported", async (_, spoil, missing, problem) => {
  const parts = spoil(await shardsOf(3));
  const report = merged(parts);
  expect(report).toMatchObject({ complete: false, exitCode: 3, missing });
  expect(report.findings).toHaveLength(parts.flatMap((part) => part.report.findings).length);
  expect(report.drifted).toBe(report.findings.length > 0);
  expect(mergeReports(parts, { requireComplete: true })).toEqual({ problem: expect.stringMatching(problem) });
  const unread = missing.filter(({ part }) => part !== "stack");
  expect(report.coverage.total === null).toBe(unread.length > 0);
  for (const format of ["text", "markdown", "html", "junit", "sarif", "json"])
    expect(formats[format]!.render(report, { columns: 120, color: false })).toContain(missing[0]!.name);
});

test("the scope says how many of the known accounts a merge has read", async () => {
  const parts = await shardsOf(3);
  const others = parts.slice(1);
  expect(scopeOf(merged(others))).toContain(`${accounts.length - lostWith(1, 3).length} of 12 accounts`);
  expect([merged(parts), others[0]!.report].map((report) => scopeOf(report)[1])).toEqual(Array(2).fill("12 accounts"));
});

test("an account that came late is whole where its shard has read it", async () => {
  const parts = await shardsOf(3);
  const late = accounts.filter((account) => account !== "account-5");
  const knew = parts.map((part) =>
    part.report.accounts.some(({ account }) => account === "account-5")
      ? part
      : { ...part, report: { ...part.report, scope: { ...part.report.scope, accounts: late } } },
  );
  const report = mergeReports(knew, { requireComplete: true });
  expect(report).toMatchObject({ report: { complete: true, exitCode: 2 } });
});

test("nothing of a missing part is resolved, and the message names it", async () => {
  const parts = await shardsOf(3);
  const night = (some: readonly ReportPart[]) => {
    const report = merged(some);
    return some.map((part) => ({ ...part.report, missing: report.missing }));
  };
  const record = (before: History, report: DriftReport): { after: History; movements: readonly unknown[] } => {
    const facts = scanOf(report, before);
    const movements = historyChanges(report, facts, before);
    const { findings, scan } = linesOf(facts, before, movements);
    return { after: historyOf([...findings, scan], before), movements };
  };
  const known = night(parts).reduce((before, report) => record(before, report).after, historyOf([]));
  expect(known.open.size).toBe(1);
  const holder = parts.find(({ report }) => report.findings.length > 0)!;
  const others = parts.filter((part) => part !== holder);
  const calm = { ...holder, report: { ...holder.report, startedAt: holder.report.finishedAt, findings: [] } };
  const unaware = { ...calm, report: { ...calm.report, scope: { ...calm.report.scope, stacks: [] } } };
  const gone = (some: readonly ReportPart[]) => night(some).flatMap((report) => record(known, report).movements);
  expect(gone([...others, calm])).toMatchObject([{ change: "gone" }]);
  expect(gone(others)).toEqual([]);
  expect(gone([...others, unaware])).toEqual([]);
  const found = holder.report.findings;
  const partial = merged([holder, others[0]!]);
  expect(noticeOf(partial, { id: "1", news: { found, worse: [], resolved: [] } })).toMatchObject({
    headline: expect.stringMatching(/not everything could be read$/),
    scope: expect.arrayContaining([expect.stringMatching(/^shard \d\/3 missing: no report of it$/)]),
  });
});

/** The reports, of which all but the first say so of their scope. */
function inScope(scope: Partial<DriftReport["scope"]>) {
  return ([first, ...others]: ReportPart[]): ReportPart[] => [
    first!,
    ...others.map((part) => ({ ...part, report: { ...part.report, scope: { ...part.report.scope, ...scope } } })),
  ];
}

const everywhere = (
  parts: readonly ReportPart[],
  change: (report: DriftReport) => Partial<DriftReport>,
): ReportPart[] => parts.map(({ file, report }) => ({ file, report: { ...report, ...change(report) } }));

test("the reports of a run are those that name it, however far apart they are", async () => {
  const named = everywhere(await shardsOf(2), ({ scope }) => ({ scope: { ...scope, run: "7" } }));
  const [first, second] = named as [ReportPart, ReportPart];
  const old = {
    ...first,
    report: { ...first.report, startedAt: "2025-01-01T00:00:00.000Z", finishedAt: "2025-01-01T00:01:00.000Z" },
  };
  expect(merged([old, second]).scope).toMatchObject({ run: "7" });
  expect(mergeReports(named, { run: "8" })).toEqual({
    problem: expect.stringMatching(/is of the run 7, and not of 8\./),
  });
  expect(mergeReports(named, { pipelineRun: "8" })).toHaveProperty("problem");
  expect(mergeReports(named, { run: "7", pipelineRun: "8" })).toHaveProperty("report");
});

test("reports that name no run may be as far apart as a scan may take", async () => {
  const [first, second] = (await shardsOf(2)) as [ReportPart, ReportPart];
  const later = (minutes: number) => {
    const at = (time: string) => new Date(Date.parse(time) + minutes * 60_000).toISOString();
    const { startedAt, finishedAt } = first.report;
    return { ...second, report: { ...second.report, startedAt: at(startedAt), finishedAt: at(finishedAt) } };
  };
  expect(mergeReports([first, later(9)])).toHaveProperty("report");
  expect(mergeReports([first, later(90)])).toHaveProperty("problem");
  expect(mergeReports([first, later(90)], { timeout: 2 * 3_600_000 })).toHaveProperty("report");
  expect(mergeReports([first, later(90)], { pipelineRun: "8" })).toHaveProperty("problem");
  expect(mergeReports([first, later(0)], { pipelineRun: "8" })).toHaveProperty("report");
  expect(mergeReports([first, later(0)], { run: "8" })).toHaveProperty("problem");
});

test.each([
  ["2026-01-01T00:00:00.000Z", "2999-01-01T00:00:00.000Z"],
  ["2026-01-01T00:00:00.000Z", "2025-12-31T23:59:59.000Z"],
  ["2999-01-01T00:00:00.000Z", "2999-01-01T00:01:00.000Z"],
])("a report of no run that is of %s to %s is none of a scan", async (startedAt, finishedAt) => {
  const [first, second] = (await shardsOf(2)) as [ReportPart, ReportPart];
  const forged = { ...first, report: { ...first.report, startedAt, finishedAt } };
  expect(mergeReports([forged, second], { now: Date.parse("2026-01-02T00:00:00.000Z") })).toEqual({
    problem: expect.stringContaining("when no scan can have been"),
  });
});

test("what counts is computed from the findings, whatever a report says of itself", async () => {
  const parts = await shardsOf(3);
  const calm = everywhere(parts, () => ({ drifted: false, exitCode: 0 }));
  expect(merged(calm)).toMatchObject({ drifted: true, exitCode: 2 });
  const accepting = everywhere(calm, ({ scope }) => ({ scope: { ...scope, failOn: ["missing"] } }));
  expect(merged(accepting)).toMatchObject({ drifted: false, exitCode: 0 });
  expect(mergeReports(accepting, { failOn: ["changed"] })).toMatchObject({ report: { exitCode: 2 } });
  const unread = everywhere(calm, ({ findings }) => ({
    findings: findings.map((finding) => ({ ...finding, verdict: "error" as const })),
  }));
  expect(merged(unread)).toMatchObject({ complete: false, exitCode: 3 });
});
