// Deriving a key takes a quarter of a second of a processor, and tests derive the same ones again and again: the worker
// remembers those of its suites, and a site those of its commands. What is derived is what the product asks for.
const crypto = require("node:crypto");
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");

const { pbkdf2 } = crypto;

/** `keys.get` and `keys.set` remember a key by the text of what it is derived from. */
function keepKeys(keys) {
  crypto.pbkdf2 = (...given) => {
    const callback = given.pop();
    const id = JSON.stringify(given);
    const kept = keys.get(id);
    if (kept) return void process.nextTick(callback, null, Buffer.from(kept));
    pbkdf2(...given, (error, key) => {
      if (!error) keys.set(id, Buffer.from(key));
      callback(error, key);
    });
  };
}

exports.keepKeysHere = () => keepKeys(new Map());

/** In files of the folder, for processes that come one after the other. */
exports.keepKeysIn = (folder) => {
  const fileOf = (id) => join(folder, crypto.createHash("sha256").update(id).digest("hex"));
  keepKeys({
    get(id) {
      try {
        return readFileSync(fileOf(id));
      } catch {
        return undefined;
      }
    },
    set(id, key) {
      mkdirSync(folder, { recursive: true });
      const file = fileOf(id);
      writeFileSync(`${file}.${process.pid}`, key);
      renameSync(`${file}.${process.pid}`, file);
    },
  });
};
