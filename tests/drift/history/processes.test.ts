import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { finding, history, linesIn, removeFolders, report } from "./reports";

afterEach(removeFolders);

const run = promisify(execFile);
const entry = join(__dirname, "..", "..", "..", "dist", "drift", "history", "store.js");

/** Records the reports one after another, and prints how many findings were new. */
const recorder = `
  const [folder, reports] = process.argv.slice(1);
  const { openHistory } = require(${JSON.stringify(entry)});
  const sleep = (ms) => new Promise((over) => setTimeout(over, ms));
  (async () => {
    let found = 0;
    for (const report of JSON.parse(reports)) {
      const store = openHistory(folder, { now: Date.now, sleep, warn: () => {} });
      found += (await store.record(report)).delta.found.length;
    }
    console.log(found);
  })();
`;

test("processes that record at once lose no scan, and a finding is new to one of them", async () => {
  const { folder, store } = history();
  const accounts = ["acme", "globex"];
  const findings = ["one", "two", "three"].map((id) => finding(`accounts/acme/deployments/${id}`));
  const processes = [0, 1, 2, 3].map((process) =>
    Array.from({ length: 5 }, (_, scan) =>
      report({ at: `2026-02-01T02:0${scan}:0${process}.000Z`, accounts, findings }),
    ),
  );
  const outputs = await Promise.all(
    processes.map((reports) => run(process.execPath, ["-e", recorder, folder, JSON.stringify(reports)])),
  );
  expect(outputs.reduce((sum, { stdout }) => sum + Number(stdout), 0)).toBe(findings.length);
  const { scans, open } = store.read();
  expect(scans.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  expect([...open.values()].map(({ timesSeen }) => timesSeen)).toEqual([20, 20, 20]);
  expect(linesIn(folder)).toHaveLength(20 + findings.length);
  expect(readdirSync(folder)).toEqual(["2026-02-01.ndjson"]);
});
