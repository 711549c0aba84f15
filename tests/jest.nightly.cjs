// Longer runs of what is random: not for every change. `RANDOM_PROGRAMS` says how many programs each engine runs.
process.env.RANDOM_PROGRAMS ??= "200";

module.exports = {
  ...require("./jest.config.cjs"),
  testMatch: ["**/*.nightly.test.ts", "**/tests/random/*.test.ts"],
  testPathIgnorePatterns: ["/node_modules/"],
};
