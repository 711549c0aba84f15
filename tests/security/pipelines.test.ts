import { gitLab, gitLabFile, textOf, workflows } from "../pipelines/files";

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
