// Runs no test: every suite is read, and each of its tests left out.
const { execFileSync, spawnSync } = require("node:child_process");
const { mkdtempSync, readFileSync, rmSync, symlinkSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join, relative } = require("node:path");
require("./compiled.cjs");
const { runScript, UsageError } = require("../tools/script.ts");

const root = join(__dirname, "..");
const jest = require.resolve("jest/bin/jest");
const toNight = "in the nightly run: ";

/** The tests of a configuration, as `describe > test`, with the file, and with the reason where they are left out. */
function testsOf(tree, config) {
  const folder = mkdtempSync(join(tmpdir(), "names-"));
  try {
    const output = join(folder, "tests.json");
    const args = ["--config", join(tree, "tests", config), "--json", "--outputFile", output, "-t", "^no test at all$"];
    spawnSync(process.execPath, [jest, "--silent", ...args], { cwd: tree, stdio: ["ignore", "ignore", "ignore"] });
    return JSON.parse(readFileSync(output, "utf8")).testResults.flatMap(({ name, message, assertionResults }) => {
      if (assertionResults.length === 0) throw new Error(`${name} cannot be read: ${message}`);
      return assertionResults.map(({ ancestorTitles, title }) => ({
        file: relative(join(tree, "tests"), name),
        name: inTodaysWords([...ancestorTitles.filter((each) => !each.startsWith(toNight)), title].join(" > ")),
        reason: ancestorTitles.find((each) => each.startsWith(toNight))?.slice(toNight.length),
      }));
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Names that say the same in other words: without the numbers of what they refer to, and a kind instead of all that
 * is declared of it.
 */
const reworded = [
  [/ \((?:A\d{3}|\d+\.\d+, rule \d+)\)$/, ""],
  [/^\$kind \{.*"kind":"(\w+)".*\} fails at /s, "$1 fails at "],
  [/^(users > cannot share an) address, however it is spelt$/, "$1 email address, whatever its case"],
];
const inTodaysWords = (name) => reworded.reduce((text, [from, to]) => text.replace(from, to), name);

const configs = ["jest.config.cjs", "jest.nightly.cjs"];

function testsAt(revision) {
  const tree = mkdtempSync(join(tmpdir(), "revision-"));
  const git = (...args) => execFileSync("git", args, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  git("worktree", "add", "--detach", "--force", tree, revision);
  try {
    for (const shared of ["node_modules", "dist"]) symlinkSync(join(root, shared), join(tree, shared));
    return configs.map((config) => testsOf(tree, config));
  } finally {
    git("worktree", "remove", "--force", tree);
  }
}

const script = {
  command: "npm run test:names",
  about:
    "Compares the tests of a revision with those of today, by name. Ends with 1 where a test of then is in neither the normal nor the nightly run any more, and lists those that moved to the nightly run, with the reason.",
  takes: { form: "<revision>", about: "of git; HEAD without it", least: 0, most: 1 },
  load: () => configs.forEach((config) => require(join(__dirname, config))),
};

function checkRevision(revision) {
  const { status } = spawnSync("git", ["rev-parse", "--quiet", "--verify", `${revision}^{commit}`], {
    cwd: root,
    stdio: "ignore",
  });
  if (status !== 0) throw new UsageError(`There is no revision \`${revision}\` here.`);
}

function compare(revision) {
  checkRevision(revision);
  const [normalThen, nightlyThen] = testsAt(revision);
  const [normal, nightly] = configs.map((config) => testsOf(root, config));
  const isPlayed = ({ reason }) => reason === undefined;
  const played = new Set(normal.filter(isPlayed).map(({ name }) => name));
  const atNight = new Map(nightly.map(({ name, file }) => [name, file]));
  const reasons = new Map(normal.filter((each) => !isPlayed(each)).map(({ name, reason }) => [name, reason]));

  const then = new Set([...normalThen, ...nightlyThen].map(({ name }) => name));
  const lost = [...then].filter((name) => !played.has(name) && !atNight.has(name));
  const moved = [...new Set(normalThen.filter(isPlayed).map(({ name }) => name))].filter(
    (name) => !played.has(name) && atNight.has(name),
  );
  console.log(
    `${revision}: ${then.size} names; today: ${new Set([...played, ...atNight.keys()]).size}, ${moved.length} moved to the nightly run`,
  );
  for (const name of moved)
    console.log(`moved: ${name}\n  ${reasons.get(name) ?? `its full length is in tests/${atNight.get(name)}`}`);
  for (const name of lost) console.log(`LOST: ${name}`);
  return lost.length > 0 ? 1 : 0;
}

void runScript(script, ({ args: [revision = "HEAD"] }) => compare(revision));
