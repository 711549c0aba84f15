const config = require("../../tests/jest.config.cjs");

module.exports = {
  ...config,
  rootDir: "../..",
  transform: { "\\.[jt]s$": "<rootDir>/measure/mutants/transform.cjs" },
  testSequencer: "<rootDir>/measure/mutants/sequencer.cjs",
  setupFilesAfterEnv: process.env.MUTANT === undefined ? ["<rootDir>/measure/mutants/collect.cjs"] : [],
};
