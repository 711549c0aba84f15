import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { accept, drift, engine, program, shop, textIn } from "./accepting";
import { temporaryFolder } from "./terminal";

const edited = program.replace("maxReplicaCount: 2", "maxReplicaCount: 4");
const part = 'import "./part";\n';

const git = (cwd: string, line: string): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...line.split(" ")], {
    cwd,
    encoding: "utf8",
  });

test("a file that is not in UTF-8 is left as it is", async () => {
  const cwd = await shop();
  const bytes = Buffer.concat([Buffer.from([0x2f, 0x2f, 0xf6, 0x0a]), Buffer.from(program)]);
  writeFileSync(join(cwd, "index.ts"), bytes);
  const { code, stderr } = await accept(cwd, "--write", { engine: engine([], []) });
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining("index.ts is not text in UTF-8, so it is left as it is. Save it in UTF-8."),
  ]);
  expect(readFileSync(join(cwd, "index.ts"))).toEqual(bytes);
});

test("what a killed `accept` has left beside the program goes with the next one", async () => {
  const cwd = await shop();
  writeFileSync(join(cwd, "index.ts.01234567-89ab-cdef-0123-456789abcdef.tmp"), program);
  writeFileSync(join(cwd, "index.ts.mine.tmp"), program);
  expect(await accept(cwd, "--write", { engine: engine([], []) })).toMatchObject({ code: 0 });
  expect(readdirSync(cwd).filter((name) => name.startsWith("index.ts"))).toEqual(["index.ts", "index.ts.mine.tmp"]);
});

/** A program whose resources are in `part.ts`, a link to a file of the folder. */
async function linked(folderOf: (cwd: string) => string): Promise<{ cwd: string; shared: string }> {
  const cwd = await shop();
  const shared = folderOf(cwd);
  mkdirSync(shared, { recursive: true });
  writeFileSync(join(shared, "part.ts"), program);
  symlinkSync(join(cwd, "node_modules"), join(shared, "node_modules"));
  symlinkSync(join(shared, "part.ts"), join(cwd, "part.ts"));
  writeFileSync(join(cwd, "index.ts"), part);
  return { cwd, shared };
}

test("a file behind a link within the program is edited in place, and the link stays", async () => {
  const { cwd, shared } = await linked((folder) => join(folder, "shared"));
  expect(await accept(cwd, "--write", { engine: engine([], []) })).toMatchObject({ code: 0 });
  expect(lstatSync(join(cwd, "part.ts")).isSymbolicLink()).toBe(true);
  expect(textIn(shared, "part.ts")).toBe(edited);
});

test.each(["--write", "--patch out.patch"])(
  "with %s a file behind a link out of the program is left",
  async (flags) => {
    const { cwd, shared } = await linked(() => temporaryFolder());
    const { code, stderr } = await accept(cwd, flags, { engine: engine([], []) });
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `${join(shared, "part.ts")} is not written: the program reaches it by a symbolic link`,
      ),
    });
    expect(textIn(shared, "part.ts")).toBe(program);
    expect(existsSync(join(cwd, "out.patch"))).toBe(false);
  },
);

test("a folder behind a link is named as the repository has it", async () => {
  const cwd = await shop();
  const link = join(temporaryFolder(), "link");
  symlinkSync(cwd, link);
  const { stdout, stderr } = await accept(link);
  expect(stdout).toContain("--- a/index.ts\n");
  expect(stderr).toContain("(index.ts)");
});

test("a program in a folder that `main` names is read with the compiler that is there", async () => {
  const cwd = await shop();
  mkdirSync(join(cwd, "infra"));
  for (const name of ["index.ts", "node_modules"]) renameSync(join(cwd, name), join(cwd, "infra", name));
  writeFileSync(join(cwd, "Pulumi.yaml"), "name: shop\nruntime: nodejs\nmain: infra/\n");
  expect(await accept(cwd, "--write", { engine: engine([], []) })).toMatchObject({ code: 0 });
  expect(textIn(cwd, "infra/index.ts")).toBe(edited);
});

describe("a program that is compiled before it runs", () => {
  const compiled = async (): Promise<string> => {
    const cwd = await shop();
    for (const folder of ["src", "dist"]) mkdirSync(join(cwd, folder));
    renameSync(join(cwd, "index.ts"), join(cwd, "src", "index.ts"));
    writeFileSync(join(cwd, "dist", "index.js"), program);
    writeFileSync(join(cwd, "package.json"), '{ "main": "dist/index.js" }');
    writeFileSync(join(cwd, "tsconfig.json"), '{ "compilerOptions": { "outDir": "dist", "rootDir": "src" } }');
    return cwd;
  };

  test("is edited at its source", async () => {
    const { code, stdout } = await accept(await compiled());
    expect([code, stdout]).toEqual([0, expect.stringContaining("--- a/src/index.ts\n")]);
  });

  test("is not proved by a preview of what was compiled before", async () => {
    const cwd = await compiled();
    const { code, stderr } = await accept(cwd, "--write", { engine: engine([], []) });
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        "The program runs dist/index.js, which is compiled, so a preview cannot prove an edit of src/index.ts. Use --patch, and compile what it has edited.",
      ),
    ]);
    expect(textIn(cwd, "src/index.ts")).toBe(program);
  });

  test("is left alone without a source", async () => {
    const cwd = await compiled();
    rmSync(join(cwd, "src"), { recursive: true });
    const { code, stderr } = await accept(cwd);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        "The program runs dist/index.js, which is compiled, and its source is not in the `rootDir` of tsconfig.json. Set it there.",
      ),
    ]);
  });
});

test("a changed module elsewhere in the repository is edited only if forced", async () => {
  const cwd = await shop();
  mkdirSync(join(cwd, "app"));
  for (const name of ["Pulumi.yaml", "drift.json", ".pulumi"]) renameSync(join(cwd, name), join(cwd, "app", name));
  writeFileSync(join(cwd, "app", "index.ts"), 'import "../index";\n');
  writeFileSync(join(cwd, ".gitignore"), "node_modules\n");
  for (const line of ["init -q", "add .", "commit -q -m one"]) git(cwd, line);
  writeFileSync(join(cwd, "index.ts"), `// Under way.\n${program}`);
  const { code, stderr } = await accept(join(cwd, "app"), "--write", { engine: engine([], []) });
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining("The worktree has changes of its own (index.ts). Commit or stash them"),
  ]);
  expect(await accept(join(cwd, "app"), "--write --force", { engine: engine([], []) })).toMatchObject({ code: 0 });
  expect(textIn(cwd)).toBe(`// Under way.\n${edited}`);
});

test("a name that no resource has is reported, and nothing is edited", async () => {
  const cwd = await shop(drift);
  const { code, stderr } = await accept(cwd, "--write --only chatt", { engine: engine([], []) });
  expect([code, stderr]).toEqual([0, "Nothing to accept: --only names nothing of what differs.\n"]);
});
