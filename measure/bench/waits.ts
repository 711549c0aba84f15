import { mean, noticed, scattered, times, type Waits } from "../../tests/lifecycle/simulated-waits";

/**
 * How late the ends of waits are noticed, and with how many requests, for waits of many lengths: on a clock that jumps,
 * so that the figures are the same on every machine. The constants of `provider/lifecycle/waiting/wait-schedule.ts` are
 * chosen by it.
 */

const hour = 60 * 60_000;
const wave = { usual: 20_000, together: 32 };
const jobs = { usual: 20 * 60_000, longestPause: "30s" };

const scenarios: readonly (readonly [string, Waits])[] = [
  ...[1, 5, 20, 60, 240].map(
    (seconds) =>
      [`40 of the declared ${seconds} s`, { takes: times(40, () => seconds * 1000), usual: seconds * 1000 }] as const,
  ),
  ...[0.03, 0.3, 1.3, 3, 9, 40, 150].map(
    (seconds) =>
      [`7 waves of 32, ${seconds} s, declared 20 s`, { takes: times(224, () => seconds * 1000), ...wave }] as const,
  ),
  ...[0.4, 2, 10, 100].map((seconds) => {
    const takes = times(320, (index) => seconds * 1000 * (2 / 3 + scattered(index) * (2 / 3)));
    return [`8 at once, ${seconds} s ± a third`, { takes, usual: seconds * 5000, together: 8 }] as const;
  }),
  ["1,000 deployments, one each 0.1 s, 240 s", { takes: times(1000, () => 240_000), usual: 240_000, between: 100 }],
  ["3 waves of 4 jobs, 3 h", { takes: times(12, () => 3 * hour), ...jobs, together: 4 }],
  ["100 jobs, 1 h ± a third", { takes: times(100, (index) => hour * (2 / 3 + scattered(index) * (2 / 3))), ...jobs }],
];

export async function main(): Promise<void> {
  console.log("| Waits | mean lag, ms | after the first wave | requests |\n| --- | --- | --- | --- |");
  for (const [name, waits] of scenarios) {
    const { lags, lists, reads } = await noticed(waits);
    const later = lags.slice(waits.together ?? waits.takes.length);
    const afterFirst = later.length > 0 ? Math.round(mean(later)) : "–";
    console.log(`| ${name} | ${Math.round(mean(lags))} | ${afterFirst} | ${lists + reads} |`);
  }
}
