// Loaded into every Node.js process of a run, so that a test knows whom it can kill: one file per
// process, named after it, that holds what it runs.
const { writeFileSync } = require("node:fs");
const { join } = require("node:path");

if (process.env.ROLL_CALL) writeFileSync(join(process.env.ROLL_CALL, String(process.pid)), process.argv[1] ?? "");
