// Loaded into every Node.js process of a run, so that a test knows whom it can kill: one file per
// process, named after it, that holds what it runs, whether that is a provider of this package's resources, and
// whether it has loaded a compiler; at its end all files that it has loaded. Commands keep the keys that they derive.
const { appendFileSync, existsSync, writeFileSync } = require("node:fs");
const { Module } = require("node:module");
const { dirname, join } = require("node:path");

if (process.env.ROLL_CALL) {
  if (/dist[\\/]cli[\\/]main/.test(process.argv[1] ?? ""))
    require("../kept-keys.cjs").keepKeysIn(join(dirname(process.env.ROLL_CALL), "keys"));
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
