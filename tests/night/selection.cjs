// Which of a suite's tests the nightly run has. Plain JavaScript: the environment of a suite reads it. Decision 190.
const { isLaneSuite } = require("./lane.cjs");

/** Begins the title of a block of nightly tests. */
exports.nightTitle = "in the nightly run: ";

const isNightSuite = (path) => /\.nightly\.test\.ts$/.test(path);

/** Whether the night has all of a suite: a nightly one, or one that a landing may leave out. */
exports.isWholeAtNight = (path) => isNightSuite(path) || isLaneSuite(path);

/** Leaves in a suite's tree what the night has of it: all, or the nightly blocks. */
exports.keepSelected = function keepSelected(root, path) {
  if (exports.isWholeAtNight(path)) return;
  const first = firstTest(root);
  keepNightly(root);
  // jest takes a suite without tests for a mistake.
  if (root.children.length === 0 && first) {
    first.mode = "skip";
    first.parent = root;
    root.children.push(first);
  }
};

function keepNightly(block) {
  block.children = block.children.filter((child) => {
    if (child.type === "test") return false;
    if (child.name.startsWith(exports.nightTitle)) return true;
    keepNightly(child);
    return child.children.length > 0;
  });
}

function firstTest(block) {
  for (const child of block.children) {
    const test = child.type === "test" ? child : firstTest(child);
    if (test) return test;
  }
  return undefined;
}
