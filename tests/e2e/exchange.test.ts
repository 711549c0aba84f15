import { nightly } from "../nightly";
import { builtIn, type Engine, onTheCli, pulumiCli } from "./engines";
import { chat, everything, tuning } from "./everything";
import { Site } from "./site";

jest.setTimeout(300_000);

const directions = [
  { first: builtIn, second: pulumiCli, title: "the built-in engine, then the CLI" },
  { first: pulumiCli, second: builtIn, title: "the CLI, then the built-in engine" },
];

onTheCli(() => {
  describe.each(directions)("$title", ({ first, second }) => {
    /** By day each story goes in one direction. */
    const beginningWith = (engine: Engine, tests: () => void): void =>
      first === engine ? tests() : nightly("every run covers it in the other direction", tests);

    let site: Site;
    beforeEach(async () => void (site = await Site.open(first)));
    afterEach(() => site.close());

    beginningWith(builtIn, () => {
      test("a state of every kind of resource is as good to the other engine as to its own", async () => {
        await site.up(everything);
        await site.requests();
        await site.expect(0, "preview --expect-no-changes", { engine: second });
        expect(await site.requests()).toEqual([]);
        await site.expect(0, "refresh --preview-only --expect-no-changes", { engine: second });

        const { ada, serving } = everything.resources;
        await site.up(
          {
            ...everything,
            resources: {
              ...everything.resources,
              ada: { ...ada!, role: "admin" },
              serving: { ...serving!, preemptible: true },
            },
          },
          { engine: second },
        );
        await site.requests();
        await site.expect(0, "preview --expect-no-changes");
        expect(await site.requests()).toEqual([]);
        await site.expect(0, "destroy");
        expect([site.live("deployments/"), site.live("users/"), site.live("secrets/"), site.resources()]).toEqual([
          [],
          [],
          [],
          [],
        ]);
      });
    });

    beginningWith(pulumiCli, () => {
      test("a replacement that stopped after the deletion is completed", async () => {
        const fixed = { ...chat, deploymentId: "fixed" };
        await site.up({ resources: { fixed } });
        // The service first says whether it would make it, before the old one is deleted.
        await site.fault(
          { operation: "createDeployment" },
          { kind: "status", status: 400, body: { code: 3, message: "not today" } },
          { skip: 1 },
        );
        site.declare({ resources: { fixed: { ...fixed, preemptible: true } } });
        expect((await site.expect(1, "up")).output).toContain("not today");
        expect(site.live("deployments/")).toEqual([]);
        expect(site.resource("fixed")).toMatchObject({ pendingReplacement: true });
        await site.expect(0, "up", { engine: second });
        expect(site.only("deployments/")).toMatchObject({ name: "accounts/demo/deployments/fixed", preemptible: true });
        await site.expect(0, "preview --expect-no-changes");
      });
    });

    beginningWith(builtIn, () => {
      test("a failed job is held at no cost until the program is corrected", async () => {
        const failing = { ...tuning, dataset: "accounts/demo/datasets/to-fail" };
        site.declare({ resources: { chat, failing } });
        expect((await site.expect(1, "up")).output).toContain("JOB_STATE_FAILED");
        expect(site.resource("failing")).toMatchObject({ initErrors: [expect.stringContaining("JOB_STATE_FAILED")] });
        await site.requests();
        expect((await site.expect(1, "up", { engine: second })).output).toContain("JOB_STATE_FAILED");
        expect(await site.writes()).toEqual([]);
        await site.up({ resources: { chat, failing: tuning } }, { engine: second });
        expect(site.only("supervisedFineTuningJobs/")).toMatchObject({ state: "JOB_STATE_COMPLETED" });
        await site.expect(0, "preview --expect-no-changes");
      });
    });
  });
});
