// Loaded into a process, so that a test learns how much memory it has taken at most, in kilobytes.
const { writeFileSync } = require("node:fs");

process.on("exit", () => writeFileSync(process.env.PEAK_MEMORY, String(process.resourceUsage().maxRSS)));
