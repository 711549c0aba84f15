// Suites in the order in which they are named, so that the short ones come first.
const { resolve } = require("node:path");
const { default: Sequencer } = require("@jest/test-sequencer");

module.exports = class extends Sequencer {
  sort(tests) {
    const order = (process.env.MUTANTS_ORDER ?? "").split(",").map((suite) => resolve(suite));
    return [...tests].sort((left, right) => order.indexOf(left.path) - order.indexOf(right.path));
  }
};
