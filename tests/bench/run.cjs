// Runs a bench: node tests/bench/run.cjs <name>. Benches are TypeScript and compiled as they are read, like the tests.
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

require(join(__dirname, `${process.argv[2]}.ts`));
