// First, so that the engine is read with its processes replaced.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { onEachEngine, repository } from "../e2e/engines";
import { examples } from "../e2e/example-folders";
import { Site } from "../e2e/site";
import { InlineSite } from "../inline/site";
import { nightly, tonight } from "../nightly";
import { cellsOf, differs, lineOf, type PreviewCell, type PreviewHost } from "./cells";
import { deviations, reasonFor } from "./deviations";

const inOneProcess = (options?: Parameters<typeof InlineSite.start>[0]) => InlineSite.start(options);

/** Its function needs a process of the plugin, which is not there in one process. */
const isPlayed = (host: PreviewHost, example: string): boolean => host === "dynamic" || example !== "policy-settings";

const page = readFileSync(join(repository, "docs/dev/measured/previews.md"), "utf8");

/** Cells that differ, and the reason for which they may. */
const unexplained = (cells: readonly PreviewCell[]): string[] =>
  cells.filter((cell) => differs(cell) && reasonFor(cell.edit) === undefined).map(lineOf);

test.each(["fine-tune-then-serve", "secret-rotation", "deployed-model"])(
  "a preview of dynamic resources announces what happens: every sixth edit of %s",
  async (example) => {
    const cells = await cellsOf(inOneProcess, "dynamic", example, { nth: 6, first: 1 });
    expect(cells.length).toBeGreaterThan(0);
    expect(unexplained(cells)).toEqual([]);
  },
);

test("a rotated secret announces one update, and nothing of what refers to it", async () => {
  const cells = await cellsOf(inOneProcess, "dynamic", "secret-rotation");
  const rotation = cells.find(({ edit }) => edit.input === "valueVersion");
  expect(rotation).toMatchObject({ announced: ["update storage"], executed: ["update storage"] });
});

test("the page gives the reason for every deviation", () => {
  for (const { reason } of deviations) expect(page).toContain(reason);
});

nightly("each edit of each example takes a preview and an `up`", () => {
  test("on the built-in engine, in one process, every edit does what its preview says", async () => {
    const hosts: PreviewHost[] = ["dynamic", "plugin"];
    const counted = [];
    for (const host of hosts) {
      const cells: PreviewCell[] = [];
      for (const example of examples.filter((each) => isPlayed(host, each)))
        cells.push(...(await cellsOf(inOneProcess, host, example)));
      expect(unexplained(cells)).toEqual([]);
      counted.push(`| ${host} | ${cells.length} | ${cells.filter(differs).length} |`);
    }
    for (const row of counted) expect(page).toContain(row);
  }, 3_600_000);

  onEachEngine((engine) => {
    // What real processes add is the door: an example on each host shows it, another one each night.
    test.each(
      tonight(examples.length, examples).flatMap((example): [string, PreviewHost][] => [
        [example, "dynamic"],
        [example, "plugin"],
      ]),
    )(
      "every edit of %s, served by %s, does what its preview announces",
      async (example, host) => {
        const cells = await cellsOf((options) => Site.open(engine, options), host, example);
        expect(unexplained(cells)).toEqual([]);
      },
      3_600_000,
    );
  });
});
