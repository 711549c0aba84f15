import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { gunzipSync } from "node:zlib";
import {
  archiveOf,
  entriesOf,
  executableOf,
  hostPlatform,
  platforms,
  runtimeHome,
  sha256,
} from "../../tools/executables";
import { isExecutable } from "../executables";
import { root } from "../rooms";
import { Checkout, manifest, npmLineOf, quoted } from "./checkout";
import { pathWithout } from "./search-path";
import { layRuntime, stubRuntime } from "./stub-runtime";

let checkout: Checkout;
beforeAll(() => {
  checkout = new Checkout();
  checkout.prepare();
});
afterAll(() => checkout.close());

describe("with a stub of the runtime", () => {
  const linux = platforms.find(({ os, arch }) => os === "linux" && arch === "amd64")!;
  const archive = archiveOf(linux, manifest.version);

  beforeAll(() => {
    const declared = join(checkout.folder, "dist", "tools", "executables.js");
    let text = readFileSync(declared, "utf8");
    for (const platform of new Set([linux, hostPlatform()])) {
      const program = platform.os === "windows" ? "node.exe" : "node";
      layRuntime(runtimeHome(platform, join(checkout.folder, ".release", "runtimes")), program);
      expect(text).toContain(platform.sha256);
      text = text.replace(platform.sha256, sha256(Buffer.from(stubRuntime)));
    }
    writeFileSync(declared, text);
  });

  test("`npm run executables` builds the archive of a platform", () => {
    const { code, stdout, stderr } = checkout.run(npmLineOf("executables", ["linux-amd64"]));
    expect(stderr).toBe("");
    expect(stdout).toMatch(new RegExp(`^[0-9a-f]{64} {2}${archive}$`, "m"));
    expect(code).toBe(0);
    const packed = readFileSync(join(checkout.folder, ".release", "archives", archive));
    expect([...entriesOf(gunzipSync(packed))].map(({ path, content }) => [path, content.toString()])).toEqual([
      [executableOf(linux), stubRuntime],
      ["LICENSES.txt", expect.stringContaining("The license of a stub.")],
    ]);
  });

  test("`npm run release -- --dry-run` builds everything, and says what a release lacks", () => {
    const PATH = pathWithout(/^pulumi(-|$)/, join(checkout.temporary, "path"));
    checkout.changedFiles();
    const args = ["--dry-run", "--tag", "v99.0.0", "linux-amd64"];
    const { code, stdout, stderr } = checkout.run(npmLineOf("release", args), { PATH });
    expect(stderr).toBe("");
    for (const built of [`pulumi-modelplatform-${manifest.version}.tgz`, archive, "SHA256SUMS"])
      expect(stdout).toMatch(new RegExp(`^- .*${built}: .`, "m"));
    expect(stdout).toContain("not ok  the tag names the version of package.json: it is v99.0.0");
    expect(stdout).toContain("ok      generated files are up to date");
    expect(stdout).toMatch(/not ok {2}nothing for PyPI.*`pulumi`/);
    expect(code).toBe(1);
    expect(checkout.changedFiles().filter((file) => !file.startsWith(".release"))).toEqual([]);
  });
});

describe("the executables of the package", () => {
  let programs: string;
  beforeAll(() => {
    programs = join(checkout.temporary, "bin");
    mkdirSync(programs);
    // As npm installs them.
    for (const [name, target] of Object.entries(manifest.bin)) {
      chmodSync(join(checkout.folder, target), 0o755);
      symlinkSync(join(checkout.folder, target), join(programs, name));
    }
  });

  test.each(Object.keys(manifest.bin))("`%s --help` prints its usage", (name) => {
    const PATH = [programs, process.env["PATH"]].join(delimiter);
    const { code, stdout, stderr } = checkout.run(`${quoted(name)} --help`, { PATH });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^Usage: (npx )?pulumi-/);
  });

  const plugins = readdirSync(join(root, "plugin")).filter((file) => isExecutable(join(root, "plugin", file)));

  test("are all that may be run in `plugin/`", () => {
    const named = Object.values(manifest.bin).filter((target) => target.startsWith("./plugin/"));
    expect(plugins.map((file) => `./plugin/${file}`)).toEqual(named);
  });

  test.each(plugins)("`plugin/%s` serves on the port that it prints, until it is ended", (file) => {
    const port = quoted(join(checkout.temporary, "port"));
    const line = `mkfifo ${port}; ./plugin/${file} >${port} & read -r said <${port}; kill $!; wait $!; echo "$said"`;
    const { stdout, stderr } = checkout.run(line);
    expect([stdout, stderr]).toEqual([expect.stringMatching(/^\d+\n$/), ""]);
  });
});
