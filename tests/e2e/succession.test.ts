import type { Values } from "../values";
import { openModel } from "./everything";
import type { DeclaredProgram, Site } from "./site";
import { onEachSite } from "./sites";

jest.setTimeout(300_000);

const shaped = { deploymentShape: "default" };

/** A deployment and what it serves. */
const program = (more: Values = shaped): DeclaredProgram => ({
  resources: {
    chat: { kind: "Deployment", baseModel: openModel, disableAutoDeploy: true, ...more },
    served: { kind: "DeployedModel", model: openModel, deployment: "@chat.name", default: true },
  },
});

/** No shape has this hardware: the service accepts it and fails. */
const broken = { preemptible: true, acceleratorType: "VENDOR1_L4_24GB" };

onEachSite((open) => {
  let site: Site;
  beforeEach(async () => void (site = await open()));
  afterEach(() => site.close());

  const recorded = (): unknown[] =>
    site
      .resources()
      .filter(({ type }) => type.endsWith(":Deployment"))
      .map(({ id, delete: goes }) => [id, goes === true]);
  const live = (): unknown[] => site.live("deployments/").map(({ name }) => name);

  test("a failed successor leaves nothing, and the old deployment live and current", async () => {
    await site.up(program());
    const { id } = site.resource("chat");
    site.declare(program(broken));
    const failed = await site.run("up");
    expect(failed.code).not.toBe(0);
    expect(failed.output.replace(/\s+/g, " ")).toMatch(
      /was created to replace \S+ and did not reach the desired state: FAILED/,
    );
    expect([recorded(), live()]).toEqual([[[id, false]], [id]]);
    expect(site.only("deployedModels/")).toMatchObject({ deployment: id, default: true, state: "DEPLOYED" });
    site.declare(program());
    await site.expect(0, "preview --expect-no-changes");

    await site.up(program({ ...shaped, preemptible: true, drainTime: "2s" }));
    const successor = site.resource("chat").id;
    expect(successor).not.toBe(id);
    expect([recorded(), live()]).toEqual([[[successor, false]], [successor]]);
    await site.expect(0, "preview --expect-no-changes");
    await site.expect(0, "destroy");
    expect([live(), site.live("deployedModels/"), site.resources()]).toEqual([[], [], []]);
  });

  test("a successor that cannot be deleted is recorded, and goes with the old deployment", async () => {
    await site.up(program());
    const { id } = site.resource("chat");
    await site.fault({ operation: "deleteDeployment" }, { kind: "status", status: 403 }, { times: null });
    site.declare(program(broken));
    expect((await site.run("up")).code).not.toBe(0);
    expect(live()).toHaveLength(2);
    expect(recorded()).toEqual(expect.arrayContaining(live().map((name) => [name, name === id])));
    expect(site.only("deployedModels/")).toMatchObject({ deployment: id, default: true });
    await site.clearFaults();
    await site.up(program({ ...shaped, preemptible: true }));
    const successor = site.resource("chat").id;
    expect([recorded(), live()]).toEqual([[[successor, false]], [successor]]);
    expect(site.only("deployedModels/")).toMatchObject({ deployment: successor, default: true });
    await site.expect(0, "preview --expect-no-changes");
  });
});
