const { spawnSync } = require("node:child_process");
const { join } = require("node:path");
require("../../tests/compiled.cjs");
const { runScript, UsageError } = require("../../tools/script.ts");

/** Those that `npm run bench` runs one after the other. */
const all = [
  "why",
  "peers",
  "floor",
  "growth",
  "first-preview",
  "requests",
  "plugin",
  "rates",
  "waits",
  "many-accounts",
];
/** Those that run by name alone. */
const others = ["profile"];
const names = [...all, ...others];

const mainOf = (name) => require(join(__dirname, `${name}.ts`)).main;

const script = {
  command: "npm run bench",
  about: "Measures counts and ratios: tests/README.md has what each bench measures, and its settings.",
  takes: { form: "<bench>", about: `${names.join(", ")}; all but the last without a name`, least: 0, most: 1 },
  load: () => names.forEach(mainOf),
};

async function run([name]) {
  if (name === undefined) return Math.max(...all.map(runAlone));
  if (!names.includes(name)) throw new UsageError(`There is no bench \`${name}\`, but ${names.join(", ")}.`);
  await mainOf(name)();
  return Number(process.exitCode ?? 0);
}

function runAlone(name) {
  console.log(`\n${name}`);
  return spawnSync(process.execPath, [__filename, name], { stdio: "inherit" }).status === 0 ? 0 : 1;
}

void runScript(script, ({ args }) => run(args));
