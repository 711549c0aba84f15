import { appendFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readProject } from "../../engine/state/project";
import { readStackConfig } from "../../engine/state/stack-config";
import { project, temporaryFolder } from "../cli/terminal";
import { ending, expectSpoken } from "./scene";

const secret = "netrc-CANARY-0123456789";

/** A file of the user, outside of every checkout; one that could be read as a project or as a config. */
function fileOfUser(text: string): string {
  const path = join(temporaryFolder(), "of-the-user");
  writeFileSync(path, text);
  return path;
}

const readable: Readonly<Record<string, string>> = {
  "Pulumi.yaml": `name: shop\nruntime: nodejs\ndescription: ${secret}\n`,
  "Pulumi.dev.yaml": `config:\n  modelplatform:accountId: ${secret}\n`,
};

describe.each(Object.entries(readable))("%s that is a link", (name, text) => {
  test.each([
    ["straight out of the checkout", (cwd: string, to: string) => symlinkSync(to, join(cwd, name))],
    [
      "out of the checkout by another link",
      (cwd: string, to: string) => {
        symlinkSync(to, join(cwd, "second"));
        symlinkSync("second", join(cwd, name));
      },
    ],
  ])("%s is refused by its path, and shows nothing", async (_, lay) => {
    const { cwd, env } = await project("dev");
    rmSync(join(cwd, name), { force: true });
    const of = fileOfUser(text);
    lay(cwd, of);
    for (const line of ["config ls -s dev", "config set a b -s dev", "stack export -s dev", "doctor -s dev"]) {
      const { said, code } = await ending(line, { cwd, env });
      expectSpoken(said);
      expect(said).not.toContain(secret);
      if (line.startsWith("config")) {
        expect(code).toBe(1);
        expect(said.replace(/\s+/g, " ")).toContain(`${join(cwd, name)} is not read: it is behind a symbolic link`);
      }
    }
    expect(readFileSync(of, "utf8")).toBe(text);
  });

  test("within the checkout is read", async () => {
    const { cwd, env } = await project("dev");
    rmSync(join(cwd, name), { force: true });
    mkdirSync(join(cwd, "shared"));
    writeFileSync(join(cwd, "shared", name), text);
    symlinkSync(join("shared", name), join(cwd, name));
    expect((await ending("config ls -s dev", { cwd, env })).code).toBe(0);
  });
});

test("a link to another folder of the same repository is read", async () => {
  const repository = temporaryFolder();
  mkdirSync(join(repository, ".git"));
  mkdirSync(join(repository, "one"));
  writeFileSync(join(repository, "shared.yaml"), "config:\n  one:key: value\n");
  writeFileSync(join(repository, "one", "Pulumi.yaml"), "name: one\nruntime: nodejs\n");
  symlinkSync("../shared.yaml", join(repository, "one", "Pulumi.dev.yaml"));
  const config = await readStackConfig(await readProject(join(repository, "one")), "dev");
  expect(config.get("key", undefined)).toBe("value");
});

test("a folder of configs that is a link out of the checkout is refused", async () => {
  const { cwd, env } = await project("dev");
  const elsewhere = temporaryFolder();
  writeFileSync(join(elsewhere, "Pulumi.dev.yaml"), readable["Pulumi.dev.yaml"]!);
  symlinkSync(elsewhere, join(cwd, "config"));
  appendFileSync(join(cwd, "Pulumi.yaml"), "stackConfigDir: config\n");
  const { said, code } = await ending("config ls -s dev", { cwd, env });
  expect({ code, shown: said.includes(secret) }).toEqual({ code: 1, shown: false });
});
