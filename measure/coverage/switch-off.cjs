// Switches the rules of the coverage page off, one by one, and fails where the tests
// that claim one do not notice. Decision 043.
require("../../tests/compiled.cjs");
const { tryAll } = require("./mutation.ts");
const { told } = require("./survivors.ts");

tryAll().then((outcomes) => {
  const { text, problems } = told(outcomes);
  if (process.argv.includes("--json")) process.stdout.write(JSON.stringify(problems));
  process.stderr.write(`${text}\n`);
  for (const [rule, reasons] of Object.entries(problems))
    for (const reason of reasons) process.stderr.write(`  ${rule}: ${reason}\n`);
  process.exitCode = Object.keys(problems).length === 0 ? 0 : 1;
});
