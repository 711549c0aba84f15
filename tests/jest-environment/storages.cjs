// Node hands on what is stored along calls (AsyncLocalStorage) at each promise, for every storage that was ever used:
// those of ended suites, each of jest's own runner among them, would slow all later ones of their worker.
const asyncHooks = require("node:async_hooks");

/** `node:async_hooks` for one suite; `end` releases the storages that it has made. */
exports.createStorages = function createStorages() {
  const made = new Set();
  class AsyncLocalStorage extends asyncHooks.AsyncLocalStorage {
    constructor(...given) {
      super(...given);
      made.add(this);
    }
  }
  return {
    module: { ...asyncHooks, AsyncLocalStorage },
    end() {
      for (const storage of made) storage.disable();
      made.clear();
    },
  };
};
