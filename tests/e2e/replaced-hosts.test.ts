import { openModel } from "./everything";
import type { DeclaredProgram, Site } from "./site";
import { onEachSite } from "./sites";

jest.setTimeout(300_000);

/** A host, and what goes with it: with an id that the program chooses, a natural key, and a key that names the host. */
const program = (baseModel: string): DeclaredProgram => ({
  resources: {
    host: { kind: "Deployment", baseModel, deploymentShape: "default" },
    chosen: { kind: "Deployment", deploymentId: "beside", baseModel: openModel, opts: { deletedWith: "@host" } },
    key: { kind: "Secret", keyName: "STORAGE_KEY", value: "hunter2", opts: { deletedWith: "@host" } },
  },
});

onEachSite((open) => {
  let site: Site;
  beforeEach(async () => void (site = await open()));
  afterEach(() => site.close());

  test("what is deleted with a replaced host makes way for its successor", async () => {
    await site.up(program(openModel));
    const host = site.resource("host").id;
    site.declare(program("accounts/platform/models/open-70b"));
    await site.expect(0, "preview");
    await site.expect(0, "up");
    expect(site.resource("host").id).not.toBe(host);
    const names = (all: string) => site.live(all).map(({ name }) => name);
    expect(names("deployments/").sort()).toEqual([site.resource("chosen").id, site.resource("host").id].sort());
    expect(names("secrets/")).toEqual([site.resource("key").id]);
    await site.expect(0, "preview --expect-no-changes");
  });

  test("an object at a chosen id makes way where `replaceOnChanges` replaces it", async () => {
    const ada = (displayName: string) => ({
      resources: {
        ada: {
          ...{ kind: "User", userId: "ada", email: "ada@example.com", role: "user", displayName },
          opts: { replaceOnChanges: ["displayName"] },
        },
      },
    });
    await site.up(ada("Ada"));
    const { createTime } = site.only("users/");
    site.declare(ada("Countess"));
    await site.expect(0, "preview");
    await site.expect(0, "up");
    expect(site.only("users/")).toMatchObject({ displayName: "Countess" });
    expect(site.only("users/")["createTime"]).not.toBe(createTime);
    await site.expect(0, "preview --expect-no-changes");
  });
});
