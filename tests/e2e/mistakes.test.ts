import { builtIn } from "./engines";
import { openModel } from "./everything";
import type { Site } from "./site";
import { onEachSite } from "./sites";

/** A program with a mistake in each of 31 resources: one preview has them all. */
const mistaken = Object.fromEntries(
  Array.from({ length: 31 }, (_, index) => [
    `chat-${index}`,
    { kind: "Deployment", baseModel: openModel, deploymentShape: "default", maxReplicas: index },
  ]),
);
const ada = { kind: "User", userId: "ada", email: "ada@example.com", role: "user" };

onEachSite((open) => {
  let site: Site;
  beforeEach(async () => void (site = await open()));
  afterEach(() => site.close());

  const hinted = (output: string): number => output.split("did you mean `maxReplicaCount`?").length - 1;
  const flat = (output: string): string => output.replace(/\s+/g, " ");

  test("one preview lists the mistakes of 31 resources and plans the rest", async () => {
    if (site.engine !== builtIn) return;
    site.declare({ resources: { ...mistaken, ada } });
    const { output } = await site.expect(1, "preview");
    expect(flat(output)).toContain("31 of 32 resources have mistakes");
    for (const name of Object.keys(mistaken)) expect(output).toContain(`Deployment ${name} (`);
    expect(flat(output)).toContain("1 to create, 31 failed");
    expect(await site.writes()).toEqual([]);
  });

  test("an `up` without a preview lists as many, and sends nothing", async () => {
    if (site.engine !== builtIn) return;
    site.declare({ resources: { ...mistaken, ada } });
    const { output } = await site.expect(1, "up --skip-preview");
    expect(flat(output)).toContain("31 failed");
    expect(hinted(flat(output))).toBeGreaterThan(0);
    expect((await site.writes()).filter((request) => request.includes("deployments"))).toEqual([]);
  });
});
