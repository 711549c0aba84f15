import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { git } from "../../cli/drift/accept/worktree";
import { temporaryFolder } from "./terminal";

/** A repository as somebody has packed it, whose config runs `ran` by one of the ways that Git has. */
function unpacked(plant: (at: { folder: string; script: string; run(...args: string[]): void }) => void) {
  const folder = temporaryFolder();
  const ran = join(temporaryFolder(), "ran");
  const script = join(folder, "evil.sh");
  const run = (...args: string[]): void => void execFileSync("git", args, { cwd: folder });
  run("init", "--quiet");
  for (const name of ["index.ts", "same.ts"]) writeFileSync(join(folder, name), "const one = 1;\n");
  run("add", ".");
  run("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--message", "first");
  writeFileSync(script, `#!/bin/sh\ntouch ${ran}\ncat\n`, { mode: 0o755 });
  plant({ folder, script, run });
  // Of the same length, so that Git has to read it; and one that is as it was, which Git would note in its index.
  writeFileSync(join(folder, "index.ts"), "const one = 2;\n");
  utimesSync(join(folder, "index.ts"), 1, 1);
  utimesSync(join(folder, "same.ts"), 1, 1);
  return { folder, ran: () => existsSync(ran) };
}

const status = ["status", "--porcelain", "--untracked-files=no"] as const;

test.each<[string, Parameters<typeof unpacked>[0]]>([
  ["a watcher of files", ({ script, run }) => run("config", "core.fsmonitor", script)],
  [
    "a hook",
    ({ folder, script, run }) => {
      run("config", "core.hooksPath", folder);
      writeFileSync(join(folder, "post-index-change"), `#!/bin/sh\n${script} < /dev/null\n`, { mode: 0o755 });
    },
  ],
  [
    "a filter",
    ({ folder, script, run }) => {
      run("config", "filter.evil.clean", script);
      writeFileSync(join(folder, ".gitattributes"), "*.ts filter=evil\n");
    },
  ],
  ...["a=b", "=", "a.b=", "évil=x", "clean=smudge"].map((name): [string, Parameters<typeof unpacked>[0]] => [
    `a filter called ${name}`,
    ({ folder, script }) => {
      appendFileSync(join(folder, ".git", "config"), `[filter "${name}"]\n\tclean = ${script}\n`);
      writeFileSync(join(folder, ".gitattributes"), `*.ts filter=${name}\n`);
    },
  ]),
  [
    "a filter that an included file names",
    ({ folder, script, run }) => {
      writeFileSync(join(folder, "more"), `[filter "more=one"]\n\tclean = ${script}\n`);
      run("config", "include.path", "../more");
      writeFileSync(join(folder, ".gitattributes"), "*.ts filter=more=one\n");
    },
  ],
  [
    "a filter that is a process",
    ({ folder, script, run }) => {
      run("config", "filter.evil.process", script);
      writeFileSync(join(folder, ".gitattributes"), "*.ts filter=evil\n");
    },
  ],
])("%s of an unpacked repository does not run, and the edit is seen", async (_, plant) => {
  const { folder, ran } = unpacked(plant);
  expect({ status: await git(folder, ...status), ran: ran() }).toEqual({ status: " M index.ts", ran: false });
  // The same without the door: the attack is one.
  try {
    execFileSync("git", [...status], { cwd: folder, stdio: "ignore" });
  } catch {
    // A filter that speaks no protocol fails.
  }
  expect(ran()).toBe(true);
});

test("what the user has set for Git by the environment stays", async () => {
  const { folder } = unpacked(({ run }) => run("config", "filter.evil=x.clean", "false"));
  const keys = Object.entries({ GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "user.name", GIT_CONFIG_VALUE_0: "Ada" });
  for (const [name, value] of keys) process.env[name] = value;
  try {
    expect(await git(folder, "config", "user.name")).toBe("Ada");
  } finally {
    for (const [name] of keys) delete process.env[name];
  }
});

test("a Git that does not take the overrides answers nothing, and runs nothing", async () => {
  const { folder, ran } = unpacked(({ folder: at, script, run }) => {
    run("config", "filter.evil.clean", script);
    writeFileSync(join(at, ".gitattributes"), "*.ts filter=evil\n");
  });
  const bin = temporaryFolder();
  const real = execFileSync("which", ["git"], { encoding: "utf8" }).trim();
  writeFileSync(join(bin, "git"), `#!/bin/sh\nunset GIT_CONFIG_COUNT\nexec ${real} "$@"\n`, { mode: 0o755 });
  const path = process.env["PATH"];
  process.env["PATH"] = `${bin}:${path}`;
  try {
    expect(await git(folder, ...status)).toBeUndefined();
  } finally {
    process.env["PATH"] = path;
  }
  expect(ran()).toBe(false);
});

test("outside of a repository there is no answer", async () => {
  expect(await git(temporaryFolder(), ...status)).toBeUndefined();
});
