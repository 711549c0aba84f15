import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dynamicHost, pluginHost } from "../lifecycle/contract/hosts";
import { isNightly, longerAtNight, tonight } from "../nightly";
import type { Values } from "../values";
import { outcomeOf } from "./deviations/outcome";
import { deviationsPage } from "./deviations/page";
import type { Kind, Row } from "./deviations/row";
import { rows } from "./deviations/rows";
import { live } from "./foreign-life";
import { programs } from "./programs";

/**
 * Each life is five `up`s, a refresh, a scan, a change and a `destroy` on a service with one deviation: one object, no
 * write but the first, the change and the last. A day's run has a tenth of them, a night a third, others each night;
 * `ROWS=all` has all, and `ROWS=<pattern>` those whose names match.
 */
jest.setTimeout(120_000);

const repository = join(__dirname, "..", "..");

const { ROWS } = process.env;
const wanted = ROWS ?? (isNightly ? "all" : undefined);
const isNow = (row: Row, index: number): boolean =>
  wanted === undefined ? index % 10 === 0 : wanted === "all" || new RegExp(wanted).test(row.name);

const pairs = rows.filter(isNow).flatMap((row) => row.kinds.map((kind) => [row.name, kind, row] as const));
const lives = ROWS === undefined ? tonight(3, pairs) : pairs;

test.each(Object.keys(programs) as Kind[])("a %s lives on a service that keeps every convention", async (kind) => {
  expect(await live(kind, {})).toEqual({ at: "the end" });
});

test.each([
  ["User", "CREATING"],
  ["Deployment", "CREATING"],
] as const)("a %s that stays in %s lives with a program that waits for no state", async (kind, state) => {
  const staying = { shows: (object: Values): Values => ({ ...object, state }) };
  expect(await live(kind, staying, { inputs: { waitFor: "accepted" } })).toEqual({ at: "the end" });
});

/** Served by the plugin, a day's run has every fifth of them. */
const servedByPlugin = wanted === "all" ? lives : lives.filter((_, index) => index % 5 === 0);

longerAtNight(() => {
  describe.each([
    { host: dynamicHost, some: lives },
    { host: pluginHost, some: servedByPlugin },
  ])("served as $host.title", ({ host, some }) => {
    if (some.length > 0)
      test.each(some)("where %s: %s", async (_, kind, row) => {
        const { outcome, message } = await outcomeOf(row, kind, host);
        const told = outcome === row.outcome ? "" : message;
        expect({ outcome, message: told }).toEqual({ outcome: row.outcome, message: "" });
        if (row.message) expect(message).toMatch(row.message);
      });
  });
});

test("there are at least 120 deviations, each with a name of its own", () => {
  expect(rows.length).toBeGreaterThanOrEqual(120);
  expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
});

const begin = "<!-- deviations -->";
const end = "<!-- end of deviations -->";

test("the page on deviations says what becomes of each deviation", () => {
  const path = join(repository, "docs/dev/measured/deviations.md");
  const page = readFileSync(path, "utf8");
  const [before] = page.split(begin);
  const whole = `${before}${begin}\n${deviationsPage()}\n\n${end}\n`;
  if (process.env["WRITE_PAGES"] === "true") writeFileSync(path, whole);
  expect(page).toBe(whole);
});
