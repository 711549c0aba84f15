// Compiles sources for jest as usual, but with a mutant in one of them, or with functions that note their calls.
const { relative, resolve, sep } = require("node:path");
require("../../tests/compiled.cjs");
const { createTransformer } = require("@swc/jest");
const { noting } = require("./points.ts");
const { rooms } = require("../../tests/rooms.ts");

const root = resolve(__dirname, "../..");
const swc = createTransformer({
  jsc: { target: "es2022", parser: { syntax: "typescript" } },
  module: { type: "commonjs" },
});
const mutant = process.env.MUTANT === undefined ? undefined : JSON.parse(process.env.MUTANT);

function changed(text, filename) {
  const file = relative(root, filename).split(sep).join("/");
  if (mutant === undefined) return rooms.includes(file.split("/")[0]) ? noting(text, file) : text;
  return mutant.file === file ? text.slice(0, mutant.start) + mutant.put + text.slice(mutant.end) : text;
}

module.exports = {
  process: (text, filename, options) => swc.process(changed(text, filename), filename, options),
  getCacheKey: (text, filename, options) => swc.getCacheKey(changed(text, filename), filename, options),
};
