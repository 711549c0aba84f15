import { chownSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readProject } from "../../engine/state/project";
import type { Users } from "../../io/files/owner";
import { modelplatform, project } from "../cli/terminal";
import { temporaryFolder } from "./temporary-folder";

const [root, self, other] = [0, 1000, 1001];

/** A project above the folder of work, whose file, folder and targets of links belong to these users. */
function above(owners: readonly number[], user: number = self): { cwd: string; file: string; users: Users } {
  const folder = temporaryFolder();
  const cwd = join(folder, "deep", "down");
  mkdirSync(cwd, { recursive: true });
  const file = join(folder, "Pulumi.yaml");
  writeFileSync(file, "name: demo\nruntime: nodejs\n");
  return { cwd, file, users: { self: user, ownersOf: () => owners } };
}

describe("a project file above the folder of work", () => {
  test.each([
    ["a link", [other, self, self]],
    ["the target of a link", [self, other, root]],
    ["its folder", [root, root, other]],
  ])("is refused where %s belongs to another user", async (_, owners) => {
    const { cwd, file, users } = above(owners);
    const refusal = readProject(cwd, { env: {}, users });
    await expect(refusal).rejects.toThrow(`${file} is not used`);
    await expect(refusal).rejects.toThrow(`another user (uid ${other})`);
    await expect(refusal).rejects.toThrow(`-C ${dirname(file)}`);
    await expect(refusal).rejects.toThrow("--trust-project");
  });

  test.each([
    ["this user", [self], self, {}],
    ["root", [root, self], self, {}],
    ["the user who called sudo", [other, root], root, { SUDO_UID: String(other) }],
  ])("is taken where it belongs to %s", async (_, owners, user, env) => {
    const { cwd, file, users } = above(owners, user);
    expect(await readProject(cwd, { env, users })).toMatchObject({ file });
  });

  test.each([
    ["root itself", root, {}],
    ["another user who has set SUDO_UID", self, { SUDO_UID: String(other) }],
    ["root with a SUDO_UID that is no number", root, { SUDO_UID: "" }],
  ])("of another user is refused for %s", async (_, user, env) => {
    const { cwd, users } = above([other], user);
    await expect(readProject(cwd, { env, users })).rejects.toThrow("is not used");
  });

  test("of another user is taken where the search is trusted, or starts in its folder", async () => {
    const { cwd, file, users } = above([other]);
    expect(await readProject(cwd, { env: {}, users, isTrusted: true })).toMatchObject({ file });
    expect(await readProject(dirname(file), { env: {}, users })).toMatchObject({ file });
  });

  test("is taken on systems without users", async () => {
    const { cwd, file, users } = above([other]);
    expect(await readProject(cwd, { env: {}, users: { ...users, self: undefined } })).toMatchObject({ file });
  });
});

const isRoot = process.getuid?.() === 0;

/** Only root can give a file away. */
const asRoot = isRoot ? test.each : test.skip.each;

describe("commands below a project of another user", () => {
  const lines = [
    "stack ls",
    "config ls",
    "stack output -s dev",
    "drift --account acme",
    "preview -s dev",
    "codify --all-accounts",
  ];

  asRoot(lines)("%s refuses it, and takes it with --trust-project and -C", async (line) => {
    const { cwd, env } = await project("dev");
    const deep = join(cwd, "deep");
    mkdirSync(deep);
    chownSync(join(cwd, "Pulumi.yaml"), other, other);
    const refused = await modelplatform(line, { cwd: deep, env });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`${join(cwd, "Pulumi.yaml")} is not used`);
    for (const way of ["--trust-project", `-C ${cwd}`]) {
      const taken = await modelplatform(`${line} ${way}`, { cwd: deep, env });
      expect(taken.stderr).not.toContain("is not used");
      expect(taken.stderr).not.toContain("unknown option");
    }
  });

  (isRoot ? test : test.skip)("doctor says why it has no project", async () => {
    const { cwd, env } = await project("dev");
    const deep = join(cwd, "deep");
    mkdirSync(deep);
    chownSync(join(cwd, "Pulumi.yaml"), other, other);
    const { stdout } = await modelplatform("doctor", { cwd: deep, env });
    expect(stdout.replace(/\s+/g, " ")).toContain("belongs to another user (uid 1001)");
  });
});
