import {
  clean,
  columns,
  createPalette,
  formatDuration,
  formatElapsed,
  oneLine,
  truncate,
  wantsColour,
  wrap,
} from "../../../engine/display/text";
import { typeLabel } from "../../../engine/display/wording";
import { timeOfDay } from "../../../io/text/time-of-day";

test.each([
  [-5, "0.0s"],
  [0, "0.0s"],
  [1_234, "1.2s"],
  [9_949, "9.9s"],
  [9_950, "9s"],
  [12_999, "12s"],
  [60_000, "1m 00s"],
  [72_000, "1m 12s"],
  [3_600_000, "1h 00m"],
  [7_500_000, "2h 05m"],
  [360_000_000, "100h 00m"],
])("%i ms take %s", (ms, text) => expect(formatDuration(ms)).toBe(text));

test("redrawn durations count whole seconds", () => expect(formatElapsed(1_999)).toBe("1s"));

test("the time of day is in UTC", () => expect(timeOfDay(Date.UTC(2026, 5, 1, 7, 8, 9))).toBe("07:08:09Z"));

test("text cannot move the cursor, colour the screen or hide itself", () => {
  expect(clean("a\u001b[31mred\u001b[0m\tb\r\nc\u0007\u009b2Jd\rx")).toBe("ared  b\ncdx");
  expect(oneLine(" a \n\n  b\n")).toBe("a b");
});

test("wide characters count as two columns", () => {
  expect(columns("名前")).toBe(4);
  expect(truncate("名前abc", 4)).toBe("名…");
  expect(truncate("abcd", 4)).toBe("abcd");
  expect(truncate("abcd", 0)).toBe("");
});

test("lines break between words, words only when they must, and own breaks stay", () => {
  expect(wrap("one two three\nfour five six", 9)).toEqual(["one two", "three", "four five", "six"]);
  expect(wrap("ab cdefghijklmn o", 8)).toEqual(["ab cdefg", "hijklmn", "o"]);
  expect(wrap("", 8)).toEqual([""]);
});

test("a command in backquotes stays on one line where a line can hold it", () => {
  expect(wrap("run `up --yes` now", 12)).toEqual(["run", "`up --yes`", "now"]);
  expect(wrap("run (`up -y`), then", 11)).toEqual(["run", "(`up -y`),", "then"]);
  expect(wrap("run `up --target a`", 10)).toEqual(["run `up", "--target", "a`"]);
  expect(wrap("an open ` is no code", 9)).toEqual(["an open `", "is no", "code"]);
});

test("text that does not fit a line continues below its first word", () => {
  expect(wrap("  * four five six\n- a bee sea", 10)).toEqual(["  * four", "    five", "    six", "- a bee", "  sea"]);
  expect(wrap("  * urn:pulumi:dev::boxes, late", 14)).toEqual(["  * urn:pulumi", "    :dev::boxe", "    s, late"]);
});

test.each([
  ["pulumi-nodejs:dynamic/modelplatform:Deployment", "modelplatform:Deployment"],
  ["pulumi-nodejs:dynamic:Resource", "dynamic:Resource"],
  ["modelplatform:index:Deployment", "modelplatform:Deployment"],
  ["aws:s3/bucket:Bucket", "aws:s3:Bucket"],
  ["my:component:Group", "my:component:Group"],
  ["pulumi:providers:pulumi-nodejs", "provider:pulumi-nodejs"],
  ["pulumi:pulumi:Stack", "stack"],
  ["odd", "odd"],
])("the type %s is called %s", (type, label) => expect(typeLabel(type)).toBe(label));

test.each([
  [{}, true, true],
  [{}, false, false],
  [{ NO_COLOR: "1" }, true, false],
  [{ NO_COLOR: "" }, true, true],
  [{ TERM: "dumb" }, true, false],
  [{ FORCE_COLOR: "1" }, false, true],
  [{ FORCE_COLOR: "1", NO_COLOR: "1" }, false, false],
  [{ FORCE_COLOR: "0" }, true, false],
])("with %j on a terminal (%s) colours are %s", (env, isTTY, wanted) => expect(wantsColour(env, isTTY)).toBe(wanted));

test("without colours nothing is added", () => {
  const palette = createPalette(false);
  expect(Object.values(palette).map((paint) => paint("x"))).toEqual(Object.keys(palette).map(() => "x"));
  expect(createPalette(true).error("x")).toContain("\u001b[31m");
});
