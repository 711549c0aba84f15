import type { Values } from "../values";
import { openModel } from "./everything";
import type { DeclaredProgram, Site } from "./site";
import { onEachSite } from "./sites";

jest.setTimeout(300_000);

const chat = { kind: "Deployment", deploymentId: "chat", baseModel: openModel, deploymentShape: "default" };
const ada = { kind: "User", userId: "ada", email: "ada@example.com", role: "admin" };

const program = (more: Values = {}): DeclaredProgram => ({ resources: { chat: { ...chat, ...more }, ada } });

onEachSite((open) => {
  let site: Site;
  const env = { MODELPLATFORM_DELETION_PROTECTION: "true" };
  beforeEach(async () => void (site = await open()));
  afterEach(() => site.close());

  const text = (output: string): string => output.replace(/\s+/g, " ");
  const isRefused = async (line: string): Promise<string> => {
    const ended = await site.run(line, { env });
    expect([line, ended.code]).not.toEqual([line, 0]);
    expect(text(ended.output)).toContain("is protected by `deletionProtection`");
    return text(ended.output);
  };

  test("a protected stack keeps its objects until an `up` of its own has let them go", async () => {
    site.declare(program());
    await site.expect(0, "up", { env });
    await site.expect(0, "preview --expect-no-changes", { env });

    await isRefused("destroy");
    expect(site.live("deployments/")).toHaveLength(1);
    expect(site.live("users/")).toHaveLength(1);
    await site.expect(0, "preview --expect-no-changes", { env });

    site.declare(program({ preemptible: true, deletionProtection: false }));
    expect(await isRefused("preview")).toContain("changing `preemptible` would replace it");
    await isRefused("up");
    site.declare({ resources: { ada } });
    await isRefused("up");
    expect(site.only("deployments/")).toMatchObject({ state: "READY" });

    site.declare(program({ deletionProtection: false }));
    await site.requests();
    await site.expect(0, "up", { env });
    expect(await site.writes()).toEqual([]);
    site.declare({ resources: { ada } });
    await site.expect(0, "up", { env });
    expect(site.live("deployments/")).toEqual([]);
    expect(site.live("users/")).toHaveLength(1);

    // Without the setting the next `up` records that nothing is protected any longer.
    await site.expect(0, "up");
    await site.expect(0, "destroy");
    expect([site.live("users/"), site.resources()]).toEqual([[], []]);
  });
});
