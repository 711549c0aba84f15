// Which of a suite's tests the nightly run has. Plain JavaScript: the environment of a suite reads it. Decision 190.

/** Begins the title of a block of nightly tests. */
exports.nightTitle = "in the nightly run: ";

const isNightSuite = (path) => /\.nightly\.test\.ts$/.test(path);

/**
 * Leaves in a suite's tree what the night has of it: nightly suites whole, of other suites the nightly blocks. Of a
 * suite that several parts share, every test has the number of its share.
 */
exports.keepSelected = function keepSelected(root, path, shares) {
  let number = 0;
  const isMine = () => {
    const share = number++ % (shares?.of ?? 1);
    return shares === undefined || shares.mine.includes(share);
  };
  const first = firstTest(root);
  keep(root, isNightSuite(path), isMine);
  // jest takes a suite without tests for a mistake.
  if (root.children.length === 0 && first) {
    first.mode = "skip";
    first.parent = root;
    root.children.push(first);
  }
};

function keep(block, isNight, isMine) {
  block.children = block.children.filter((child) => {
    if (child.type === "test") return isNight && isMine();
    keep(child, isNight || child.name.startsWith(exports.nightTitle), isMine);
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
