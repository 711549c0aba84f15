import { longerAtNight, nightly } from "../nightly";
import type { Forge } from "./forge";
import { GitLab, type GitLabRun } from "./gitlab";
import { serveGitLab } from "./gitlab-api";
import { accountOf, expectAccepted, hostile, marker, program, reviewOf, stacks, Team } from "./team";
import { mustRun } from "./verdict";

let team: Team;
let gitlab: GitLab;
let api: { url: string; close(): void };
let forge: Forge;

const open = (more = {}, starts?: (job: string) => boolean): GitLab =>
  new GitLab({
    ...{ machine: team.machine, origin: team.origin, api: api.url },
    ...team.settings("GitLab", more),
    ...(starts && { starts }),
  });

beforeEach(async () => {
  team = await Team.open();
  await team.begin(program());
  forge = { comments: [], issues: [], pulls: [] };
  api = await serveGitLab(forge);
  gitlab = open();
});
afterEach(async () => {
  api.close();
  await team.close();
});

const night = { source: "schedule", branch: "main" } as const;
const merged = { source: "push", branch: "main" } as const;

const placesOf = (runs: readonly GitLabRun[]): string[] =>
  runs.map(({ name, row, environment }) => [name, ...Object.values(row), environment].join(" "));

longerAtNight(() => {
  test("a nightly run keeps one issue for all accounts, and one merge request per stack", async () => {
    expect(placesOf(mustRun(await gitlab.run(merged)))).toEqual(["up staging staging", "up prod prod"]);
    for (const stack of stacks) expect(team.live(stack, "ada")).toMatchObject({ displayName: "Ada" });

    await team.tamper("prod", "ada", { displayName: hostile });
    await team.add("staging", "eve");
    await team.site.requests();
    expect(placesOf(mustRun(await gitlab.run(night), 2))).toEqual([
      ...["drift scan", "issue comments", "accept staging scan", "accept prod scan"],
      ...["propose staging comments", "propose prod comments"],
    ]);
    expect(await team.site.writes()).toEqual([]);
    expect(forge.issues).toEqual([{ number: 1, state: "open", body: expect.any(String) }]);
    const [{ body } = { body: "" }] = forge.issues;
    expect(body).toContain(`accounts/${accountOf("prod")}/users/ada`);
    expect(body).toContain(`accounts/${accountOf("staging")}/users/eve`);
    expect(body).not.toContain(`accounts/${accountOf("staging")}/users/ada`);
    const branch = "modelplatform/accept-drift-prod";
    expect(forge.pulls).toEqual([{ number: 1, state: "open", branch, body: expect.any(String) }]);
    expectAccepted(forge.pulls![0]!.body);
    expect([team.titleOn(branch, "prod"), team.titleOn(branch, "staging")]).toEqual([hostile, "Ada"]);
  });
});

/** Why some stories run in the nightly run alone. */
const told = "five commands and more: a normal run covers a nightly pipeline here, a pull request on GitHub";

nightly(told, () => {
  const request = { source: "merge_request_event", branch: "feature" } as const;

  test("a merge request is previewed for each stack, and goes up once it is merged", async () => {
    const others = Array.from({ length: 120 }, (_, index) => ({ id: index + 2, body: "LGTM", author: { id: 666 } }));
    forge.comments.push({ id: 1, body: marker, author: { id: 666 } }, ...others);
    team.write("index.ts", program("grace"));
    team.push("feature");
    for (const _ of ["the first push", "the second push"])
      expect(placesOf(mustRun(await gitlab.run(request)))).toEqual([
        ...["preview staging preview", "preview prod preview", "review ", "comment comments"],
      ]);
    expect(await team.site.writes()).toEqual([]);
    expect(forge.comments).toHaveLength(122);
    expect(forge.comments[121]!.body).toMatch(reviewOf("User grace", 2));
    // The second push says the same of the same pipeline.
    expect(forge.sent).toBe(1);
    team.merge("feature");
    mustRun(await gitlab.run(merged));
    for (const stack of stacks) expect(team.live(stack, "grace")).toBeDefined();
  });

  test("the issue and the merge request are closed once nothing differs", async () => {
    mustRun(await gitlab.run(merged));
    await team.tamper("prod", "ada", { displayName: "Countess" });
    mustRun(await gitlab.run(night), 2);
    await team.tamper("prod", "ada", { displayName: "Ada" });
    mustRun(await gitlab.run(night));
    expect(forge.issues).toMatchObject([{ number: 1, state: "closed" }]);
    expect(forge.pulls).toMatchObject([{ number: 1, state: "closed" }]);
  });

  test("what is severe is set back in its stack, once somebody starts that", async () => {
    mustRun(await gitlab.run(merged));
    await team.tamper("prod", "ada", { role: "admin" });
    gitlab = open({ SET_BACK: "error" });
    mustRun(await gitlab.run(night), 2);
    expect(team.live("prod", "ada")).toMatchObject({ role: "admin" });
    expect(forge.pulls).toEqual([]);
    gitlab = open({ SET_BACK: "error" }, (job) => job === "set-back");
    mustRun(await gitlab.run(night), 2);
    expect(team.live("prod", "ada")).toMatchObject({ role: "user" });
  });

  test("a stack whose account is unreadable delays no other, and closes no merge request", async () => {
    mustRun(await gitlab.run(merged));
    for (const stack of stacks) await team.tamper(stack, "ada", { displayName: "Countess" });
    mustRun(await gitlab.run(night), 2);
    expect(forge.pulls).toHaveLength(2);
    await team.site.fault({ account: accountOf("staging") }, { kind: "status", status: 403 }, { times: null });
    await team.tamper("prod", "ada", { displayName: "Ada" });
    const ran = await gitlab.run(night);
    expect(ran.find(({ name }) => name === "drift")?.code).toBe(3);
    expect(forge.pulls).toMatchObject([{ state: "open" }, { state: "closed" }]);
  });

  test("what another stack shares is in no merge request", async () => {
    team.write("index.ts", program("grace"));
    team.push("main");
    mustRun(await gitlab.run(merged));
    await team.tamper("prod", "grace", { displayName: "Grace" });
    mustRun(await gitlab.run(night), 2);
    expect(forge.pulls).toEqual([]);
  });
});
