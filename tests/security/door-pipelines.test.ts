import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../cli/terminal";
import { gitLab, type PipelineStep, workflow, workflows } from "../pipelines/files";
import { testPairs } from "./pairs";

/** The attacker opens a pull request. They want the token that can write: to see it, or to have it used. */
const token = "token-that-writes-5f2e";
const repositoryCode =
  /\bnpm (ci|install|i|run|test)\b|\bnpx\b|\$ENGINE|\bpulumi (preview|up)\b|\bnode (?!-)|\.\/\S+\.sh/;

const textOf = (value: unknown): string => JSON.stringify(value ?? "");

/** Whether a token can write at the forge. One that proves to a cloud which job asks for a login cannot. */
const canWrite = (permissions: Readonly<Record<string, string>>): boolean =>
  Object.entries(permissions).some(([name, right]) => right === "write" && name !== "id-token");

/** Jobs, whether they hold a token that can write to the project, and what they run. */
const github = (Object.keys(workflows) as (keyof typeof workflows)[]).flatMap((name) =>
  Object.entries(workflow(name).jobs).map(
    ([job, each]) => [`${name}/${job}`, canWrite(each.permissions), each.steps] as const,
  ),
);
const gitlab = Object.entries(gitLab().jobs);

/** Whether a step runs what anybody may have written who can push a branch: scripts, packages, actions. */
const runsRepository = ({ run = "", uses = "" }: PipelineStep): boolean =>
  repositoryCode.test(run) || uses.startsWith("./");

for (const [name, writes, steps] of github) {
  test(`on GitHub the job ${name} runs no code of the repository with a write token`, () => {
    expect(writes ? steps.filter(runsRepository) : []).toEqual([]);
  });
}
for (const [name, job] of gitlab) {
  test(`on GitLab the job ${name} runs no code of the repository with a write token`, () => {
    const script = [...(job.before_script ?? []), ...job.script].join("\n");
    expect(textOf(job).includes("GITLAB_TOKEN") && repositoryCode.test(script)).toBe(false);
  });
}

/** The scripts that put the preview of a pull request into a comment. */
const commenting: readonly (readonly [string, () => string])[] = [
  [
    "GitHub",
    () =>
      github
        .filter(([name]) => name.startsWith("preview/"))
        .flatMap(([, , steps]) => steps)
        .flatMap(({ run = "", env = {} }) => (textOf(env).includes("GH_TOKEN") ? [run] : []))
        .join("\n"),
  ],
  ["GitLab", () => (gitLab().jobs["comment"]?.script ?? []).join("\n")],
];

/** What the job before, which ran the pull request's code, may have left as its artifact. */
const artifacts: readonly (readonly [string, (path: string) => void])[] = [
  ["a link to the environment", (path) => symlinkSync("/proc/self/environ", path)],
  ["a link to a file of the runner", (path) => symlinkSync(join(path, "../../secret"), path)],
  ["a link to a device without an end", (path) => symlinkSync("/dev/zero", path)],
  ["a link to where nothing is", (path) => symlinkSync("/nonexistent", path)],
  ["a folder", (path) => mkdirSync(path)],
  ["a pipe", (path) => void execFileSync("mkfifo", [path])],
  [
    "a file of a gigabyte",
    (path) => {
      writeFileSync(path, "x");
      truncateSync(path, 1024 ** 3);
    },
  ],
  ["nothing", () => undefined],
];

/** Keeps what it is told to send. */
const sender = `#!/bin/sh
for word in "$@"; do
  case "$word" in *@*) file="\${word#*@}"; [ -e "$file" ] && cat "$file" >> "$WITNESS" ;; esac
done
case "$*" in *user*) echo '{"id": 1}' ;; *) echo '[]' ;; esac
`;

testPairs(
  commenting,
  artifacts,
  (forge, artifact) => `a comment on ${forge} whose preview is ${artifact} shows no secret and ends`,
  (scriptOf, lay) => {
    const [above, bin] = [temporaryFolder(), temporaryFolder()];
    const cwd = join(above, "work");
    const witness = join(bin, "sent");
    mkdirSync(cwd);
    writeFileSync(join(above, "secret"), token);
    for (const name of ["gh", "curl"]) writeFileSync(join(bin, name), sender, { mode: 0o755 });
    for (const name of ["preview.txt", "preview-dev.txt"]) lay(join(cwd, name));
    const script = scriptOf();
    expect(script).toContain("comment");
    const { signal } = spawnSync("bash", ["-e", "-o", "pipefail", "-c", script], {
      cwd,
      env: {
        ...{ PATH: `${bin}:${process.env["PATH"]}`, HOME: cwd, WITNESS: witness, GH_TOKEN: token, GITLAB_TOKEN: token },
        ...{ STACK: "dev", NUMBER: "7", GITHUB_REPOSITORY: "a/b", CI_API_V4_URL: "https://gitlab.example/api/v4" },
        ...{ CI_PROJECT_ID: "1", CI_MERGE_REQUEST_IID: "7", RUNNER_TEMP: bin },
      },
      stdio: "ignore",
      timeout: 30_000,
      killSignal: "SIGKILL",
    });
    const sent = existsSync(witness) ? readFileSync(witness, "utf8") : "";
    expect(signal).toBeNull();
    expect(sent).not.toContain(token);
    expect(sent.length).toBeLessThan(70_000);
  },
);
