// What suites have left with the user fails the run, where nobody else is at work: elsewhere it may be the user's own.
module.exports = function checkHomes() {
  const changes = globalThis.changesAtHome();
  if (changes.length === 0) return;
  const message = `Tests, or something beside them, have written to the user's folders: ${changes.slice(0, 5).join(", ")}. Tests must write below what \`HOME\`, \`XDG_STATE_HOME\` and \`XDG_CACHE_HOME\` name for their suite.`;
  if (process.env.CI) throw new Error(message);
  console.warn(message);
};
