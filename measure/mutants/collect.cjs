// Runs beside each suite: writes down which functions of our own were called in it, and how long it took.
const { appendFileSync } = require("node:fs");
const { relative, resolve } = require("node:path");

const called = new Map();
const start = Date.now();

globalThis.ranIn = (file) => {
  if (!called.has(file)) called.set(file, []);
  return called.get(file);
};

afterAll(() => {
  const suite = relative(resolve(__dirname, "../.."), expect.getState().testPath);
  const functions = Object.fromEntries([...called].map(([file, ran]) => [file, Object.keys(ran).map(Number)]));
  appendFileSync(process.env.MUTANTS_MAP, `${JSON.stringify({ suite, took: Date.now() - start, functions })}\n`);
});
