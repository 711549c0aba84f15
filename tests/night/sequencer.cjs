const { default: Sequencer } = require("@jest/test-sequencer");
const { relative } = require("node:path");

/** The longest suites of a part first, so that all workers end at about the same time. */
module.exports = class NightSequencer extends Sequencer {
  sort(tests) {
    const seconds = JSON.parse(process.env.NIGHT_SECONDS ?? "{}");
    const of = ({ path, context }) => seconds[relative(context.config.rootDir, path)] ?? 0;
    return [...tests].sort((one, other) => of(other) - of(one));
  }
};
