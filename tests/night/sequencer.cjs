const { default: Sequencer } = require("@jest/test-sequencer");
const { relative } = require("node:path");

/** The longest suites of the night, the longest first: each part has as many of them. */
const longest = [
  "tests/model/model.nightly.test.ts",
  "tests/model/processes/programs.nightly.test.ts",
  "tests/e2e/crash.test.ts",
  "tests/lifecycle/contract/crash.test.ts",
  "tests/lifecycle/contract/acceptance.test.ts",
  "tests/interrupts/struck.test.ts",
  "tests/docs/played.test.ts",
  "tests/e2e/accept.nightly.test.ts",
  "tests/previews/table.test.ts",
  "tests/sdk/lanes.nightly.test.ts",
  "tests/rewrite/drawn.test.ts",
  "tests/e2e/languages.test.ts",
];

const placeOf = ({ path, context }) => {
  const place = longest.indexOf(relative(context.config.rootDir, path));
  return place === -1 ? longest.length : place;
};

module.exports = class NightSequencer extends Sequencer {
  /** The longest first, so that all workers end at about the same time. */
  sort(tests) {
    return [...tests].sort((one, other) => placeOf(one) - placeOf(other) || (one.path < other.path ? -1 : 1));
  }

  /** Deals the suites to and fro: whoever has the longest of a round has the shortest of the next. */
  shard(tests, { shardIndex, shardCount }) {
    const partOf = (index) => {
      const place = index % shardCount;
      return Math.floor(index / shardCount) % 2 === 0 ? place : shardCount - 1 - place;
    };
    return this.sort(tests).filter((_, index) => partOf(index) === shardIndex - 1);
  }
};
