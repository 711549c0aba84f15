import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openBackend } from "../../engine/state/backend";
import { readProject } from "../../engine/state/project";
import { readStackConfig, writeStackConfig } from "../../engine/state/stack-config";
import { makeFolder, makePrivateFolder } from "../../io/files/folders";
import { modelplatform, project } from "../cli/terminal";
import { temporaryFolder } from "../state/temporary-folder";

/** Paths below the folder with their rights, of which `is` says whether they count. */
const below = (folder: string, is: "isFile" | "isDirectory"): [path: string, mode: number][] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => [name, statSync(join(folder, name))] as const)
    .filter(([, stats]) => stats[is]())
    .map(([name, stats]) => [name, stats.mode & 0o777]);

/** As a process that takes no rights away, which is what some containers run. */
async function underUmask<T>(mask: number, work: () => T | Promise<T>): Promise<T> {
  const before = process.umask(mask);
  try {
    return await work();
  } finally {
    process.umask(before);
  }
}

describe.each([0o000, 0o022])("with umask %o", (mask) => {
  test("each folder that is made is its owner's alone", async () => {
    const folder = temporaryFolder();
    await underUmask(mask, async () => {
      makeFolder(join(folder, "reports", "today"));
      makePrivateFolder(join(folder, "journal", "own"));
      const backend = openBackend("file://states", { cwd: folder });
      const stack = await backend.createStack("shop", "dev");
      await stack.record({
        ...{ kind: "update", startTime: 1, endTime: 2, message: "", environment: {}, config: {} },
        ...{ result: "succeeded", resourceChanges: {} },
      });
      writeFileSync(join(folder, "Pulumi.yaml"), "name: shop\nruntime: nodejs\nstackConfigDir: config\n");
      await writeStackConfig(await readStackConfig(await readProject(folder), "dev"));
    });
    const made = below(folder, "isDirectory");
    expect(made.map(([name]) => name)).toEqual(expect.arrayContaining(["config", "reports/today", "states/.pulumi"]));
    expect(made.filter(([, mode]) => mode !== 0o700)).toEqual([]);
  });

  test("nobody else may write a file of settings", async () => {
    const folder = temporaryFolder();
    await underUmask(mask, () => openBackend("file://states", { cwd: folder }).createStack("shop", "dev"));
    expect(below(folder, "isFile").filter(([, mode]) => (mode & 0o002) !== 0)).toEqual([]);
  });
});

describe("a folder of states that others may write", () => {
  const openFolders = (cwd: string): string[] => [cwd, join(cwd, ".pulumi"), join(cwd, ".pulumi", "stacks", "shop")];

  test.each(["stack ls", "drift --account acme", "config ls -s dev"])(
    "is one warning of %s, with the chmod",
    async (line) => {
      const { cwd, env } = await project("dev");
      for (const folder of openFolders(cwd)) chmodSync(folder, 0o777);
      const { stderr } = await modelplatform(line, { cwd, env });
      const warnings = stderr.split("\n").filter((text) => text.includes("chmod"));
      expect(warnings).toEqual([
        `warning: other users of this machine may replace the states in ${cwd}: run \`chmod o-w ${openFolders(cwd).join(" ")}\`.`,
      ]);
    },
  );

  test("is no warning with a sticky bit, or where only a group may write", async () => {
    const { cwd, env } = await project("dev");
    chmodSync(cwd, 0o1777);
    chmodSync(join(cwd, ".pulumi"), 0o775);
    expect((await modelplatform("stack ls", { cwd, env })).stderr).not.toContain("chmod");
  });

  test("is quoted in the command", async () => {
    const { cwd: above, env } = await project("dev");
    const cwd = join(above, "it's; here");
    mkdirSync(join(cwd, ".pulumi"), { recursive: true, mode: 0o755 });
    chmodSync(cwd, 0o757);
    writeFileSync(join(cwd, "Pulumi.yaml"), "name: shop\nruntime: nodejs\n");
    expect((await modelplatform("stack ls", { cwd, env })).stderr).toContain(`\`chmod o-w '${above}/it'\\''s; here'\``);
  });

  test("is a warning of doctor", async () => {
    const { cwd, env } = await project("dev");
    chmodSync(join(cwd, ".pulumi"), 0o777);
    const { stdout } = await modelplatform("doctor --json", { cwd, env });
    expect(stdout).toContain(`chmod o-w ${join(cwd, ".pulumi")}`);
  });
});
