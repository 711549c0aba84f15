import { onTheCli, pulumiCli } from "../e2e/engines";
import { nightly } from "../nightly";
import type { Forge } from "./forge";
import { GitHub } from "./github";
import { GitLab } from "./gitlab";
import { serveGitLab } from "./gitlab-api";
import { backend, credentials, type ObjectStore, openObjectStore, serveLogins } from "./object-store";
import { accountOf, program, stacks, Team } from "./team";
import { must, mustRun } from "./verdict";

nightly("the Pulumi CLI starts three processes for each command, and a pipeline runs ten", () => {
  onTheCli(() => {
    let store: ObjectStore;
    let team: Team;

    beforeEach(async () => {
      store = await openObjectStore();
      team = await Team.open({ engine: pulumiCli, backend });
      team.machine.surroundings["AWS_ENDPOINT_URL_S3"] = store.url;
      await team.begin(program(), { ...credentials, AWS_REGION: "eu-central-1" });
    });
    afterEach(async () => {
      await team.close();
      await store.close();
    });

    const identity = { STATE_IDENTITY: (environment: string) => `arn:aws:iam::1:role/${environment}` };

    test("GitHub: each job logs in as its environment; scans and previews write no state", async () => {
      const identities: string[] = [];
      const logIn = (role: string) => {
        identities.push(role);
        return credentials;
      };
      const settings = team.settings("GitHub", identity);
      const github = new GitHub({ machine: team.machine, origin: team.origin, ...settings, logIn });
      must(await github.run("up.yml", { name: "push", branch: "main" }));
      for (const stack of stacks) expect(team.live(stack, "ada")).toMatchObject({ displayName: "Ada" });
      expect(identities.splice(0)).toEqual(stacks.map((stack) => `arn:aws:iam::1:role/${stack}`));

      await team.tamper("prod", "ada", { displayName: "Countess" });
      await team.add("staging", "eve");
      const night = { name: "schedule", branch: "main" } as const;
      expect(store.changes()).not.toEqual([]);
      must(await github.run("drift.yml", night), 2);
      const [{ body } = { body: "" }] = github.forge.issues;
      expect(body).toContain(`accounts/${accountOf("prod")}/users/ada`);
      expect(body).not.toContain(`accounts/${accountOf("staging")}/users/ada`);
      must(await github.run("drift-shards.yml", night), 2);
      expect(github.forge.alerts).toHaveLength(2);
      must(await github.run("accept.yml", night));
      expect(github.forge.pulls).toMatchObject([{ branch: "modelplatform/accept-drift-prod", state: "open" }]);
      expect(team.titleOn("modelplatform/accept-drift-prod", "prod")).toBe("Countess");
      expect(store.changes()).toEqual([]);
      expect(new Set(identities.splice(0))).toEqual(new Set(["arn:aws:iam::1:role/scan"]));

      must(await github.run("preview.yml", { name: "pull_request", branch: "modelplatform/accept-drift-prod" }));
      expect(identities).toEqual(stacks.map(() => "arn:aws:iam::1:role/preview"));
      // One comment has all stacks.
      expect(github.forge.comments).toMatchObject([
        { body: expect.stringMatching(/### prod: .*Nothing to do: staging/s) },
      ]);
      expect(store.changes()).toEqual([]);
    });

    test("GitLab: the same, with the token that the job shows to the cloud", async () => {
      const logins = await serveLogins();
      team.machine.surroundings["AWS_ENDPOINT_URL_STS"] = logins.url;
      const forge: Forge = { comments: [], issues: [], pulls: [] };
      const api = await serveGitLab(forge);
      const setting = { machine: team.machine, origin: team.origin, api: api.url };
      const gitlab = new GitLab({ ...setting, ...team.settings("GitLab", identity) });
      try {
        mustRun(await gitlab.run({ source: "push", branch: "main" }));
        await team.tamper("prod", "ada", { displayName: "Countess" });
        expect(store.changes()).not.toEqual([]);
        mustRun(await gitlab.run({ source: "schedule", branch: "main" }), 2);
        expect(forge.issues[0]?.body).toContain(`accounts/${accountOf("prod")}/users/ada`);
        expect(team.titleOn("modelplatform/accept-drift-prod", "prod")).toBe("Countess");
        expect(store.changes()).toEqual([]);
        const shown = logins.shown.map((each) => [each.get("RoleArn"), each.get("WebIdentityToken")].join(" "));
        expect([...new Set(shown)].sort()).toEqual(
          ["prod", "scan", "staging"].map((each) => `arn:aws:iam::1:role/${each} token of ${each}`),
        );
      } finally {
        api.close();
        logins.close();
      }
    });
  });
});
