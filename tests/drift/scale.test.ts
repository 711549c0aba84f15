import type { DriftReport } from "../../drift/scan/document";
import { managedSpecs } from "../../provider/resources/index";
import { virtualClock } from "../lifecycle/virtual-clock";
import { isNightly, longerAtNight } from "../nightly";
import { fill, sizeOf } from "./support/large-world";
import { createScene } from "./support/scene";
import { recordedStack } from "./support/stacks";

const accounts = Array.from({ length: isNightly ? 50 : 8 }, (_, index) => `a${String(index).padStart(2, "0")}`);
const mix = { deployments: 640, users: 250, models: 80, secrets: 30 };
const spoilt = 5;

/** Milliseconds that a request takes, by account: the last account is the slowest. */
const latencyOf = (account: string): number => 20 + 2 * (Number(account.slice(1)) || 0);

const clock = virtualClock();
const scene = createScene({
  accounts,
  time: clock,
  travel: async ({ account }) => {
    await clock.sleep(latencyOf(account));
    clock.busy += 1;
  },
  arrived: () => void (clock.busy -= 1),
});
const stack = recordedStack(fill(scene.emulator, accounts, mix, spoilt));

/** Requests that a scan of this report may have cost at most. */
const budgetOf = ({ accounts: read, findings }: DriftReport): number =>
  read.reduce(
    (sum, { collections }) =>
      sum + 3 + collections.reduce((pages, { total }) => pages + Math.max(1, Math.ceil((total ?? 0) / 200)) + 1, 0),
    0,
  ) + findings.filter(({ verdict }) => verdict !== "unmanaged").length;

const milliseconds = ({ startedAt, finishedAt }: DriftReport): number => Date.parse(finishedAt) - Date.parse(startedAt);

let whole: DriftReport;
let requests: number;

beforeAll(async () => {
  expect(sizeOf(mix)).toBe(1000);
  whole = await scene.scan([stack]);
  requests = scene.requests.length;
});

longerAtNight(() => {
  test(`${accounts.length} accounts with 1,000 objects each are compared in full`, () => {
    expect(whole).toMatchObject({
      complete: true,
      exitCode: 2,
      summary: { changed: accounts.length * spoilt, unverifiable: 0, "in-sync": accounts.length * (1000 - spoilt) },
      coverage: { managed: accounts.length * 1000, total: accounts.length * 1000 },
    });
  });

  test("they cost no more requests than they may, and as many as the report says", () => {
    expect(requests).toBeLessThanOrEqual(budgetOf(whole));
    // Four pages of deployments, two of users, one of each other collection, and a read per changed object; once for
    // all accounts, the model that everything is made from.
    const others = managedSpecs.length - 2;
    expect(requests).toBe(accounts.length * (4 + 2 + others + spoilt) + 1);
    expect(whole.accounts.reduce((sum, account) => sum + account.requests, 0)).toBe(requests);
  });

  test("all accounts together take hardly longer than the slowest one", async () => {
    const slowest = milliseconds(await scene.scan([stack], { accounts: [accounts.at(-1)!] }));
    expect(slowest).toBeGreaterThan(0);
    expect(milliseconds(whole)).toBeLessThanOrEqual(1.2 * slowest);
  });

  test("fewer accounts at once is slower, and just as right", async () => {
    const some = accounts.slice(0, 6);
    const [wide, narrow] = [
      await scene.scan([stack], { accounts: some }),
      await scene.scan([stack], { accounts: some, concurrency: 2 }),
    ];
    expect(milliseconds(narrow)).toBeGreaterThan(2 * milliseconds(wide));
    expect(narrow.summary).toEqual(wide.summary);
  });
});
