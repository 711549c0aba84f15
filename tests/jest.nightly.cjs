// What `npm test` leaves out, at its full length: `npm run test:nightly` runs it, or a part of it. Decision 190.
process.env.NIGHTLY = "true";

module.exports = {
  ...require("./jest.config.cjs"),
  testPathIgnorePatterns: ["/node_modules/"],
  reporters: ["default", "<rootDir>/tests/night/reporter.cjs"],
  testSequencer: "<rootDir>/tests/night/sequencer.cjs",
};
