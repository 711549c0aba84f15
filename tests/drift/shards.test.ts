import { isIn } from "../../drift/scan/accounts";
import type { DriftReport } from "../../drift/scan/document";
import { mergeReports, type ReportPart } from "../../drift/scan/merge";
import { parseShard } from "../../drift/scan/shard";
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
  expect(first!.report.scope).toEqual({ stacks: ["shop/prod"], accounts: [...accounts].sort(), shard: "1/3" });
  expect(first!.report.accounts.length).toBeLessThan(accounts.length);
});

test.each<[string, (parts: ReportPart[]) => ReportPart[], RegExp]>([
  ["a gap", (parts) => parts.slice(1), /^No report for shard 1 of 3\./],
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
    "other stacks",
    ([first, ...others]) => [
      first!,
      ...others.map((part) => ({ ...part, report: { ...part.report, scope: { ...part.report.scope, stacks: [] } } })),
    ],
    /other stacks/,
  ],
  [
    "other accounts",
    ([first, ...others]) => [
      first!,
      ...others.map((part) => ({ ...part, report: { ...part.report, scope: { ...part.report.scope, accounts: [] } } })),
    ],
    /other accounts/,
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
  [
    "an account that no shard has read",
    (parts) =>
      parts.map((part) => ({
        ...part,
        report: { ...part.report, accounts: part.report.accounts.filter(({ account }) => account !== "account-5") },
      })),
    /^No report has read the account account-5\./,
  ],
  ["nothing", () => [], /nothing to merge/],
])("%s is refused", async (_, spoil, problem) => {
  expect(mergeReports(spoil(await shardsOf(3)))).toEqual({ problem: expect.stringMatching(problem) });
});
