// Gathers what a test run shows of the API's description, and holds docs/dev/measured/coverage.md to it. Decision 043.
const { spawnSync } = require("node:child_process");
const { mkdtempSync, rmSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");

/**
 * `COVERAGE=write` writes the page by the tests that were chosen; otherwise a run of all
 * tests checks it, and a run of some does nothing.
 */
module.exports = class CoverageReporter {
  constructor(globalConfig) {
    this.writes = process.env.COVERAGE === "write";
    this.wanted = this.writes || isComplete(globalConfig);
  }

  onRunStart() {
    if (this.wanted) process.env.COVERAGE_FOLDER = this.folder = mkdtempSync(join(tmpdir(), "coverage-"));
  }

  onRunComplete(_, { testResults, numFailedTestSuites, wasInterrupted }) {
    if (!this.wanted) return;
    try {
      // What failed may be what was to show it.
      if (numFailedTestSuites > 0 || wasInterrupted) return;
      require("../../tests/compiled.cjs");
      const { problemsOf, runOf } = require("./report.ts");
      const problems = problemsOf(runOf(this.folder, testResults, this.writes ? unnoticed() : {}), this.writes);
      if (problems.length === 0) return;
      this.error = new Error(
        `coverage of the API's description:\n${problems.map((problem) => `  ${problem}`).join("\n")}`,
      );
      process.stderr.write(`\n${this.error.message}\n`);
    } finally {
      rmSync(this.folder, { recursive: true, force: true });
    }
  }

  getLastError() {
    return this.error;
  }
};

/** Rules that can be switched off without a test that notices, found in a process of their own. */
function unnoticed() {
  const { stdout, stderr } = spawnSync(process.execPath, [join(__dirname, "switch-off.cjs"), "--json"], {
    encoding: "utf8",
  });
  process.stderr.write(`\n${stderr}`);
  return JSON.parse(stdout);
}

const isComplete = ({ testPathPatterns, testNamePattern, onlyChanged, shard, runTestsByPath, findRelatedTests }) =>
  (testPathPatterns?.patterns ?? []).length === 0 &&
  !testNamePattern &&
  !onlyChanged &&
  !shard &&
  !runTestsByPath &&
  !findRelatedTests;
