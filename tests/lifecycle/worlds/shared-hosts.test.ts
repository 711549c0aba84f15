import { refusal } from "../../rejection";
import { createHarness, type Harness } from "../harness";

/** Two teams on one deployment. */

let at: Harness;
afterEach(() => at.close());

const open8b = "accounts/platform/models/open-8b";
const served = { baseModel: open8b, deploymentShape: "default", disableAutoDeploy: true };

describe.each(["unload", "refuse"] as const)(
  "a service whose policy for deployments in use is `%s`",
  (deploymentInUse) => {
    beforeEach(async () => void (at = await createHarness({ deploymentInUse })));

    test.each([
      ["on another machine", () => at.elsewhere({}, "other")],
      ["on the same machine", () => at.process({}, {}, "other")],
    ])("keeps what a second stack %s loaded, and its host; the error says how to unload", async (_, theirs) => {
      const host = await at.process().create("Deployment", "host", served);
      await at.process().create("DeployedModel", "ours", { model: open8b, deployment: host.id });
      const [ours] = at.names("deployedModels");
      await at.put("accounts/acme/models/tuned", { kind: "ADDON_MODEL", baseModel: open8b, state: "READY" });
      const { id } = await theirs().create("DeployedModel", "theirs", {
        model: "accounts/acme/models/tuned",
        deployment: host.id,
      });
      const error = await refusal("host-serves", at.process().delete("Deployment", "host", host.outputs));
      const short = id.split("/").at(-1);
      expect(error.message).toContain(`it serves ${id} (accounts/acme/models/tuned), which this stack has not loaded`);
      expect(error.message).toContain(`call deleteDeployedModel --account acme --deployed-model-id ${short}`);
      expect(at.names("deployments")).toEqual([host.id]);
      expect(at.names("deployedModels")).toEqual(expect.arrayContaining([ours, id]));
    });

    test.each([
      ["is refused to the key", { kind: "status", status: 403 }],
      ["shows none of what it counts", { kind: "status", status: 200, body: { deployedModels: [], totalSize: 2 } }],
      ["has another form", { kind: "status", status: 200, body: { deployedModels: 3 } }],
      ["is refused with the status of a success", { kind: "status", status: 200, body: { code: 7, message: "no" } }],
    ])("deletes a host where the list of what it serves %s, and says so", async (_, fault) => {
      const host = await at.process().create("Deployment", "host", served);
      await at.fault({ match: { operation: "listDeployedModels" }, fault, times: null });
      const process = at.process();
      await process.delete("Deployment", "host", host.outputs);
      expect(at.names("deployments")).toEqual([]);
      const isHint = "body" in fault && Array.isArray((fault.body as { deployedModels?: unknown }).deployedModels);
      if (!isHint)
        expect(process.messages.join("\n")).toMatch(
          /may serve objects of kind DeployedModel .*It is deleted nevertheless/,
        );
    });

    test("keeps a host where what it serves cannot be read at the moment", async () => {
      const host = await at.process().create("Deployment", "host", served);
      await at.fault({
        match: { operation: "listDeployedModels" },
        fault: { kind: "status", status: 503 },
        times: null,
      });
      const error = await refusal("host-unreadable", at.process().delete("Deployment", "host", host.outputs));
      expect(error.message).toContain(`${host.id} is not deleted: what it serves could not be read`);
      expect(at.names("deployments")).toEqual([host.id]);
    });

    test("deletes a host where the service knows no such guests", async () => {
      const host = await at.process().create("Deployment", "host", served);
      await at.fault({
        match: { operation: "listDeployedModels" },
        fault: { kind: "status", status: 501 },
        times: null,
      });
      await at.process().delete("Deployment", "host", host.outputs);
      expect(at.names("deployments")).toEqual([]);
    });

    test("deletes a host with what its stack and the service itself have loaded", async () => {
      const { disableAutoDeploy: _, ...withItsOwn } = served;
      const host = await at.process().create("Deployment", "host", withItsOwn);
      await at.put("accounts/acme/models/tuned", { kind: "ADDON_MODEL", baseModel: open8b, state: "READY" });
      await at.process().create("DeployedModel", "ours", { model: "accounts/acme/models/tuned", deployment: host.id });
      expect(at.names("deployedModels")).toHaveLength(2);
      await at.process().delete("Deployment", "host", host.outputs);
      expect([...at.names("deployments"), ...at.names("deployedModels")]).toEqual([]);
    });
  },
);
