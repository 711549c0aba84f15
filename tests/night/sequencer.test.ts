import { join } from "node:path";
import { root } from "../rooms";

interface Suite {
  path: string;
  context: { config: { rootDir: string } };
}

const Sequencer = require("./sequencer.cjs") as new () => {
  sort(tests: readonly Suite[]): Suite[];
  shard(tests: readonly Suite[], part: { shardIndex: number; shardCount: number }): Suite[];
};

const suite = (path: string): Suite => ({ path: join(root, path), context: { config: { rootDir: root } } });
const long = ["tests/model/model.nightly.test.ts", "tests/model/processes/programs.nightly.test.ts"];
const suites = [...Array.from({ length: 9 }, (_, index) => `tests/short/${index}.test.ts`), ...long].map(suite);

test.each([1, 2, 4, 20])("%d parts together have each suite once, and about as many", (shardCount) => {
  const sequencer = new Sequencer();
  const parts = Array.from({ length: shardCount }, (_, index) =>
    sequencer.shard(suites, { shardIndex: index + 1, shardCount }),
  );
  expect(
    parts
      .flat()
      .map(({ path }) => path)
      .sort(),
  ).toEqual(suites.map(({ path }) => path).sort());
  const lengths = parts.map(({ length }) => length);
  expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThan(2);
});

test("the longest suites are in different parts, and first in theirs", () => {
  const sequencer = new Sequencer();
  const firsts = [1, 2].map((shardIndex) => sequencer.sort(sequencer.shard(suites, { shardIndex, shardCount: 2 }))[0]!);
  expect(firsts.map(({ path }) => path)).toEqual(long.map((path) => join(root, path)));
});
