// Runs benches: node tests/bench/run.cjs [name [role]], all of them without a name.
const { spawnSync } = require("node:child_process");
const { join } = require("node:path");
require("../compiled.cjs");

const [, , name] = process.argv;

if (name !== undefined) require(join(__dirname, `${name}.ts`));
else {
  for (const each of [
    "why",
    "peers",
    "growth",
    "requests",
    "engine-up",
    "plugin",
    "rates",
    "waits",
    "one-limit",
    "emulator-throughput",
    "upload-memory",
    "many-accounts",
    "mask",
    "secrets",
    "interrupts",
    "faulty",
  ]) {
    console.log(`\n${each}`);
    const { status } = spawnSync(process.execPath, [__filename, each], { stdio: "inherit" });
    if (status !== 0) process.exitCode = 1;
  }
}
