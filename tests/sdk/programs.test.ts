import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { LeastSdk } from "../../measure/sdk/least";
import { onEachEngine, withPackages } from "../e2e/engines";
import { chat, everything, expectHealed } from "../e2e/everything";
import { Site } from "../e2e/site";
import { everyNth } from "../nightly";

jest.setTimeout(300_000);

/** What `npm run test:sdk` has installed. Every other run has the least SDK, and is short. */
const lane = process.env["LANE_PACKAGES"];
const inLane = (tests: () => void): void =>
  lane === undefined ? describe.skip("in a lane of `npm run test:sdk`: takes minutes", tests) : tests();

let packages: { packages: string; close?(): void };
beforeAll(() => void (packages = lane === undefined ? new LeastSdk() : { packages: lane }));
afterAll(() => packages.close?.());

const ada = { kind: "User", email: "ada@example.com", role: "user" };
const hosts = [
  ["dynamic resources", "pulumi-modelplatform"],
  ["resources of the plugin", "pulumi-modelplatform/plugin"],
] as const;

onEachEngine((engine) => {
  let site: Site;
  const open = async (program: string): Promise<void> =>
    void (site = await Site.open(withPackages(engine, packages.packages), { program }));
  beforeEach(() => open("declared"));
  afterEach(() => site.close());

  everyNth(2, 1, hosts, (hosts) => {
    test.each(hosts)("%s come up and leave nothing", async (_, from) => {
      await site.up({ from, resources: { ada, chat } });
      expect([site.live("users/").length, site.live("deployments/").length]).toEqual([1, 1]);
      await site.expect(0, "destroy");
      expect([site.live("users/"), site.live("deployments/"), site.resources()]).toEqual([[], [], []]);
    });
  });

  inLane(() => {
    test.each(hosts)("%s of every kind are left alone, and healed where they drift", async (_, from) => {
      await site.up({ ...everything, from });
      expect(site.resources()).toHaveLength(Object.keys(everything.resources).length);
      await site.expect(0, "preview --expect-no-changes");
      await site.expect(0, "refresh --preview-only --expect-no-changes");
      await expectHealed(site);
      await site.expect(0, "destroy");
      expect([site.live("deployments/"), site.live("users/"), site.resources()]).toEqual([[], [], []]);
    });

    test("a stack moves from dynamic resources to the plugin without a write", async () => {
      await site.up(everything);
      await site.requests();
      await site.up({ ...everything, from: "pulumi-modelplatform/plugin" });
      expect(site.resources().every(({ type }) => type.startsWith("modelplatform:index:"))).toBe(true);
      expect(await site.writes()).toEqual([]);
    });

    test("a program in TypeScript is compiled, and its mistakes are errors", async () => {
      await site.close();
      await open("codified");
      const program = (role: string): void =>
        writeFileSync(
          join(site.program, "index.ts"),
          `import { User } from "pulumi-modelplatform";\nnew User("ada", { email: "ada@example.com", role: "user" }${role});\n`,
        );
      program("");
      await site.expect(0, "up");
      expect(site.live("users/")).toHaveLength(1);
      program(", {");
      expect((await site.run("preview")).output).toMatch(/index\.ts.*2,.*TS1/);
    });
  });
});
