import { execFileSync } from "node:child_process";
import { join, relative, sep } from "node:path";

const dist = join(__dirname, "..", "..", "dist");

/** Files that a command's process has loaded when it writes its first word. */
function loadedBy(...args: string[]): string[] {
  const script = `
    const { stdout } = process;
    const write = stdout.write.bind(stdout);
    stdout.write = () => write(JSON.stringify(Object.keys(require.cache)), () => process.exit());
    process.argv = [process.argv[0], "", ...process.argv.slice(1)];
    require(${JSON.stringify(join(dist, "cli", "main.js"))});
  `;
  const files = JSON.parse(execFileSync(process.execPath, ["-e", script, "--", ...args], { encoding: "utf8" }));
  return (files as string[]).map((file) => relative(dist, file).split(sep).join("/"));
}

const ofRequests = /^(resources|core\/(fields|dialect))\/|^emulator\/(answering|control|lists|services\/table)/;

test("an emulator says that it listens before it loads what only requests, settings and seeds need", () => {
  const loaded = loadedBy("emulator", "--port", "0");
  expect(loaded).toContain("emulator/world/store.js");
  expect(loaded.filter((file) => ofRequests.test(file) || file.includes("/node_modules/zod/"))).toEqual([]);
});
