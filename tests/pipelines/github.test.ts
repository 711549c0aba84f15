import { longerAtNight, nightly } from "../nightly";
import { GitHub, type JobRun } from "./github";
import { credentials, openObjectStore } from "./object-store";
import { accountOf, expectAccepted, hostile, marker, program, reviewOf, stacks, Team } from "./team";
import { must } from "./verdict";

let team: Team;
let github: GitHub;

beforeEach(async () => {
  team = await Team.open();
  await team.begin(program());
  github = new GitHub({ machine: team.machine, origin: team.origin, ...team.settings("GitHub") });
});
afterEach(() => team.close());

const night = { name: "schedule", branch: "main" } as const;
const merged = { name: "push", branch: "main" } as const;

const pulled = { name: "pull_request", branch: "feature" } as const;
const placesOf = (runs: readonly JobRun[]): string[] =>
  runs.map(({ job, matrix, environment }) => [job, ...Object.values(matrix), environment].join(" ").trim());

longerAtNight(() => {
  test("a pull request is reviewed in one comment, and goes up once it is merged", async () => {
    const planted = { id: 1, body: marker, user: { login: "mallory" } };
    const quoted = { id: 2, body: `Quoted:\n${marker}` };
    github.forge = { comments: [planted, quoted], issues: [] };
    expect(placesOf(must(await github.run("up.yml", merged)))).toEqual(["up staging staging", "up prod prod"]);
    for (const stack of stacks) expect(team.live(stack, "ada")).toMatchObject({ displayName: "Ada" });

    team.write("index.ts", program("grace"));
    team.push("feature");
    await team.site.requests();
    for (const _ of ["the first push", "the second push"])
      expect(placesOf(must(await github.run("preview.yml", pulled)))).toEqual([
        ...["preview staging preview", "preview prod preview", "review", "comment"],
      ]);
    expect(await team.site.writes()).toEqual([]);
    expect(github.forge.comments).toEqual([
      planted,
      quoted,
      { id: 3, body: expect.stringMatching(reviewOf("User grace", 1)) },
    ]);
    // Its last line names the run, so that the second push changes it.
    expect(github.forge.sent).toBe(2);

    team.merge("feature");
    must(await github.run("up.yml", merged));
    for (const stack of stacks) expect(team.live(stack, "grace")).toBeDefined();
  });
});

/** Why some stories run in the nightly run alone: each runs a workflow of five commands and more. */
const told = "five commands and more: a normal run covers a pull request here, a nightly pipeline on GitLab";

nightly(told, () => {
  let umask: number;
  beforeEach(() => {
    umask = process.umask(0);
  });
  afterEach(() => process.umask(umask));

  test("a container that takes no rights away goes up and previews as any other", async () => {
    must(await github.run("up.yml", merged));
    for (const stack of stacks) expect(team.live(stack, "ada")).toMatchObject({ displayName: "Ada" });
    team.write("index.ts", program("grace"));
    team.push("feature");
    must(await github.run("preview.yml", pulled));
  });
});

nightly(told, () => {
  beforeEach(async () => {
    must(await github.run("up.yml", merged));
  });

  test("what differs in any account is in one issue, without another stack's objects", async () => {
    must(await github.run("drift.yml", night));
    expect(github.forge).toMatchObject({ issues: [], alerts: [] });

    await team.tamper("prod", "ada", { role: "admin" });
    await team.add("staging", "eve");
    for (const _ of ["a first night", "a second night"]) {
      const runs = must(await github.run("drift.yml", night), 2);
      expect(runs.map(({ job, result }) => [job, result])).toEqual([
        ["scan", "failure"],
        ["report", "success"],
      ]);
      expect(github.forge.issues).toEqual([{ number: 1, state: "open", body: expect.any(String) }]);
      const [{ body } = { body: "" }] = github.forge.issues;
      expect(body).toContain(`accounts/${accountOf("prod")}/users/ada`);
      expect(body).toContain(`accounts/${accountOf("staging")}/users/eve`);
      expect(body).not.toContain(`accounts/${accountOf("staging")}/users/ada`);
      expect(github.forge.alerts).toHaveLength(2);
    }
    await team.tamper("prod", "ada", { role: "user" });
    await team.tamper("staging", "eve");
    must(await github.run("drift.yml", night));
    expect(github.forge.issues).toMatchObject([{ number: 1, state: "closed" }]);
  });

  test("a night in shards goes on with the history of the night before, in a bucket", async () => {
    const store = await openObjectStore();
    const kept = { HISTORY: `${store.url}/states/history.tgz`, HISTORY_IDENTITY: "arn:aws:iam::1:role/history" };
    const identities: string[] = [];
    const logIn = (role: string) => (identities.push(role), credentials);
    github = new GitHub({ machine: team.machine, origin: team.origin, ...team.settings("GitHub", kept), logIn });
    await team.tamper("prod", "ada", { role: "admin" });
    for (const seen of [1, 2]) {
      const runs = must(await github.run("drift-shards.yml", night), 2);
      expect(
        runs
          .at(-2)!
          .steps.map(({ output }) => output)
          .join(""),
      ).not.toContain("in-bucket:");
      expect(github.forge.alerts).toHaveLength(1);
      expect(store.changes()).toContain("ObjectCreated:Put history.tgz");
      expect(runs.flatMap(({ steps }) => steps).find(({ name }) => name === "Merge")).toMatchObject({ code: 0 });
      expect(JSON.stringify(github.forge.alerts)).toContain(`"timesSeen":${seen}`);
    }
    expect(identities).toEqual(["arn:aws:iam::1:role/history", "arn:aws:iam::1:role/history"]);
    await store.close();
  });

  test("a preview above the ceiling fails; its comment says by how much, and what", async () => {
    const prices = JSON.stringify({ currency: "USD", accelerators: [{ type: "VENDOR1_H100_80GB", hourly: 4 }] });
    const settings = team.settings("GitHub", { PRICES: prices, CEILING: "10/h" });
    github = new GitHub({ machine: team.machine, origin: team.origin, ...settings });
    github.forge = { comments: [], issues: [] };
    const hardware = 'acceleratorType: "VENDOR1_H100_80GB", acceleratorCount: 1';
    const chat = (most: number): string =>
      `import { Deployment } from "pulumi-modelplatform";\n${program()}\nnew Deployment("chat", { baseModel: "accounts/platform/models/open-8b", ${hardware}, maxReplicaCount: ${most} });\n`;
    team.write("index.ts", chat(2));
    team.push("feature");
    must(await github.run("preview.yml", pulled));
    // 2 × 4 = 8 is below 10
    expect(github.forge.comments[0]!.body).toMatch(/at most 0\.00 → 8\.00 USD\/h/);

    team.write("index.ts", chat(3));
    team.push("feature");
    const runs = await github.run("preview.yml", pulled);
    expect(runs.map(({ job, result }) => [job, result])).toEqual([
      ...stacks.map(() => ["preview", "failure"]),
      ["review", "success"],
      ["comment", "success"],
    ]);
    // 3 × 4 = 12 is 2 above 10
    expect(github.forge.comments[0]!.body).toMatch(/12\.00 USD\/h/);
  });

  test("a stack whose preview fails comes first, and the others are complete", async () => {
    await team.site.fault({ account: accountOf("staging") }, { kind: "status", status: 401 }, { times: null });
    team.write("index.ts", `${program("grace")}\nif (config.require("title") === "") throw new Error("no title");\n`);
    await team.run("npx pulumi-modelplatform config set title '' --stack staging");
    team.push("feature");
    const runs = await github.run("preview.yml", pulled);
    expect(runs.map(({ job, result }) => [job, result])).toEqual([
      ["preview", "failure"],
      ...[["preview", "success"], ...["review", "comment"].map((job) => [job, "success"])],
    ]);
    expect(github.forge.comments[0]!.body).toMatch(
      /^[^\n]*\n\n### ❌ staging: the preview failed[^]*### prod: 1 created/,
    );
  });

  test("a comment of two thousand rows fits, and finds its own among sixty others", async () => {
    const others = Array.from({ length: 60 }, (_, index) => ({ id: index + 1, body: "LGTM", user: { login: "bob" } }));
    github.forge = { comments: [...others, { id: 61, body: `${marker}\nof the push before` }], issues: [] };
    const users = Array.from({ length: 1000 }, (_, index) => `u${index}`);
    team.write("index.ts", program(...users));
    team.push("feature");
    must(await github.run("preview.yml", pulled));
    expect(github.forge.comments).toHaveLength(61);
    const { body } = github.forge.comments[60]!;
    expect(body.length).toBeLessThan(65_000);
    expect(body).toMatch(/more rows:\*\* [\d,]+ created/);
  });

  test("shards of the accounts make one report", async () => {
    await team.tamper("prod", "ada", { role: "admin" });
    await team.add("staging", "eve");
    const runs = must(await github.run("drift-shards.yml", night), 2);
    expect(runs.map(({ job, result }) => [job, result])).toEqual([
      ["export", "success"],
      ...Array.from({ length: 4 }, () => ["scan", "success"]),
      ["merge", "failure"],
      ["alert", "success"],
    ]);
    expect(github.forge.alerts).toHaveLength(2);
  });

  test("what is live in one stack becomes its pull request, closed once it is gone", async () => {
    await team.tamper("prod", "ada", { displayName: "Countess" });
    must(await github.run("accept.yml", night));
    await team.tamper("prod", "ada", { displayName: hostile });
    must(await github.run("accept.yml", night));
    const branch = "modelplatform/accept-drift-prod";
    expect(github.forge.pulls).toEqual([{ number: 1, state: "open", branch, body: expect.any(String) }]);
    expectAccepted(github.forge.pulls![0]!.body);
    expect([team.titleOn(branch, "prod"), team.titleOn(branch, "staging")]).toEqual([hostile, "Ada"]);
    expect(team.branches().sort()).toEqual(["main", branch]);
    await team.tamper("prod", "ada", { displayName: "Ada" });
    must(await github.run("accept.yml", night));
    expect(github.forge.pulls).toMatchObject([{ number: 1, state: "closed" }]);
  });

  test("what is severe is set back in its stack alone, once somebody approves it there", async () => {
    const asked: string[] = [];
    const approves = (environment: string, job: string) => {
      if (job === "set-back") asked.push(environment);
      return true;
    };
    const settings = team.settings("GitHub", { SET_BACK: "error" });
    github = new GitHub({ machine: team.machine, origin: team.origin, ...settings, approves });
    await team.tamper("prod", "ada", { role: "admin" });
    must(await github.run("accept.yml", night));
    expect(asked).toEqual(["prod"]);
    expect(team.live("prod", "ada")).toMatchObject({ role: "user" });
    expect(github.forge.pulls).toEqual([]);
    must(await github.run("accept.yml", night));
    expect(asked).toEqual(["prod"]);
  });

  test("what is severe is set back where there is one stack alone", async () => {
    const settings = team.settings("GitHub", { SET_BACK: "error", STACKS: '["prod"]' });
    github = new GitHub({ machine: team.machine, origin: team.origin, ...settings });
    await team.tamper("prod", "ada", { role: "admin" });
    const runs = must(await github.run("accept.yml", night));
    expect(runs.flatMap(({ job, matrix }) => (job === "set-back" ? [matrix["stack"]] : []))).toEqual(["prod"]);
    expect(team.live("prod", "ada")).toMatchObject({ role: "user" });
  });

  test("a job whose environment nobody approves runs no step", async () => {
    const approves = (environment: string) => environment !== "preview";
    github = new GitHub({ machine: team.machine, origin: team.origin, ...team.settings("GitHub"), approves });
    const runs = await github.run("preview.yml", { name: "pull_request", branch: "main" });
    expect(runs.filter(({ job }) => job === "preview").flatMap(({ steps }) => steps)).toEqual([]);
    expect(github.forge.comments).toEqual([]);
  });

  test("a stack that fails stops those behind it", async () => {
    await team.site.fault({ operation: "createUser", account: accountOf("staging") }, { kind: "status", status: 400 });
    team.write("index.ts", program("grace"));
    team.push("main");
    const runs = await github.run("up.yml", merged);
    expect(runs.map(({ matrix, result }) => [matrix["stack"], result])).toEqual([["staging", "failure"]]);
    expect(team.live("prod", "grace")).toBeUndefined();
  });

  test("keys that a command makes are enough for a scan", async () => {
    team.machine.put("key-of", `echo "read-$1"`);
    const keys = stacks.map((stack) => [accountOf(stack), { keyCommand: ["key-of", stack] }]);
    const made = { MODELPLATFORM_READ_ACCOUNTS: JSON.stringify(Object.fromEntries(keys)) };
    github = new GitHub({ machine: team.machine, origin: team.origin, ...team.settings("GitHub", made) });
    await team.tamper("prod", "ada", { role: "admin" });
    must(await github.run("drift.yml", night), 2);
    expect(github.forge.issues[0]?.body).toContain(`accounts/${accountOf("prod")}/users/ada`);
  });

  test("what another stack shares is in no pull request", async () => {
    team.write("index.ts", program("grace"));
    team.push("main");
    must(await github.run("up.yml", merged));
    await team.tamper("prod", "grace", { displayName: "Grace" });
    must(await github.run("accept.yml", night));
    expect(github.forge.pulls).toEqual([]);
  });

  test("a key that was committed is named in the comment, and is not in it", async () => {
    await team.run(`npx pulumi-modelplatform config set --secret modelplatform:apiKey write-prod --stack prod`);
    team.push("feature");
    must(await github.run("preview.yml", { name: "pull_request", branch: "feature" }));
    const body = github.forge.comments[0]!.body;
    expect(body).toContain("1 warning");
    expect(body).toContain(accountOf("prod"));
    expect(body).not.toContain("write-prod");
  });
});
