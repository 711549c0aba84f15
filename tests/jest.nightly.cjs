// Every test at its full length: not for every change. `RANDOM_PROGRAMS` says
// how many random programs each engine runs.
process.env.NIGHTLY = "true";
process.env.RANDOM_PROGRAMS ??= "200";

module.exports = { ...require("./jest.config.cjs"), testPathIgnorePatterns: ["/node_modules/"] };
