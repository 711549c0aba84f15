import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isNightly, longerAtNight, nightly } from "../nightly";
import { repository, withCliAtNight } from "./engines";
import { Site } from "./site";

jest.setTimeout(300_000);

const component = `
const pulumi = require("@pulumi/pulumi");
const { User } = require("pulumi-modelplatform");
exports.copy = require.resolve("pulumi-modelplatform");
exports.Team = class extends pulumi.ComponentResource {
  constructor(name) {
    super("acme:index:Team", name);
    const args = { userId: "lead", email: "lead@example.com", role: "contributor" };
    this.lead = new User(name + "-lead", args, { parent: this });
  }
};`;

const program = `
const { Team, copy } = require("acme-components");
exports.copy = copy;
exports.lead = new Team("search").lead.name;`;

/** The program's packages: components that have brought a copy of this package, and with `own` the program's own. */
function install(site: Site, own: boolean): void {
  const modules = join(site.program, "node_modules");
  const nested = join(modules, "acme-components", "node_modules", "pulumi-modelplatform");
  rmSync(modules, { recursive: true, force: true });
  mkdirSync(nested, { recursive: true });
  const runs = (path: string): boolean => !/\.(d\.ts|map)$/.test(path);
  for (const each of ["dist", "package.json"])
    cpSync(join(repository, each), join(nested, each), { recursive: true, filter: runs });
  symlinkSync(join(repository, "node_modules", "@pulumi"), join(modules, "@pulumi"));
  if (own) symlinkSync(repository, join(modules, "pulumi-modelplatform"));
  writeFileSync(join(modules, "acme-components", "index.js"), component);
  writeFileSync(join(site.program, "index.js"), program);
  // What the copy depends on is found above the program, as npm would have hoisted it.
  const hoisted = join(site.folder, "node_modules");
  mkdirSync(hoisted);
  for (const each of packages) symlinkSync(join(repository, "node_modules", each), join(hoisted, each));
}

const { dependencies } = require("../../package.json") as { dependencies: Record<string, string> };
const packages = Object.keys(dependencies).filter((name) => !name.startsWith("@"));

withCliAtNight("which copy runs is decided in the program, whichever engine starts it", (engine) => {
  let site: Site;
  beforeEach(async () => void (site = await Site.open(engine)));
  afterEach(() => site.close());

  longerAtNight(() => {
    test("components with a copy of their own are run by the program's copy", async () => {
      install(site, true);
      const { output } = await site.expect(0, "up");
      expect(output.replace(/\s/g, "")).toContain(join("acme-components", "node_modules", "pulumi-modelplatform"));
      expect(site.live("users")).toEqual([expect.objectContaining({ email: "lead@example.com" })]);
      if (!isNightly) return;
      // Who runs is decided: each command more is three processes more.
      await site.expect(0, "preview --expect-no-changes");
      await site.expect(0, "destroy");
      expect(site.live("users")).toEqual([]);
    });
  });

  nightly("the copy is copied and started as the one beside the program's is", () => {
    test("a package of components alone serves the built-in engine, not the Pulumi CLI", async () => {
      install(site, false);
      if (engine.isBuiltIn) {
        await site.expect(0, "up");
        expect(site.live("users")).toHaveLength(1);
        return;
      }
      const { output } = await site.expect(1, "up");
      expect(output.replace(/\s+/g, " ")).toContain(
        `Cannot find module 'pulumi-modelplatform/runtime'. Run \`npm install pulumi-modelplatform\` in ${site.program} or a folder above it`,
      );
      expect(await site.writes()).toEqual([]);
    });
  });
});
