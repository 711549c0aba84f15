import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { nightly } from "../nightly";
import { withCliAtNight } from "./engines";
import { openModel } from "./everything";
import { expressions as everywhere, keys } from "./pipelines/expressions";
import { gitLab, gitLabFile, textOf, type Workflow, workflow, workflows } from "./pipelines/files";
import type { Forge } from "./pipelines/forge";
import { serveGitLab } from "./pipelines/gitlab";
import { Runner } from "./pipelines/runner";
import { account, type Site, type Values } from "./site";
import { openForProcesses } from "./sites";

const expressions = {
  ...everywhere,
  "github.event.pull_request.number": "7",
  "github.run_id": "1",
  "github.run_attempt": "1",
  "vars.STACK": "dev",
};

const names = Object.keys(workflows) as (keyof typeof workflows)[];
const all = names.map((name): [string, Workflow] => [name, workflow(name)]);
const jobs = all.flatMap(([, { jobs: each }]) => Object.values(each));

test("actions are pinned by commit, with the version beside it", () => {
  const uses = names.flatMap((name) => textOf(workflows[name]).match(/uses: .*/g) ?? []);
  expect(uses.length).toBeGreaterThan(9);
  expect(uses.filter((line) => !/^uses: [\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
});

test("nothing is permitted but what a job names, and only one that runs nothing of the repository may write to it", () => {
  expect(all.filter(([, { permissions }]) => Object.keys(permissions as object).length > 0)).toEqual([]);
  const alerts = { contents: "read", "security-events": "write" };
  const granted = all.map(([name, each]) => [name, Object.values(each.jobs).map(({ permissions }) => permissions)]);
  expect(Object.fromEntries(granted)).toEqual({
    preview: [{ contents: "read" }, { "pull-requests": "write" }],
    up: [{ contents: "read" }],
    drift: [{ ...alerts, issues: "write" }],
    shards: [{ contents: "read" }, alerts],
    accept: [{ contents: "read" }, { contents: "write", "pull-requests": "write" }, { contents: "read" }],
  });
  for (const job of [workflow("accept").jobs["propose"]!, workflow("preview").jobs["comment"]!])
    expect(job.steps.map(({ run = "" }) => run).join("\n")).not.toMatch(/\bnpm\b|\bnpx\b|ENGINE/);
});

test("no command has an expression in it, which would let a title or branch name run as a program", () => {
  expect(jobs.flatMap(({ steps }) => steps).filter(({ run }) => run?.includes("${{"))).toEqual([]);
});

test("keys that may write are seen by what is approved alone, behind its environment", () => {
  const seeing = all.flatMap(([, { jobs: each }]) =>
    Object.entries(each).filter(([, job]) => JSON.stringify(job).includes("secrets.MODELPLATFORM_ACCOUNTS")),
  );
  expect(seeing.map(([name, { environment }]) => [name, environment])).toEqual([
    ["up", "production"],
    ["set-back", "production"],
  ]);
  for (const name of ["up", "set-back"]) expect(gitLab()[name]?.environment).toBe("production");
});

test("the pipeline of GitLab has the jobs that the README promises", () => {
  const withScripts = Object.entries(gitLab()).filter(([, job]) => "script" in Object(job));
  expect(withScripts.map(([name]) => name)).toEqual([
    "preview",
    "comment",
    "up",
    "drift",
    "accept",
    "propose",
    "set-back",
  ]);
  expect(textOf("README.md")).toContain(gitLabFile);
});

test("what a run notes is kept for the next one, whatever becomes of it", () => {
  const { env, jobs: up } = workflow("up");
  const [restored, saved] = ["restore", "save"].map((verb) =>
    up["up"]!.steps.find(({ uses }) => uses?.startsWith(`actions/cache/${verb}@`)),
  );
  expect(restored?.with).toMatchObject({ path: env["MODELPLATFORM_INTENTS"], key: saved?.with?.["key"] });
  expect(String(saved?.with?.["key"])).toMatch(/\$\{\{ vars\.STACK \}\}.*run_id.*run_attempt/);
  expect(String(saved?.with?.["key"]).startsWith(String(restored?.with?.["restore-keys"]))).toBe(true);
  expect(saved).toMatchObject({ if: "always()", with: { path: env["MODELPLATFORM_INTENTS"] } });
  expect(gitLab()["up"]).toMatchObject({
    resource_group: "up",
    cache: { paths: [gitLab()["up"]?.variables?.["MODELPLATFORM_INTENTS"]], when: "always" },
  });
});

/** Why a pipeline is left to the nightly run: a normal one plays a story of each forge. */
const told = "a pipeline runs five commands and more; the same story is told on the other forge or in tests/drift";

const declared = { resources: { ada: { kind: "User", userId: "ada", email: "ada@example.com", role: "admin" } } };

/** Objects of a run, which came up with a user who then became somebody else's; what no stack knows is there too. */
async function drifted(site: Site): Promise<void> {
  await site.tamper(`accounts/${account}/users/ada`, { role: "inference-user" });
  await site.seed({ [`accounts/${account}/users/eve`]: { email: "eve@example.com", role: "admin" } });
}

const report = (site: Site): { exitCode: number; summary: Values } =>
  JSON.parse(readFileSync(join(site.program, "drift/drift.json"), "utf8")) as { exitCode: number; summary: Values };

withCliAtNight("only the command of its steps differs", (engine) => {
  let site: Site;
  let runner: Runner;
  let gitlab: { url: string; close(): void } | undefined;

  beforeEach(async () => {
    site = await openForProcesses(engine);
    runner = new Runner(site, engine);
    site.declare(declared);
  });
  afterEach(async () => {
    gitlab?.close();
    runner.close();
    await site.close();
  });

  const must = (ran: readonly { name: string; code: number | null; output: string }[]): void => {
    const failed = ran.find(({ code }) => code !== 0);
    if (failed) throw new Error(`step ${failed.name} ended with ${failed.code}:\n${failed.output}`);
  };

  test("GitHub: previews in one comment, goes up, and keeps one issue about what drifted", async () => {
    const planted = { id: 1, body: "<!-- modelplatform preview -->", user: { login: "mallory" } };
    runner.forge = { comments: [planted], issues: [] };
    await runner.play(site);
    for (const _ of ["the first push", "the second push"]) {
      must(await runner.workflow("preview", expressions));
      must(await runner.workflow("preview", expressions, "comment"));
    }
    expect(runner.forge.comments).toEqual([
      planted,
      { id: 2, body: expect.stringMatching(/^<!-- modelplatform preview -->\n### Preview of `dev`[^]*ada/) },
    ]);
    expect(await site.writes()).toEqual([]);

    must(await runner.workflow("up", expressions));
    expect(site.only("users")).toMatchObject({ role: "admin" });
    must(await runner.workflow("drift", expressions));
    expect(runner.forge.issues).toEqual([]);

    await drifted(site);
    for (const _ of ["a first night", "a second night"]) {
      const ran = await runner.workflow("drift", expressions);
      expect(ran.map(({ name, code }) => [name, code])).toEqual([
        ["Install", 0],
        ["Export the stack", 0],
        ["Scan", 0],
        ["Issue", 0],
        ["Verdict", 2],
      ]);
      expect(runner.forge.issues).toEqual([
        { number: 1, state: "open", body: expect.stringMatching(/users\/ada[^]*users\/eve|users\/eve[^]*users\/ada/) },
      ]);
    }
    expect(report(site)).toMatchObject({ exitCode: 2, summary: { changed: 1, unmanaged: 1 } });
    for (const format of ["sarif", "md", "html"])
      expect(existsSync(join(site.program, `drift/drift.${format}`))).toBe(true);

    await site.tamper(`accounts/${account}/users/ada`, { role: "admin" });
    await site.tamper(`accounts/${account}/users/eve`);
    must(await runner.workflow("drift", expressions));
    expect(runner.forge.issues).toMatchObject([{ number: 1, state: "closed" }]);
  });

  const lost = {
    resources: {
      chat: { kind: "Deployment", baseModel: openModel, deploymentShape: "default" },
      grace: { kind: "User", email: "grace@example.com", role: "user" },
    },
  };

  type Up = (run: string) => Promise<{ code: number | null; output: string }>;
  const upOnGitHub: Up = async (run) => (await runner.workflow("up", { ...expressions, "github.run_id": run })).at(-1)!;
  const upOnGitLab: Up = () => runner.gitLabJob("up", { MODELPLATFORM_ACCOUNTS: keys });

  const findsWhatWasBegun = async (up: Up): Promise<void> => {
    site.declare(lost);
    site.freeze();
    for (const collection of ["Deployment", "User"])
      await site.fault({ operation: `create${collection}` }, { kind: "hang", commit: true });
    const broken = up("1");
    await site.until(() => site.live("deployments/")[0] && site.live("users/")[0]);
    // The built-in engine serves this package's kinds itself, so that there is no other process to break.
    const serving = site.providers();
    for (const pid of serving.length > 0 ? serving : site.processes()) process.kill(pid, "SIGKILL");
    expect((await broken).code).not.toBe(0);
    site.thaw();
    runner.renew();
    await runner.play(site);
    must([{ name: "up", ...(await up("2")) }]);
    expect(site.only("deployments/")).toMatchObject({ name: site.resource("chat").id, state: "READY" });
    expect(site.only("users/")).toMatchObject({ name: site.resource("grace").id });
  };

  test("GitLab: the next run finds what a broken one began, on another machine", () => findsWhatWasBegun(upOnGitLab));
  nightly(told, () => {
    test("GitHub: the next run finds what a broken one began, on another machine", () => findsWhatWasBegun(upOnGitHub));

    test("GitHub: shards of the accounts make one report", async () => {
      must(await runner.workflow("up", expressions));
      await drifted(site);
      for (const shard of ["1", "2"])
        must(
          await runner.workflow("shards", { ...expressions, "matrix.shard": shard, "strategy.job-total": "2" }, "scan"),
        );
      const ran = await runner.workflow("shards", expressions, "merge");
      expect(ran.map(({ name, code }) => [name, code])).toEqual([
        ["Install", 0],
        ["Merge", 0],
        ["Verdict", 2],
      ]);
      expect(report(site)).toMatchObject({ exitCode: 2, summary: { changed: 1, unmanaged: 1 } });
    });

    test("GitLab: the same", async () => {
      const planted = { id: 1, body: "<!-- modelplatform preview -->", author: { id: 666 } };
      const forge: Forge = { comments: [planted], issues: [] };
      gitlab = await serveGitLab(forge);
      const env = { CI_API_V4_URL: gitlab.url, MODELPLATFORM_ACCOUNTS: keys };
      const run = async (job: string, code = 0): Promise<void> => {
        const ended = await runner.gitLabJob(job, env);
        if (ended.code !== code) throw new Error(`${job} ended with ${ended.code}:\n${ended.output}`);
      };

      for (const _ of ["the first push", "the second push"]) {
        await run("preview");
        await run("comment");
      }
      expect(forge.comments).toEqual([
        planted,
        { id: 2, body: expect.stringMatching(/^<!-- modelplatform preview -->\n### Preview of `dev`[^]*ada/) },
      ]);
      await run("up");
      expect(site.only("users")).toMatchObject({ role: "admin" });
      await run("drift");
      expect(forge.issues).toEqual([]);

      await drifted(site);
      await run("drift", 2);
      await run("drift", 2);
      expect(forge.issues).toEqual([{ number: 1, state: "open", body: expect.stringContaining("users/ada") }]);
      expect(existsSync(join(site.program, gitLab()["drift"]!.artifacts!.reports!["junit"]!))).toBe(true);
      await site.tamper(`accounts/${account}/users/ada`, { role: "admin" });
      await site.tamper(`accounts/${account}/users/eve`);
      await run("drift");
      expect(forge.issues).toMatchObject([{ state: "closed" }]);
    });
  });
});
