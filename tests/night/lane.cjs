// Suites that judge no file of the product: a landing that touches nothing of theirs leaves them to the night.
// Plain JavaScript: the environment of a suite reads it.

/** Suites of the lane, as jest takes them: patterns of their paths. */
exports.laneSuites = [
  "tests/(executables|pipelines|publish|rehearsal|scripts|sdk|stand-ins)/",
  "tests/docs/releasing\\.test",
  "tests/security/pipeline-attacks\\.test",
];

/** What they judge: scripts, releases, pipelines, what is installed, and themselves. */
const judged = [
  /^(tools|measure|examples\/ci|\.ci|\.github)\//,
  /^tests\/(night|executables\.ts)/,
  /^(.*\/)?package(-lock)?\.json$/,
  /^docs\/dev\/releasing\.md$/,
];

const isLaneSuite = (path) => exports.laneSuites.some((pattern) => new RegExp(pattern).test(path));

exports.isLaneSuite = isLaneSuite;

/** Whether a change of this file is judged by the lane. */
exports.isOfLane = (file) => isLaneSuite(file) || judged.some((pattern) => pattern.test(file));
