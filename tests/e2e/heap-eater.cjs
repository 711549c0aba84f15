// Loaded into an engine's process: takes all of its memory once the service has answered its first create, and no
// sooner, so that the process ends with an object made and no word of it in the state.
const { subscribe } = require("node:diagnostics_channel");

if (/dist[\\/]cli[\\/]main\.js$/.test(process.argv[1] ?? ""))
  subscribe("undici:request:headers", ({ request }) => {
    if (request.method !== "POST") return;
    const eaten = [];
    for (;;) eaten.push(new Array(1_000_000).fill(eaten.length));
  });
