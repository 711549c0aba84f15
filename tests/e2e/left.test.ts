import { builtIn } from "./engines";
import { chat, openModel } from "./everything";
import type { Site } from "./site";
import { openSite } from "./sites";

jest.setTimeout(300_000);

const ada = { kind: "User", email: "ada@example.com", role: "user" };
const storage = { kind: "Secret", keyName: "STORAGE_KEY", value: { secret: "one" } };
const settings = { kind: "PolicySettings", adopt: "overwrite", onDelete: "retain", residency: "US" };
const pinned = { kind: "Deployment", deploymentId: "pinned", baseModel: openModel, deploymentShape: "default" };

/** The last line of what `--json` prints. */
const lastLine = (stdout: string) => JSON.parse(stdout.trimEnd().split("\n").at(-1)!) as { left: string[] };

let site: Site;
beforeEach(async () => void (site = await openSite(builtIn)));
afterEach(() => site.close());

test("a destroy counts what it leaves, by name, and calls none of it deleted", async () => {
  const resources = {
    ...{ ada, storage, settings },
    kept: { ...chat, opts: { retainOnDelete: true } },
  };
  await site.seed({ "accounts/demo/users/ada": { email: ada.email, role: "user" } });
  await site.up({ resources: { ...resources, ada: { ...ada, adopt: "ifEqual" } } });
  const { name } = site.only("deployments/");
  const { stdout } = await site.expect(0, "destroy --json");
  expect(lastLine(stdout)).toMatchObject({
    // The secret, and the stack itself.
    changes: { delete: 2 },
    left: expect.arrayContaining(["accounts/demo/users/ada", "accounts/demo/policySettings", name]),
  });
  expect(lastLine(stdout).left).toHaveLength(3);
  expect(site.live("users/")).toHaveLength(1);
  expect(site.live("secrets/")).toEqual([]);
});

test("what somebody else made under the name of a recorded object is left", async () => {
  await site.up({ resources: { pinned, storage } });
  const { id } = site.resource("pinned");
  await site.tamper(id);
  await site.seed({ [String(id)]: { baseModel: openModel, deploymentShape: "default", state: "READY" } });
  const { output } = await site.expect(0, "destroy");
  expect(output).toContain("It is left, and is not this stack's");
  expect(output).toMatch(/Deployment pinned: left/);
  expect(output).toMatch(/1.deleted, 1.left\./);
  expect(site.live("deployments/")).toHaveLength(1);
});
