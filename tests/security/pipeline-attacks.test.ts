import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { temporaryFolder } from "../cli/terminal";
import { gitLab, type Step, workflow } from "../e2e/pipelines/files";

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
  const answer = `case "$*" in */user) echo '{"id":1}' ;; *notes*) echo '[]' ;; esac`;
  for (const name of ["gh", "curl"]) put(made, name, `${record}\n${answer}\n`);
  put(made, "npx", "echo '+ 1 to create'");
  return made;
}

const put = ({ bin }: Pick<Machine, "bin">, name: string, text: string): void =>
  writeFileSync(join(bin, name), `#!/bin/bash\n${text}\n`, { mode: 0o755 });

function run({ cwd, bin }: Machine, script: string, env: Readonly<Record<string, string>>): number | null {
  const path = [bin, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter);
  const given = { PATH: path, STACK: "prod", ENGINE: "npx pulumi-modelplatform", ...env };
  return spawnSync("bash", ["-e", "-o", "pipefail", "-c", script], { cwd, env: given, timeout: 30_000 }).status;
}

const runStep = (on: Machine, { run: script = "", env = {} }: Step): number | null =>
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

test("GitHub: an install script that puts a `gh` of its own on the PATH gets no token that may write", () => {
  const { jobs } = workflow("preview");
  for (const { permissions, steps } of Object.values(jobs)) {
    const isOfPullRequest = steps.some(({ uses = "", run: text = "" }) => /checkout@/.test(uses) || /npm/.test(text));
    const on = machine();
    if (isOfPullRequest) takeOver(on);
    for (const step of steps.filter((each) => each.run !== undefined)) runStep(on, step);
    const stolen = existsSync(on.stolen) ? readFileSync(on.stolen, "utf8") : "";
    expect(stolen).not.toContain(token);
    if (isOfPullRequest) expect(Object.values(permissions)).not.toContain("write");
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
      run(on, gitLab()["comment"]!.script.join("\n"), {
        GITLAB_TOKEN: token,
        CI_API_V4_URL: "http://127.0.0.1:9",
        CI_PROJECT_ID: "1",
        CI_MERGE_REQUEST_IID: "7",
      }),
  ],
];

describe.each(comments)("%s", (_, comment) => {
  test.each<[string, (file: string) => void]>([
    ["a link to the environment of the job", (file) => symlinkSync("/proc/self/environ", file)],
    ["a link to nothing", (file) => symlinkSync("/nowhere/at/all", file)],
    ["a pipe that never ends", (file) => void execFileSync("mkfifo", [file])],
    ["a folder", (file) => void mkdirSync(file)],
    ["a file of 11 MB", (file) => (writeFileSync(file, ""), truncateSync(file, 11_000_000))],
  ])("%s is no preview, and nothing of it is commented", (_what, plant) => {
    const on = machine();
    plant(join(on.cwd, "preview.txt"));
    expect(comment(on)).not.toBe(0);
    expect(existsSync(on.sent)).toBe(false);
  });
});

const proposals: readonly [forge: string, script: string][] = [
  ["GitHub", workflow("accept").jobs["propose"]!.steps.find(({ name }) => name === "Pull request")!.run!],
  ["GitLab", gitLab()["propose"]!.script.join("\n")],
];

test.each(proposals)("%s: a report that is a link to the environment is not proposed", (_, script) => {
  for (const name of ["drift.patch", "body.md", "drift.md"]) {
    const on = machine();
    mkdirSync(join(on.cwd, "drift"));
    for (const each of ["drift.patch", "body.md", "drift.md"]) writeFileSync(join(on.cwd, "drift", each), "text\n");
    put(on, "git", ":");
    execFileSync("rm", [join(on.cwd, "drift", name)]);
    symlinkSync("/proc/self/environ", join(on.cwd, "drift", name));
    expect(run(on, script, { GH_TOKEN: token, GITLAB_TOKEN: token })).not.toBe(0);
    expect(existsSync(on.sent)).toBe(false);
  }
});
