// Loaded into every Node.js process of a run, so that a test knows whom it can kill: one file per
// process, named after it, that holds what it runs, whether that is a provider of this package's resources, and
// whether it has loaded a compiler; at its end all files that it has loaded.
const { appendFileSync, existsSync, writeFileSync } = require("node:fs");
const { Module } = require("node:module");
const { join } = require("node:path");

if (process.env.ROLL_CALL) {
  const entry = join(process.env.ROLL_CALL, String(process.pid));
  writeFileSync(entry, process.argv[1] ?? "");
  const load = Module._extensions[".js"];
  Module._extensions[".js"] = (module, file) => {
    if (/dist[\\/]provider[\\/]pulumi[\\/]process\.js$/.test(file)) appendFileSync(entry, "\nserves");
    if (/typescript[\\/]lib[\\/]typescript\.js$/.test(file)) appendFileSync(entry, "\ncompiles");
    return load(module, file);
  };
  process.once("exit", () => {
    if (existsSync(entry)) appendFileSync(entry, `\n${Object.keys(require.cache).join("\n")}`);
  });
}
