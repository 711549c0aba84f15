const path = require("node:path");

const fastCheck = require(path.join(__dirname, "../../node_modules/fast-check/lib/cjs/fast-check.js"));

// Every property plays the same values in each run, so that a run of the same code ends the same; a night with
// `--fresh` draws new ones.
fastCheck.configureGlobal({ seed: (20261126 + Number(process.env["NIGHT_SEED"] ?? 0)) % 2 ** 31 });

module.exports = fastCheck;
