import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { temporaryFolder } from "../cli/terminal";
import { gitLab, type PipelineStep, workflow } from "../pipelines/files";

const token = "write-token-0123456789";

const fill = (text: string): string => text.replace(/\$\{\{ github\.token \}\}/g, token).replace(/\$\{\{.*?\}\}/g, "7");

interface Machine {
  cwd: string;
  bin: string;
  /** What a program of the attacker's wrote down of its environment. */
  stolen: string;
  /** What the forge was sent. */
  sent: string;
}

/** A runner with the forge's programs; `gh` and `curl` write down what they are given. */
function machine(): Machine {
  const folder = temporaryFolder();
  const at = (name: string): string => join(folder, name);
  const made = { cwd: at("work"), bin: at("bin"), stolen: at("stolen"), sent: at("sent") };
  for (const each of [made.cwd, made.bin]) mkdirSync(each);
  const record = `for word in "$@"; do case "$word" in *@*.md) cat "\${word#*@}" >> ${made.sent} ;; esac; done`;
  const answer = `case "$*" in */user) echo '{"id":1}' ;; *) echo '[]' ;; esac`;
  for (const name of ["gh", "curl"]) put(made, name, `[ -t 0 ] || cat > /dev/null\n${record}\n${answer}\n`);
  put(made, "npx", "echo '+ 1 to create'");
  return made;
}

/**
 * A folder with the programs that the image of the pipeline has: of pulumi/pulumi-docker-containers, commit
 * c6f888350d3a0c8bc7fa402d3bd561ad8a955584, docker/nodejs/Dockerfile, a slim Debian with Node.js, `curl` and `git`. It
 * has no `jq`.
 */
function imagePrograms(): string {
  const folder = temporaryFolder();
  const debian =
    "bash cat chmod cp cut dirname env grep head ln ls mkdir mktemp mv rm sed sh sort tail tee touch tr wc";
  for (const name of [...debian.split(" "), "git"]) {
    const place = ["/usr/bin", "/bin"].find((each) => existsSync(join(each, name)))!;
    symlinkSync(join(place, name), join(folder, name));
  }
  symlinkSync(process.execPath, join(folder, "node"));
  return folder;
}

const put = ({ bin }: Pick<Machine, "bin">, name: string, text: string): void =>
  writeFileSync(join(bin, name), `#!/bin/bash\n${text}\n`, { mode: 0o755 });

function run({ cwd, bin }: Machine, script: string, env: Readonly<Record<string, string>>): number | null {
  const path = [bin, imagePrograms()].join(delimiter);
  const given = { PATH: path, STACK: "prod", ENGINE: "npx pulumi-modelplatform", ...env };
  return spawnSync("bash", ["-e", "-o", "pipefail", "-c", script], { cwd, env: given, timeout: 30_000 }).status;
}

const runStep = (on: Machine, { run: script = "", env = {} }: PipelineStep): number | null =>
  run(on, script, {
    ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)])),
    GITHUB_REPOSITORY: "acme/platform",
  });

/** An install script of the pull request: from now on its programs run by the names of the forge's. */
const takeOver = (on: Machine): void =>
  put(
    on,
    "npm",
    ["gh", "curl", "tail", "node"]
      .map((name) => `printf '#!/bin/bash\\nenv >> ${on.stolen}\\n' > ${on.bin}/${name}; chmod +x ${on.bin}/${name}`)
      .join("\n"),
  );

test("GitHub: an install script's own `gh` on the PATH gets no token that may write", () => {
  const { jobs } = workflow("preview");
  for (const { permissions, steps } of Object.values(jobs)) {
    const isOfPullRequest = steps.some(({ uses = "", run: text = "" }) => /checkout@/.test(uses) || /npm/.test(text));
    const on = machine();
    if (isOfPullRequest) takeOver(on);
    for (const step of steps.filter((each) => each.run !== undefined)) runStep(on, step);
    const stolen = existsSync(on.stolen) ? readFileSync(on.stolen, "utf8") : "";
    expect(stolen).not.toContain(token);
    const { "id-token": _, ...atTheForge } = permissions;
    if (isOfPullRequest) expect(Object.values(atTheForge)).not.toContain("write");
  }
});

const comments: readonly [forge: string, comment: (on: Machine) => number | null][] = [
  [
    "GitHub",
    (on) =>
      runStep(
        on,
        Object.values(workflow("preview").jobs)
          .flatMap(({ steps }) => steps)
          .find(({ name }) => name === "Comment")!,
      ),
  ],
  [
    "GitLab",
    (on) =>
      run(on, gitLab().jobs["comment"]!.script.join("\n"), {
        GITLAB_TOKEN: token,
        CI_API_V4_URL: "http://127.0.0.1:9",
        CI_PROJECT_ID: "1",
        CI_MERGE_REQUEST_IID: "7",
      }),
  ],
];

const marker = "<!-- modelplatform review default -->\n";

describe.each(comments)("%s", (_, comment) => {
  test.each<[string, (file: string) => void]>([
    ["a link to the environment of the job", (file) => symlinkSync("/proc/self/environ", file)],
    ["a link to a review", (file) => (writeFileSync(`${file}.other`, marker), symlinkSync(`${file}.other`, file))],
    ["a link to nothing", (file) => symlinkSync("/nowhere/at/all", file)],
    ["a pipe that never ends", (file) => void execFileSync("mkfifo", [file])],
    ["a folder", (file) => void mkdirSync(file)],
    ["a file of 11 MB", (file) => (writeFileSync(file, marker), truncateSync(file, 11_000_000))],
    ["more than the forge takes", (file) => writeFileSync(file, marker + "x".repeat(65_000))],
    ["another marker", (file) => writeFileSync(file, "<!-- modelplatform review prod -->\n")],
    ["a marker that is not its first line", (file) => writeFileSync(file, `Hello\n${marker}`)],
    ["an empty file", (file) => writeFileSync(file, "")],
  ])("%s is no review, and nothing of it is commented", (_what, plant) => {
    const on = machine();
    plant(join(on.cwd, "review.md"));
    expect(comment(on)).not.toBe(0);
    expect(existsSync(on.sent)).toBe(false);
  });

  test("a review is commented", () => {
    const on = machine();
    writeFileSync(join(on.cwd, "review.md"), `${marker}\n### prod: 1 created\n`);
    expect(comment(on)).toBe(0);
    expect(readFileSync(on.sent, "utf8")).toContain("### prod: 1 created");
  });
});

/** The step of each forge that renders what the code of a pull request wrote. */
const renderings: readonly [forge: string, script: string][] = [
  [
    "GitHub",
    Object.values(workflow("preview").jobs)
      .flatMap(({ steps }) => steps)
      .find(({ name }) => name === "Review")!.run!,
  ],
  ["GitLab", gitLab().jobs["review"]!.script.join("\n")],
];

describe.each(renderings)("%s: a preview that is rendered", (_, script) => {
  test.each<[string, (file: string) => void]>([
    ["a link to the environment of the job", (file) => symlinkSync("/proc/self/environ", file)],
    ["a pipe that never ends", (file) => void execFileSync("mkfifo", [file])],
    ["a folder", (file) => void mkdirSync(file)],
    ["a file of 11 MB", (file) => (writeFileSync(file, ""), truncateSync(file, 11_000_000))],
  ])("%s counts as one that failed and left nothing", (_what, plant) => {
    const on = machine();
    mkdirSync(join(on.cwd, "previews/prod"), { recursive: true });
    for (const name of ["preview.json", "preview.code", "cost.json"]) plant(join(on.cwd, "previews/prod", name));
    put(on, "git", ":");
    put(on, "npm", ":");
    put(
      on,
      "npx",
      `shift; echo "$@" > ${on.stolen}\n${/--output review\.md/.test(script) ? "echo x > review.md" : ""}`,
    );
    const env = { STACKS: script.includes("JSON.parse") ? '["prod"]' : "prod", SECRET: token };
    expect(run(on, script, { ...env, CI_MERGE_REQUEST_DIFF_BASE_SHA: "base" })).toBe(0);
    const words = readFileSync(on.stolen, "utf8");
    expect(words).toMatch(/--exit-code prod=1\b/);
    expect(words).not.toContain("--cost-json");
    const [, file] = /--preview-json prod=(\S+)/.exec(words)!;
    expect(readFileSync(resolve(on.cwd, file!), "utf8")).toBe("");
  });
});

const patchFiles = ["drift.patch", "body.md", "drift.md"];

const stepOf = (file: "accept" | "drift", job: string, step: string): string =>
  workflow(file).jobs[job]!.steps.find(({ name }) => name === step)!.run!;

/** Jobs that may write, and the folder of the reports that they take from one that may not. */
const writers: readonly [job: string, folder: string, files: readonly string[], script: string][] = [
  ["GitHub: propose", "drift", patchFiles, stepOf("accept", "propose", "Pull request")],
  ["GitLab: propose", "drift/prod", patchFiles, gitLab().jobs["propose"]!.script.join("\n")],
  ["GitHub: report", "drift", ["drift.md", "drift.sarif"], stepOf("drift", "report", "Check")],
  ["GitLab: issue", "drift", ["drift.md", "drift.json"], gitLab().jobs["issue"]!.script.join("\n")],
];

describe.each(writers)("%s", (_, folder, files, script) => {
  const laid = (): Machine => {
    const on = machine();
    mkdirSync(join(on.cwd, folder), { recursive: true });
    for (const each of files) writeFileSync(join(on.cwd, folder, each), '{"exitCode": 2}\n');
    put(on, "git", ":");
    return on;
  };
  const env = { GH_TOKEN: token, GITLAB_TOKEN: token, CODE: "2" };

  test.each(files)("%s that is a link to the environment is refused, and nothing is sent", (name) => {
    const on = laid();
    execFileSync("rm", [join(on.cwd, folder, name)]);
    symlinkSync("/proc/self/environ", join(on.cwd, folder, name));
    expect(run(on, script, env)).not.toBe(0);
    expect(existsSync(on.sent)).toBe(false);
  });

  test("regular files pass", () => {
    expect(run(laid(), script, env)).toBe(0);
  });
});

const proposals: readonly [forge: string, folder: string, script: string][] = [
  ["GitHub", "drift", stepOf("accept", "propose", "Pull request")],
  ["GitLab", "drift/prod", gitLab().jobs["propose"]!.script.join("\n")],
];

/** A patch of one file that is new, or of one that is renamed. */
const newFile = (path: string, text: string, mode = "100644"): string =>
  `diff --git a/${path} b/${path}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${text}\n`;
const renamed = (from: string, to: string): string =>
  `diff --git a/${from} b/${to}\nsimilarity index 100%\nrename from ${from}\nrename to ${to}\n`;
const edit =
  "diff --git a/index.ts b/index.ts\n--- a/index.ts\n+++ b/index.ts\n@@ -1 +1 @@\n-const one = 1;\n+const one = 2;\n";

describe.each(proposals)("%s: a patch that is proposed", (_, folder, script) => {
  /** A repository with a remote one; the branches that the job has pushed there, and how it ended. */
  function propose(patch: string): { status: number | null; pushed: string[] } {
    const [on, remote] = [machine(), join(temporaryFolder(), "remote")];
    const git = (...args: string[]): string => execFileSync("git", args, { cwd: on.cwd, encoding: "utf8" });
    execFileSync("git", ["init", "--quiet", "--bare", `${remote}.git`]);
    git("init", "--quiet", "--initial-branch=main");
    mkdirSync(join(on.cwd, ".github/workflows"), { recursive: true });
    for (const [name, text] of [
      ["index.ts", "const one = 1;\n"],
      [".github/workflows/up.yml", "on: push\n"],
      [".gitignore", "drift\n"],
    ] as const)
      writeFileSync(join(on.cwd, name), text);
    git("add", ".");
    git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--message", "first");
    git("remote", "add", "origin", `${remote}.git`);
    mkdirSync(join(on.cwd, folder), { recursive: true });
    for (const each of patchFiles) writeFileSync(join(on.cwd, folder, each), patch);
    const status = run(on, script, { ...forge, CI_PROJECT_URL: remote, HOME: on.cwd });
    const heads = execFileSync("git", ["-C", `${remote}.git`, "branch", "--format", "%(refname:short)"], {
      encoding: "utf8",
    });
    return { status, pushed: heads.split("\n").filter(Boolean) };
  }
  const forge = {
    ...{ GH_TOKEN: token, GITLAB_TOKEN: token, BASE: "main", CI_DEFAULT_BRANCH: "main" },
    ...{ CI_API_V4_URL: "http://127.0.0.1:9", CI_PROJECT_ID: "1" },
  };

  test("of a program is pushed", () => {
    expect(propose(edit)).toEqual({ status: 0, pushed: ["modelplatform/accept-drift-prod"] });
  });

  test.each<[string, string]>([
    ["adds a workflow", newFile(".github/workflows/evil.yml", "on: push")],
    ["adds a pipeline", newFile(".gitlab-ci.yml", "evil: { script: env }")],
    ["renames a workflow", renamed(".github/workflows/up.yml", "up.ts")],
    ["adds scripts of a package", newFile("package.json", '{"scripts":{"prepare":"env"}}')],
    ["adds a hook", newFile(".husky/pre-commit", "env", "100755")],
    ["adds a link", newFile("other.ts", "/etc/passwd", "120000")],
    ["edits a program and adds a workflow", edit + newFile(".github/workflows/evil.yml", "on: push")],
  ])("that %s is not pushed", (_what, patch) => {
    const { status, pushed } = propose(patch);
    expect({ failed: status !== 0, pushed }).toEqual({ failed: true, pushed: [] });
  });
});
