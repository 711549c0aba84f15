// Switches the rules of the coverage page off, one by one, and fails where the tests that claim one do not notice. Decision 035.
require("../compiled.cjs");
const { tryAll } = require("./mutation.ts");
const { told } = require("./survivors.ts");

tryAll().then((outcomes) => {
  const { text, problems } = told(outcomes);
  process.stdout.write(`${text}\n`);
  for (const problem of problems) process.stderr.write(`  ${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
});
