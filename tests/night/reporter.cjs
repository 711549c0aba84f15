const { relative } = require("node:path");

/** Says at the end what each suite took, in seconds on the clock, the longest first. For people: no plan reads it. */
module.exports = class TookReporter {
  onRunComplete(_, { testResults }) {
    const took = testResults
      .map(({ testFilePath, perfStats }) => ({ path: relative(process.cwd(), testFilePath), ...perfStats }))
      .sort((one, other) => other.runtime - one.runtime);
    const [long, short] = [took.filter(({ runtime }) => runtime >= 1000), took.filter(({ runtime }) => runtime < 1000)];
    const seconds = (suites) => (suites.reduce((sum, { runtime }) => sum + runtime, 0) / 1000).toFixed(1).padStart(7);
    console.error("\nSeconds that suites took:");
    for (const suite of long) console.error(`${seconds([suite])}  ${suite.path}`);
    console.error(`${seconds(short)}  ${short.length} suites of less than a second\n`);
  }
};
