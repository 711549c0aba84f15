const path = require("node:path");

const fastCheck = require(path.join(__dirname, "../../node_modules/fast-check/lib/cjs/fast-check.js"));

// By day every property plays the same values, so that a run of the same code ends the same; the night draws new ones.
if (process.env["NIGHTLY"] !== "true") fastCheck.configureGlobal({ seed: 20261126 });

module.exports = fastCheck;
