/** Counts in a shared file: `rate-writer.cjs <file> <times>`. */
const { fileStore } = require("../../../dist/provider/api/limits/rate-file");

const [file, times] = process.argv.slice(2);
const store = fileStore(file, Date.now);
for (let time = 0; time < Number(times); time++)
  store.change((known) => ({ ...known, accepted: known.accepted + 1, usedAt: Date.now() }));
