import { Gate } from "../../provider/api/http/rate-gate";
import { type Limit, sendAll } from "../../tests/api/support/limited-server";
import { drawn, manualTime } from "../../tests/api/support/manual-time";

/**
 * How long requests take against services with many kinds of limits, as a ratio to the least time that the limit
 * allows, and how many are refused: for 1, 2 and 8 processes, of which each learns for itself. On a clock that jumps,
 * so that the figures are the same on every machine. The constants of `provider/api/http/rate-gate.ts` are chosen by it.
 */

const processCounts = [1, 2, 8];
const advices = ["exact", "seconds", "none"] as const;

interface Scenario extends Omit<Limit, "advice"> {
  name: string;
  count: number;
}

const steady = [1, 10, 100].flatMap((perSecond) =>
  [1, 5, 10].map(
    (burst): Scenario => ({ name: `${perSecond}/s, burst ${burst}`, count: 1000, perSecond, burst, latency: 20 }),
  ),
);
const coldStart = (index: number): number => (index < 5 ? 200 - 30 * index : 0);
const everySeventh = (index: number): number => (index % 7 === 3 ? 12 : 0);
const slow = { count: 400, perSecond: 10, burst: 1, latency: 4 };

const scenarios: readonly Scenario[] = [
  ...steady,
  { name: "6/min, burst 1", count: 100, perSecond: 0.1, burst: 1, latency: 20 },
  { name: "60/min, burst 60", count: 600, perSecond: 1, burst: 60, latency: 20 },
  { name: "60 in each minute", count: 600, perSecond: 1, burst: 0, latency: 20, window: 60_000 },
  { name: "10 in each second", count: 1000, perSecond: 10, burst: 0, latency: 20, window: 1000 },
  { name: "100/s, burst 100", count: 1000, perSecond: 100, burst: 100, latency: 4 },
  { name: "10/s, burst 100, slow answers", count: 1000, perSecond: 10, burst: 100, latency: 200 },
  { name: "10/s, burst 1, first ones late", ...slow, late: coldStart },
  { name: "10/s, burst 1, every seventh late", ...slow, late: everySeventh },
];

async function cell(processes: number, { count, ...limit }: Scenario, advice: Limit["advice"]): Promise<string> {
  const time = manualTime(undefined, drawn(7));
  const gates = Array.from({ length: processes }, () => new Gate({ time }));
  const { took, least, refused } = await sendAll(gates, time, count, { ...limit, advice });
  return `${(took / least).toFixed(2)} (${refused})`;
}

export async function main(): Promise<void> {
  console.log(
    `| Limit | Retry-After | ${processCounts.join(" | ")} |\n| --- | --- | ${"--- | ".repeat(processCounts.length)}`,
  );
  for (const scenario of scenarios)
    for (const advice of advices) {
      const cells: string[] = [];
      for (const processes of processCounts) cells.push(await cell(processes, scenario, advice));
      console.log(`| ${scenario.name} | ${advice} | ${cells.join(" | ")} |`);
    }
}
