import { openModel } from "../e2e/everything";
import { longerAtNight, nightly } from "../nightly";
import type { Values } from "../values";
import { GitHub } from "./github";
import { GitLab } from "./gitlab";
import { accountOf, Team } from "./team";
import { must, mustRun } from "./verdict";

const source = `import { Deployment, User } from "pulumi-modelplatform";

new Deployment("chat", { baseModel: "${openModel}", deploymentShape: "default" });
new User("grace", { email: "grace@example.com", role: "user" });
`;

let team: Team;

beforeEach(async () => {
  team = await Team.open({ plays: false });
  await team.begin(source);
});
afterEach(() => team.close());

const live = (collection: string): Values[] =>
  [...team.site.emulator.world.all()]
    .map(({ fields }) => fields)
    .filter(({ name }) => String(name).startsWith(`accounts/${accountOf("staging")}/${collection}/`));

/** The jobs of the second run are on machines that have nothing of the first one but what the forge keeps. */
async function findsWhatWasBegun(up: () => Promise<() => void>): Promise<void> {
  const { site, machine } = team;
  site.freeze();
  for (const collection of ["Deployment", "User"])
    await site.fault({ operation: `create${collection}` }, { kind: "hang", commit: true });
  const broken = up();
  await site.until(() => live("deployments")[0] && live("users")[0]);
  // The runs from now on happen in this process in a normal run, those of the other stack among them.
  await machine.play();
  site.thaw();
  for (const pid of site.processes()) process.kill(pid, "SIGKILL");
  const succeeded = await broken;
  expect(succeeded).toThrow();
  (await up())();
  expect(live("deployments")).toEqual([expect.objectContaining({ state: "READY" })]);
  expect(live("users")).toHaveLength(1);
}

longerAtNight(() => {
  test("GitLab: the next run finds what a broken one began, on another machine", async () => {
    const gitlab = new GitLab({
      ...{ machine: team.machine, origin: team.origin, api: "http://127.0.0.1:9" },
      ...team.settings("GitLab"),
    });
    await findsWhatWasBegun(async () => {
      const runs = await gitlab.run({ source: "push", branch: "main" });
      return () => void mustRun(runs.slice(0, 1));
    });
  });
});

nightly("the same holds for GitLab, whose cache is kept in another way", () => {
  test("GitHub: the next run finds what a broken one began, on another machine", async () => {
    const github = new GitHub({ machine: team.machine, origin: team.origin, ...team.settings("GitHub") });
    await findsWhatWasBegun(async () => {
      const runs = await github.run("up.yml", { name: "push", branch: "main" });
      return () => void must(runs.slice(0, 1));
    });
  });
});
