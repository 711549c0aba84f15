// Preloaded into a scan whose container gets a signal with a certain list of objects: its node fails, or is drained.
const { subscribe } = require("node:diagnostics_channel");

const [signal, after] = process.env.GETS.split(" ");
let read = 0;
subscribe("undici:request:create", ({ request }) => {
  if (/\/accounts\/[^/?]+\/\w/.test(request.path)) read += 1;
  if (read === Number(after)) process.kill(Number(process.env.CONTAINER), signal);
});
