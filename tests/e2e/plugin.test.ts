import { InlineSite } from "../inline/site";
import { isNightly, longerAtNight, nightly } from "../nightly";
import { builtIn, type Engine, onTheCli, pulumiCli, withCliAtNight } from "./engines";
import { chat, everything, expectHealed } from "./everything";
import { type DeclaredProgram, Site } from "./site";

jest.setTimeout(300_000);

/** The same program with the plugin's classes. */
const plugged = (declared: DeclaredProgram): DeclaredProgram => ({ ...declared, from: "pulumi-modelplatform/plugin" });

const { ada } = everything.resources;

/** The processes of the built-in engine run in this one, but for the nightly run. */
const open = (engine: Engine): Promise<Site> =>
  engine.isBuiltIn && !isNightly ? InlineSite.start() : Site.open(engine);

longerAtNight(() => {
  withCliAtNight("tests/plugin speaks the protocol of both engines in every run", (engine) => {
    let site: Site;
    beforeEach(async () => void (site = await open(engine)));
    afterEach(() => site.close());

    test("the plugin brings up, keeps still, sees drift, heals it and takes all down", async () => {
      await site.up(plugged(everything));
      expect(site.resources().every(({ type }) => type.startsWith("modelplatform:index:"))).toBe(true);
      expect(site.resources()).toHaveLength(Object.keys(everything.resources).length);
      expect(JSON.stringify(site.resource("storage"))).not.toContain("not so secret");
      await site.requests();
      await site.expect(0, "preview --expect-no-changes");
      expect(await site.requests()).toEqual([]);
      await site.expect(0, "refresh --preview-only --expect-no-changes");

      await expectHealed(site);
      await site.expect(0, "destroy");
      expect([site.live("deployments/"), site.live("users/"), site.live("secrets/"), site.resources()]).toEqual([
        [],
        [],
        [],
        [],
      ]);
    });

    test("a stack moves to the plugin without a write, and back with records only", async () => {
      await site.up(everything);
      await site.requests();
      site.declare(plugged(everything));
      await site.expect(0, "preview --expect-no-changes");
      await site.expect(0, "up");
      expect(site.resources().every(({ type }) => type.startsWith("modelplatform:index:"))).toBe(true);
      await site.expect(0, "preview --expect-no-changes");
      await site.expect(0, "refresh --preview-only --expect-no-changes");

      // What the plugin has changed, a dynamic provider cannot find its way back to without being recorded again.
      const changed = {
        ...everything,
        resources: { ...everything.resources, ada: { ...ada!, displayName: "Ada L." } },
      };
      await site.up(plugged(changed));
      expect((await site.writes()).map((write) => write.split("/")[0])).toEqual(["PATCH "]);
      site.declare(changed);
      await site.expect(7, "preview --expect-no-changes");
      await site.expect(0, "up");
      expect(await site.writes()).toEqual([]);
      expect(site.resources().every(({ type }) => type.startsWith("pulumi-nodejs:"))).toBe(true);
      await site.expect(0, "preview --expect-no-changes");
      await site.expect(0, "refresh --preview-only --expect-no-changes");
      await site.expect(0, "destroy");
      expect([site.live("deployments/"), site.live("users/"), site.resources()]).toEqual([[], [], []]);
    });
  });
});

/** Signals need processes. */
const onProcesses = (tests: (engine: Engine) => void): void => {
  nightly("an interrupted `up` is three processes; on the Pulumi CLI it runs wherever that is", () => {
    describe(`on ${builtIn.title}`, () => tests(builtIn));
  });
  onTheCli(() => tests(pulumiCli));
};

onProcesses((engine) => {
  let site: Site;
  beforeEach(async () => void (site = await Site.open(engine)));
  afterEach(() => site.close());

  test("a first ^C during a create leaves its object in the state for the next `up`", async () => {
    await site.setSpeed(1e-6);
    site.declare(plugged({ resources: { chat } }));
    const up = site.start("up");
    await site.until(() => site.live("deployments/").length === 1 && /CREATING/.test(up.output()));
    up.signal("SIGINT");
    expect((await up.ended).code).not.toBe(0);
    const [made] = site.live("deployments/");
    expect(site.resource("chat")).toMatchObject({ id: made!["name"] });
    await site.setSpeed(2000);
    await site.expect(0, "up");
    expect(site.live("deployments/")).toHaveLength(1);
    expect(site.only("deployments/")).toMatchObject({ name: made!["name"], state: "READY" });
  });
});
