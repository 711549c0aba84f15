// Preloaded into every Node.js process of a command: leaves what it was, and what it has used, when it ends.
const { appendFileSync } = require("node:fs");

const began = Date.now() - process.uptime() * 1000;
process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  const { maxRSS: peak } = process.resourceUsage();
  const args = process.argv.slice(1);
  const line = { pid: process.pid, args, began, ended: Date.now(), processor: user + system, peak };
  appendFileSync(process.env.PROFILE_FILE, `${JSON.stringify(line)}\n`);
});
