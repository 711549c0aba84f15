// Preloaded into a process that is to die, as by a node that fails, with its tenth request.
const { subscribe } = require("node:diagnostics_channel");

let left = 10;
subscribe("undici:request:create", () => {
  left -= 1;
  if (left === 0) process.kill(process.pid, "SIGKILL");
});
