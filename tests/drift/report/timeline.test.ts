import type { HistoryFigures } from "../../../drift/history/store";
import { figuresFormats } from "../../../drift/report/formats";
import { timeText } from "../../../drift/report/timeline-text";
import { day, figures } from "./sample-history";

const now = Date.parse("2026-03-01T02:00:00Z");
const context = { columns: 80, color: false, now };

const render = (format: string, given: HistoryFigures = figures): string =>
  figuresFormats[format]!.render(given, context);

test("at a terminal it is a bar per day, the times to remedy, and what comes back", () => {
  const lines = render("text").split("\n");
  expect(lines.slice(0, 2)).toEqual([
    "1 open finding, 2 remedied",
    "4 scans from 2026-02-01 to 2026-02-04, 1 accepted",
  ]);
  const bars = lines.filter((line) => line.startsWith("2026-02-0"));
  expect(bars.map((line) => line.split(/\s{2,}/).at(-1))).toEqual(["+0 -0", "+4 -0", "+1 -3", "+0 -1"]);
  const lengths = bars.map((line) => [..."█▓░"].map((mark) => line.split(mark).length - 1));
  const [, full, half, quarter] = lengths as [number[], number[], number[], number[]];
  expect(lengths[0]).toEqual([0, 0, 0]);
  expect(full[1]! / full[0]!).toBeCloseTo(3, 0);
  expect(half[0]).toBe(half[2]);
  expect(quarter[0]).toBe(full[0]);
  expect(lines).toContainEqual(expect.stringMatching(/^error +1 +2 d 2 h +2 +1 h 30 min +1 d 3 h$/));
  expect(lines).toContainEqual(
    expect.stringMatching(/^3 times +Deployment <b>chat\\u202e<\/b> in acme +open +2026-02-27$/),
  );
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});

test("more than a month is a bar per week, the last of them of today", () => {
  const timeline = Array.from({ length: 90 }, (_, index) => day(index + 1, { warning: index + 1 }, 1));
  const bars = render("text", { ...figures, timeline })
    .split("\n")
    .filter((line) => /^2026-\d\d-\d\d {2}/.test(line));
  expect(bars).toHaveLength(13);
  expect(bars.at(-1)).toMatch(/^2026-05-01 .* 90 +\+7 -0$/);
});

test("the JSON is the figures", () => {
  expect(JSON.parse(render("json"))).toEqual(figures);
});

test.each([
  [0, "0 s"],
  [59.9, "59 s"],
  [60, "1 min"],
  [5400, "1 h 30 min"],
  [86_400, "1 d"],
  [90_000, "1 d 1 h"],
  [86_460, "1 d"],
  [undefined, ""],
])("%j seconds are %j", (seconds, words) => {
  expect(timeText(seconds)).toBe(words);
});
