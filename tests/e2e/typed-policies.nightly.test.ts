import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTheCli, pulumiCli, repository } from "./engines";
import { Site } from "./site";

/** One policy of a team's own pack, about users as the entry has them. */
const policies = {
  validate: `enforcementLevel: "mandatory", validateResource: policy.validateResourceOfType(User, (user, _, report) => {
    if (user.role === "admin") report("It is an admin.");
  })`,
  stack: `enforcementLevel: "mandatory", validateStack: policy.validateStackResourcesOfType(User, (users, _, report) => {
    if (users.some(({ role }) => role === "admin")) report("One is an admin.");
  })`,
  remediate: `enforcementLevel: "remediate", remediateResource: policy.remediateResourceOfType(User, (user) =>
    user.role === "admin" ? { ...user, role: "user" } : undefined)`,
} as const;

/** A folder with a pack of that one policy. */
function pack(site: Site, entry: string, policy: keyof typeof policies): string {
  const folder = join(site.folder, `pack-${policy}`);
  mkdirSync(folder);
  symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "PulumiPolicy.yaml"), "runtime: nodejs\nmain: index.js\n");
  writeFileSync(join(folder, "package.json"), '{ "name": "pack", "version": "0.0.1", "main": "index.js" }');
  writeFileSync(
    join(folder, "index.js"),
    `const policy = require("@pulumi/policy");
const { User } = require(${JSON.stringify(entry)});
new policy.PolicyPack("pack", { policies: [{ name: "no-admins", description: "No admins.", ${policies[policy]} }] });
`,
  );
  return folder;
}

const admin = { resources: { eve: { kind: "User", userId: "eve", email: "eve@example.com", role: "admin" } } };

onTheCli(() => {
  describe.each(["pulumi-modelplatform", "pulumi-modelplatform/plugin"])("a team's own pack that names %s", (entry) => {
    let site: Site;
    beforeAll(async () => {
      site = await Site.open(pulumiCli);
      site.declare({ ...admin, from: entry });
    });
    afterAll(() => site.close());

    test("stops a preview and an `up` that make an admin, before anything is sent", async () => {
      const folder = pack(site, entry, "validate");
      for (const command of ["preview", "up"]) {
        const { code, output } = await site.run(`${command} --policy-pack ${folder}`);
        expect(code).not.toBe(0);
        expect(output).toContain("no-admins");
        expect(output).toContain("It is an admin.");
      }
      expect(await site.writes()).toEqual([]);
    });

    test("stops an `up` by its preview where the policy is about the stack", async () => {
      const { code, output } = await site.run(`up --skip-preview=false --policy-pack ${pack(site, entry, "stack")}`);
      expect(code).not.toBe(0);
      expect(output).toContain("One is an admin.");
      expect(await site.writes()).toEqual([]);
    });

    test("makes a user of the admin where it remediates", async () => {
      const { output } = await site.expect(0, `up --policy-pack ${pack(site, entry, "remediate")}`);
      expect(output).toContain("no-admins");
      expect(site.only("users")).toMatchObject({ email: "eve@example.com", role: "user" });
    });
  });
});
