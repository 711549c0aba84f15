import { readdirSync } from "node:fs";
import { dayMs, finding, history, linesIn, removeFolders, report } from "./reports";

afterEach(removeFolders);

const chat = "accounts/acme/deployments/chat";
const search = "accounts/acme/deployments/search";
const at = (day: number): string => new Date(Date.parse("2026-01-01T02:00:00Z") + day * dayMs).toISOString();

/** A store whose clock is that of the scan that it records. */
function kept(days: number) {
  const clock = { now: 0 };
  const { store, folder } = history({ days, now: () => clock.now });
  return {
    folder,
    store,
    scan: (day: number, names: readonly string[], accounts = ["acme"]) => {
      clock.now = Date.parse(at(day));
      return store.record(report({ at: at(day), accounts, findings: names.map((name) => finding(name)) }));
    },
  };
}

test("days that are too old are removed; what is open keeps its first day and count", async () => {
  const { scan, folder } = kept(10);
  await scan(0, [chat, search]);
  await scan(1, [chat]);
  for (let day = 2; day < 14; day++) await scan(day, [chat]);
  const { report: dated, history: known } = await scan(14, [chat]);
  expect(dated.findings).toMatchObject([{ firstSeen: at(0), timesSeen: 15 }]);
  expect(known.ended).toEqual([]);
  expect(readdirSync(folder).sort()[0]).toBe("2026-01-04.ndjson");
  const { history: after } = await scan(15, []);
  expect(after.ended).toMatchObject([{ name: chat, firstSeen: at(0), resolvedAt: at(15), timesSeen: 15 }]);
});

test("what is open is repeated once, and not in every scan", async () => {
  const { scan, folder } = kept(10);
  for (let day = 0; day < 20; day++) await scan(day, [chat]);
  expect(linesIn(folder).filter(({ change }) => change === "kept")).toHaveLength(1);
});

test("what no scan has looked at for as long is forgotten", async () => {
  const { scan, store } = kept(10);
  await scan(0, [chat]);
  for (let day = 1; day < 30; day++) await scan(day, ["accounts/globex/deployments/search"], ["globex"]);
  expect([...store.read().open.values()].map(({ name }) => name)).toEqual(["accounts/globex/deployments/search"]);
});

test("a scan whose clock is ahead removes no file of the history", async () => {
  const { scan, folder, store } = kept(10);
  await scan(0, [chat]);
  await scan(5000, [chat]);
  await scan(1, [chat]);
  expect(readdirSync(folder).sort()).toEqual(["2026-01-01.ndjson", "2026-01-02.ndjson", "2039-09-10.ndjson"]);
  expect(store.read().open.size).toBe(1);
});
