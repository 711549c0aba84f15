// Runs benches: node tests/bench/run.cjs [name [role]], all of them without a name. They are TypeScript and compiled as they are read, like the tests.
const { spawnSync } = require("node:child_process");
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const { transformSync } = require("@swc/core");

require.extensions[".ts"] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, "utf8"), {
    filename,
    jsc: { target: "es2022", parser: { syntax: "typescript" } },
    module: { type: "commonjs" },
  });
  module._compile(code, filename);
};

const [, , name] = process.argv;

if (name !== undefined) require(join(__dirname, `${name}.ts`));
else {
  for (const each of ["requests", "engine-up", "emulator-throughput", "upload-memory"]) {
    console.log(`\n${each}`);
    const { status } = spawnSync(process.execPath, [__filename, each], { stdio: "inherit" });
    if (status !== 0) process.exitCode = 1;
  }
}
