// Preloaded into every Node.js process of a command: leaves what it was, and what it has used, when it ends.
const { appendFileSync } = require("node:fs");

const began = Date.now() - process.uptime() * 1000;
process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  const line = { pid: process.pid, args: process.argv.slice(1), began, ended: Date.now(), processor: user + system };
  appendFileSync(process.env.PROFILE_FILE, `${JSON.stringify(line)}\n`);
});
