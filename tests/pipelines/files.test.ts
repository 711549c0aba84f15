import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { repository } from "../e2e/engines";
import { nightParts } from "../night/counts";
import {
  type GitHubJob,
  gitLab,
  gitLabFile,
  type PipelineStep,
  textOf,
  type Workflow,
  workflow,
  workflows,
} from "./files";
import { environmentsOf, type ForgeName, type Row, rows } from "./settings-tables";

const names = Object.keys(workflows) as (keyof typeof workflows)[];
const all = names.map((name): [string, Workflow] => [name, workflow(name)]);
const jobs = all.flatMap(([file, { jobs: each }]) =>
  Object.entries(each).map(([name, job]): [string, GitHubJob] => [`${file}/${name}`, job]),
);
const setUp = parse(textOf("github/setup/action.yml")) as { runs: { steps: readonly PipelineStep[] } };
const github = [...names.map((name) => textOf(workflows[name])), textOf("github/setup/action.yml")].join("\n");
const gitlabText = textOf(gitLabFile);

test("actions are pinned by commit, with the version beside it", () => {
  const uses = github.match(/uses: [^.].*/g) ?? [];
  expect(uses.length).toBeGreaterThan(9);
  expect(uses.filter((line) => !/^uses: [\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
});

const ownText = (name: string): string => readFileSync(join(repository, ".github/workflows", name), "utf8");

/** Actions that only the release uses, by commit. */
const ofTheRelease = [
  "actions/attest-build-provenance@977bb373ede98d70efbf0b7b13af9c3d6651dc60 # v4.1.0",
  "NuGet/login@d22cc5f58ff5b88bf9bd452535b4335137e24544 # v1.1.0",
];

test.each([
  [
    "release.yml",
    {
      build: { contents: "read" },
      macos: { contents: "read" },
      draft: { contents: "write" },
      smoke: {},
      attest: { "id-token": "write", attestations: "write" },
      npm: { "id-token": "write" },
      pypi: { "id-token": "write" },
      nuget: { "id-token": "write" },
      go: { contents: "write" },
      announce: { contents: "write" },
    },
  ],
  ["version.yml", { make: { contents: "read" }, propose: { contents: "write", "pull-requests": "write" } }],
])("%s is written by jobs that run no package, and one file of the repository", (name, granted) => {
  const text = ownText(name);
  const { permissions, jobs: own } = parse(text) as Workflow;
  expect(permissions).toEqual({});
  expect(Object.fromEntries(Object.entries(own).map(([job, each]) => [job, each.permissions]))).toEqual(granted);
  const writing = Object.values(own).filter((each) => Object.values(each.permissions).includes("write"));
  for (const { steps: each } of writing) {
    const runs = each.map((step) => step.run ?? "");
    const verified = runs.indexOf(`printf '%s' "$PUBLISHER" | sha256sum --check --strict`);
    const published = runs.findIndex((run) => /\bnode\b/.test(run));
    expect(published < 0 || (verified >= 0 && verified < published)).toBe(true);
  }
  const run = writing.flatMap(({ steps }) => steps.map((step) => step.run ?? "")).join("\n");
  for (const line of run.match(/\b(node|pip) .*/g) ?? [])
    expect(line).toMatch(
      /^node dist\/tools\/release\.js publish |^pip install --quiet --require-hashes --only-binary :all: /,
    );
  expect(run).not.toMatch(/^\s*(np[mx]|make|go (run|build))\b/m);
  const steps = Object.values(own).flatMap((each) => each.steps);
  expect(steps.filter((step) => step.run?.includes("${{"))).toEqual([]);
  for (const { with: given } of steps.filter(({ uses }) => uses?.includes("checkout")))
    expect(given).toEqual({ "persist-credentials": false });
  const used = text.match(/uses: .*/g)!.map((line) => line.replace("uses: ", ""));
  expect(used.filter((each) => !github.includes(each) && !ofTheRelease.includes(each))).toEqual([]);
});

test.each(["nightly.yml", "ci.yml"])("this repository's own workflow %s may only read", (name) => {
  const text = ownText(name);
  const { permissions, jobs: own } = parse(text) as Workflow;
  expect([permissions, ...Object.values(own).map((job) => job.permissions)]).toEqual([
    {},
    ...Object.keys(own).map(() => ({ contents: "read" })),
  ]);
  const uses = text.match(/uses: .*/g)!;
  expect(uses.filter((line) => !github.includes(line))).toEqual([]);
});

test("advisories are asked for every night, and all of its parts run", () => {
  const { jobs: own } = parse(ownText("nightly.yml")) as { jobs: Record<string, GitHubJob & { strategy?: object }> };
  const run = Object.values(own).flatMap(({ steps }) => steps.map((step) => step.run ?? ""));
  expect(run.filter((line) => /npm (audit|run test:nightly)/.test(line))).toEqual([
    `NIGHT_SEED=$(date -u +%-j) npm run test:nightly -- --part "$PART/${nightParts}"`,
    expect.stringMatching(/^npm audit/),
  ]);
  const part = Array.from({ length: nightParts }, (_, index) => index + 1);
  expect(own["suites"]?.strategy).toEqual({ "fail-fast": false, matrix: { part } });
});

test("nothing is permitted but what a job names; only one without its code may write", () => {
  expect(all.filter(([, { permissions }]) => Object.keys(permissions as object).length > 0)).toEqual([]);
  const [reads, logsIn] = [{ contents: "read" }, { contents: "read", "id-token": "write" }];
  const alerts = { contents: "read", "security-events": "write" };
  const granted = all.map(([name, each]) => [name, Object.values(each.jobs).map(({ permissions }) => permissions)]);
  expect(Object.fromEntries(granted)).toEqual({
    preview: [logsIn, reads, { "pull-requests": "write" }],
    up: [logsIn],
    drift: [logsIn, { ...alerts, issues: "write" }],
    shards: [logsIn, reads, logsIn, alerts],
    accept: [logsIn, { contents: "write", "pull-requests": "write" }, {}, logsIn],
  });
  const writing = jobs.filter(([, { permissions }]) =>
    Object.entries(permissions).some(([name, right]) => right === "write" && name !== "id-token"),
  );
  expect(writing.map(([name]) => name)).toEqual(["preview/comment", "drift/report", "shards/alert", "accept/propose"]);
  for (const [, { steps }] of writing) {
    expect(steps.map(({ run = "" }) => run).join("\n")).not.toMatch(/\bnpm\b|\bnpx\b|ENGINE/);
    expect(steps.filter(({ uses = "" }) => uses.startsWith("./"))).toEqual([]);
  }
});

test("no command has an expression that would let a title or branch name run", () => {
  const steps = [...jobs.flatMap(([, job]) => job.steps), ...setUp.runs.steps];
  expect(steps.filter(({ run }) => run?.includes("${{"))).toEqual([]);
});

const json = (value: unknown): string => JSON.stringify(value ?? {});
const namesIn = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name]) => name!);

/** The environments of the README's table, by the name of a variable or secret. */
const placesIn = (forge: ForgeName, each: (row: Row) => boolean): Record<string, string[]> =>
  Object.fromEntries(
    rows()
      .filter((row) => row.forges.includes(forge) && each(row))
      .map((row) => [row.name, [...environmentsOf(row, ["each stack"])].sort()]),
  );

test("GitHub: secrets in workflows are those in the README's table, with environments", () => {
  const used: Record<string, string[]> = {};
  for (const [, job] of jobs)
    for (const name of namesIn(json(job), /secrets\.(\w+)/g)) {
      const environment = job.environment === "${{ matrix.stack }}" ? "each stack" : (job.environment ?? "none");
      used[name] = [...new Set([...(used[name] ?? []), environment])].sort();
    }
  expect(used).toEqual(placesIn("GitHub", ({ isSecret }) => isSecret));
});

test("GitHub: variables in workflows are those in the README's table", () => {
  const used = [...new Set(namesIn(github, /vars\.(\w+)/g))].sort();
  expect(used).toEqual(Object.keys(placesIn("GitHub", ({ isSecret }) => !isSecret)).sort());
});

test("GitLab: variables of the pipeline are its own, GitLab's, or in the README", () => {
  const file = gitLab();
  const own = new Set([
    ...namesIn(gitlabText, /^\s+(?:- )?(\w+):/gm),
    ...namesIn(gitlabText, /(?:^|[\s;(])(?:export )?(\w+)=/gm),
    ...namesIn(gitlabText, /\bfor (\w+) in\b/g),
    ...namesIn(gitlabText, /\bread -r (\w+)/g),
    ...["urn", "AWS_ROLE_ARN", "AZURE_CLIENT_ID"],
  ]);
  const table = new Set(rows().flatMap(({ name, forges }) => (forges.includes("GitLab") ? [name] : [])));
  const read = [...new Set(namesIn(gitlabText, /\$\{?(?:process\.env\.)?([A-Z]\w+)/g))];
  expect(read.filter((name) => !own.has(name) && !table.has(name) && !name.startsWith("CI_"))).toEqual([]);
  // These are read by the commands themselves.
  const environment = [
    "MODELPLATFORM_BASE_URL",
    "MODELPLATFORM_ACCOUNTS_FILE",
    "PULUMI_CONFIG_PASSPHRASE",
    "PULUMI_ACCESS_TOKEN",
  ];
  const unread = [...table].filter((name) => !read.includes(name) && !environment.includes(name));
  expect(unread).toEqual([]);
  expect(file.variables["STACKS"]?.split(" ")).toEqual(file.jobs["up"]?.parallel?.matrix[0]?.["STACK"]);
});

test("GitLab: each job names the environment that holds what it needs", () => {
  const { jobs: each } = gitLab();
  const environments = Object.entries(each).map(([name, { environment }]) => [
    name,
    typeof environment === "object" ? environment.name : environment,
  ]);
  expect(Object.fromEntries(environments)).toEqual({
    preview: "preview",
    review: undefined,
    comment: "comments",
    up: "$STACK",
    drift: "scan",
    issue: "comments",
    accept: "scan",
    propose: "comments",
    "set-back": "$STACK",
  });
  expect(textOf("README.md")).toContain(gitLabFile);
});

test("keys that may write are seen by approved jobs alone, behind an environment", () => {
  const seeing = jobs.filter(([, job]) => json(job).includes("secrets.MODELPLATFORM_ACCOUNTS"));
  expect(seeing.map(([name, { environment }]) => [name, environment])).toEqual([
    ["up/up", "${{ matrix.stack }}"],
    ["accept/set-back", "${{ matrix.stack }}"],
  ]);
});

test("keys of accounts are in a file, as no variable holds those of very many", () => {
  expect(github.match(/MODELPLATFORM_ACCOUNTS\w*(?=: |=)/g)).toEqual(["MODELPLATFORM_ACCOUNTS_FILE"]);
  expect(gitlabText).not.toContain("ACCOUNTS");
});

test("no job has a secret of the forge's without an environment that guards it", () => {
  const unguarded = jobs.filter(([, job]) => json(job).includes("secrets.") && job.environment === undefined);
  expect(unguarded.map(([name]) => name)).toEqual([]);
  expect(rows().filter(({ isSecret, isOfRepository }) => isSecret && isOfRepository)).toEqual([]);
});

test("what a run notes is kept for the next one, however it ends", () => {
  const { env, jobs: up } = workflow("up");
  const [restored, saved] = ["restore", "save"].map((verb) =>
    up["up"]!.steps.find(({ uses }) => uses?.startsWith(`actions/cache/${verb}@`)),
  );
  expect(restored?.with).toMatchObject({ path: env["MODELPLATFORM_INTENTS"], key: saved?.with?.["key"] });
  expect(String(saved?.with?.["key"])).toMatch(/:\$\{\{ matrix\.stack \}\}:.*run_id.*run_attempt/);
  expect(String(saved?.with?.["key"]).startsWith(String(restored?.with?.["restore-keys"]))).toBe(true);
  expect(saved).toMatchObject({ if: "always()", with: { path: env["MODELPLATFORM_INTENTS"] } });
  expect(gitLab().jobs["up"]).toMatchObject({
    resource_group: "up-$STACK",
    cache: { paths: [gitLab().jobs["up"]?.variables?.["MODELPLATFORM_INTENTS"]], when: "always" },
  });
});

test("state in an object store is reached by a login of an hour, for each cloud", () => {
  const logins = setUp.runs.steps.filter((step) =>
    step.if?.startsWith("inputs.identity && startsWith(env.PULUMI_BACKEND_URL"),
  );
  expect(logins.map(({ if: condition, uses = "" }) => [condition?.match(/'(.*)'/)?.[1], uses.split("@")[0]])).toEqual([
    ["s3://", "aws-actions/configure-aws-credentials"],
    ["gs://", "google-github-actions/auth"],
    ["azblob://", "azure/login"],
  ]);
  for (const scheme of ["s3", "gs", "azblob"]) expect(gitlabText).toContain(`${scheme}://*)`);
});
