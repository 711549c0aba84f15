const config = require("../jest.config.cjs");

module.exports = {
  ...config,
  rootDir: "../..",
  transform: { "\\.[jt]s$": "<rootDir>/tests/mutants/transform.cjs" },
  testSequencer: "<rootDir>/tests/mutants/sequencer.cjs",
  reporters: ["default"],
  setupFilesAfterEnv: process.env.MUTANT === undefined ? ["<rootDir>/tests/mutants/collect.cjs"] : [],
};
