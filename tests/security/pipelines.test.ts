import { gitLab, gitLabFile, textOf, workflow, workflows } from "../pipelines/files";

const github = textOf(workflows.preview);
const gitlab = textOf(gitLabFile);

test("only a comment of the pipeline's own is updated", () => {
  expect(github).toContain('.user.login == \\"github-actions[bot]\\"');
  expect(gitlab).toContain("author.id === me");
});

test("no token is on a command line, where every process of the machine sees it", () => {
  expect(gitlab.match(/curl.*TOKEN/g)?.filter((line) => !line.includes("--config -")) ?? []).toEqual([]);
  expect(gitlab).not.toContain('--header "PRIVATE-TOKEN');
});

test("no job that runs code of a merge request has the token that may write", () => {
  const { jobs } = gitLab();
  const withToken = Object.entries(jobs).filter(([, job]) => JSON.stringify(job).includes("GITLAB_TOKEN"));
  expect(withToken.map(([name]) => name)).toEqual(["comment", "issue", "propose"]);
  for (const [, job] of withToken) {
    expect(job.before_script).toBeUndefined();
    expect(JSON.stringify(job.script)).not.toMatch(/npm|npx|ENGINE/);
  }
  for (const name of ["issue", "propose"])
    expect(jobs[name]!.rules).toEqual([{ if: '$CI_PIPELINE_SOURCE == "schedule"', when: "always" }]);
  expect(jobs["comment"]!.environment).not.toEqual(jobs["preview"]!.environment);
});

test("what renders the comment runs packages of the base alone, and has no secret", () => {
  const { review } = workflow("preview").jobs;
  expect(review!.environment).toBeUndefined();
  expect(JSON.stringify(review)).not.toContain("secrets.");
  expect(review!.steps[0]!.with).toMatchObject({ ref: "${{ github.event.pull_request.base.sha }}" });
  expect(review!.steps.filter(({ uses }) => uses?.startsWith("./"))).toEqual([]);
  const script = gitLab().jobs["review"]!.script.join("\n");
  expect(gitLab().jobs["review"]).not.toHaveProperty("environment");
  expect(script.indexOf("git checkout --quiet --force FETCH_HEAD")).toBeLessThan(script.indexOf("npm ci"));
  for (const text of [script, JSON.stringify(review)]) expect(text).toContain("npm ci --ignore-scripts");
});
