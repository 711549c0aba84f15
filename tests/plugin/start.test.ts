import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
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

describe("a plugin in the CLI's folder of plugins", () => {
  let plugins: string;
  beforeEach(() => void (plugins = mkdtempSync(join(realpathSync(tmpdir()), "plugins-"))));
  afterEach(() => rmSync(plugins, { recursive: true, force: true }));

  const { version } = JSON.parse(readFileSync(join(dist, "..", "package.json"), "utf8")) as { version: string };

  /** What the plugin says at its start, installed in a folder of this name. */
  function startedIn(folder: string): { status: number | null; stdout: string; stderr: string } {
    const name = "pulumi-resource-modelplatform";
    const program = join(plugins, folder, name);
    cpSync(join(dist, "..", "plugin", name), program);
    const script = `
      process.argv[1] = ${JSON.stringify(program)};
      const { write } = process.stdout;
      process.stdout.write = (...args) => (setImmediate(() => process.exit()), write.apply(process.stdout, args));
      require(process.argv[1]);
    `;
    return spawnSync(process.execPath, ["-e", script], { encoding: "utf8" });
  }

  test("starts where the folder has its own version, or none", () => {
    for (const folder of [`resource-modelplatform-v${version}`, "plugin"])
      expect(startedIn(folder)).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\n$/), stderr: "" });
  });

  test("refuses where it was installed as another version, with the remedy", () => {
    expect(startedIn("resource-modelplatform-v98.76.5")).toMatchObject({
      status: 1,
      stdout: "",
      stderr: `error: this is version ${version} of the plugin, installed as 98.76.5. Run \`pulumi plugin rm resource modelplatform 98.76.5 --yes\`, then install it as ${version}.\n`,
    });
  });
});
