import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(realpathSync(tmpdir()), "hops-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("files and functions of a call count once; top levels and others do not", () => {
  mkdirSync(join(folder, "package"));
  const files = {
    "package/a.js": `const b = require("./b"); exports.call = async () => {\n const twice = () => b.one();\n twice(); twice();\n };`,
    "package/b.js": `exports.one = function () { return 1; }; exports.two = function () { return 2; };`,
    "package/late.js": `function run() {} run();`,
    "other.js": `exports.elsewhere = () => 3;`,
    "main.js": `
      require(${JSON.stringify(require.resolve("../compiled.cjs"))});
      const { FunctionCounter } = require(${JSON.stringify(require.resolve("../../measure/bench/hops/coverage"))});
      (async () => {
        const counter = await FunctionCounter.start(${JSON.stringify(join(folder, "package"))});
        const { call } = require("./package/a");
        const { two } = require("./package/b");
        const { elsewhere } = require("./other");
        two();
        const counts = (ran) => JSON.stringify({ files: [...ran.keys()], functions: [...ran.values()] });
        console.log(counts(await counter.during(async () => { await call(); elsewhere(); })));
        console.log(counts(await counter.during(async () => void require("./package/late"))));
        counter.stop();
      })();`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const printed = execFileSync(process.execPath, [join(folder, "main.js")], { encoding: "utf8" });
  const [called, loaded] = printed.trim().split("\n");
  expect(JSON.parse(called!)).toEqual({
    files: ["a.js", "b.js"],
    functions: [
      { named: 1, small: 1 },
      { named: 0, small: 1 },
    ],
  });
  expect(JSON.parse(loaded!)).toEqual({ files: ["late.js"], functions: [{ named: 0, small: 1 }] });
});
