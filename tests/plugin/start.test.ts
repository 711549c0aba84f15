import { execFileSync, spawnSync } from "node:child_process";
import { join, relative, sep } from "node:path";

const dist = join(__dirname, "..", "..", "dist");

/** Files that a plugin's process has loaded when it says its port. */
function loadedAtStart(): string[] {
  const script = `
    const { stdout } = process;
    const write = stdout.write.bind(stdout);
    stdout.write = () => write(JSON.stringify(Object.keys(require.cache)), () => process.exit());
    require(${JSON.stringify(join(dist, "provider", "plugin", "main.js"))});
  `;
  const files = JSON.parse(execFileSync(process.execPath, ["-e", script], { encoding: "utf8" })) as string[];
  return files.map((file) => relative(dist, file).split(sep).join("/"));
}

test("a plugin says its port before it loads what only settings and resources need", () => {
  const loaded = loadedAtStart();
  expect(loaded).toContain("provider/plugin/server.js");
  expect(
    loaded.filter((file) => /^provider\/(resources|lifecycle|api\/client)|\/node_modules\/(zod|undici)\//.test(file)),
  ).toEqual([]);
});

test.each([
  ["at a terminal says what it is", true, /^This is a provider plugin, which Pulumi starts by itself.*\n$/],
  ["by an engine says nothing but its port", false, /^$/],
])("a plugin that is started %s", (_, isTTY, said) => {
  const script = `
    process.stdout.isTTY = ${isTTY};
    require(${JSON.stringify(join(dist, "provider", "plugin", "main.js"))});
    const { write } = process.stdout;
    process.stdout.write = (...args) => (setImmediate(() => process.exit()), write.apply(process.stdout, args));
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ["-e", script], { encoding: "utf8" });
  expect([stdout, stderr]).toEqual([expect.stringMatching(/^\d+\n$/), expect.stringMatching(said)]);
});
