// What `npm test` leaves out, at its full length: `npm run test:nightly` divides it into parts. Decision 190.
process.env.NIGHTLY = "true";

module.exports = {
  ...require("./jest.config.cjs"),
  testPathIgnorePatterns: ["/node_modules/"],
  testSequencer: "<rootDir>/tests/night/sequencer.cjs",
};
