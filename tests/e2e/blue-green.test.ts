import type { Values } from "../values";
import { openModel } from "./everything";
import type { Sent, Site } from "./site";
import { onEachDoor } from "./sites";

jest.setTimeout(300_000);

const nextModel = "accounts/platform/models/open-70b";

onEachDoor((open) => {
  let site: Site;
  beforeEach(async () => void (site = await open({ program: "modelplatform-blue-green-deployment" })));
  afterEach(() => site.close());

  const config = (values: Record<string, string>): string =>
    Object.entries({ drainTime: "2s", candidate: "", ...values })
      .map(([name, value]) => ` -c ${name}=${value}`)
      .join("");

  /** Whether some default is served right now: by a deployed model that is loaded, from a deployment that serves. */
  const answers = (): boolean =>
    site.live("deployedModels/").some((record) => {
      const host = site.emulator.world.get(String(record["deployment"]))?.fields;
      return (
        record["default"] === true &&
        ["DEPLOYED", "UPDATING"].includes(String(record["state"])) &&
        ["READY", "UPDATING"].includes(String(host?.["state"]))
      );
    });

  /**
   * Looks every few milliseconds while `work` continues; resolves to the number of
   * looks, and of those at which nothing answered.
   */
  async function watched(work: () => Promise<unknown>): Promise<{ looks: number; silent: number }> {
    const seen = { looks: 0, silent: 0 };
    const timer = setInterval(() => void ((seen.looks += 1), answers() || (seen.silent += 1)), 3);
    await work().finally(() => clearInterval(timer));
    return seen;
  }

  const place = (requests: readonly Sent[], method: string, path: string): number =>
    requests.findIndex(
      (request) =>
        request.method === method &&
        request.status === 200 &&
        `${request.path}/${request.query["deploymentId"] ?? ""}`.includes(path),
    );

  test("another base model takes over without a moment in which no default is served", async () => {
    await site.expect(0, `up${config({})}`);
    const old = String(site.resource("chat").id);
    const record = site.only("deployedModels/");
    expect(record).toMatchObject({ model: openModel, deployment: old, default: true });
    await site.expect(0, `up${config({ candidate: nextModel })}`);
    expect(site.live("deployments/")).toHaveLength(2);

    await site.requests();
    let output = "";
    const seen = await watched(async () => ({ output } = await site.expect(0, `up${config({ model: nextModel })}`)));
    expect(output.replace(/\s+/g, " ")).toContain(`${old} keeps running for 2s beside`);
    expect(seen.looks).toBeGreaterThan(10);
    expect(seen.silent).toBe(0);

    const requests = await site.requests();
    const successor = String(site.only("deployments/")["name"]);
    expect(successor).not.toBe(old);
    expect(site.only("deployedModels/")).toMatchObject({
      name: record["name"],
      model: nextModel,
      deployment: successor,
      default: true,
      state: "DEPLOYED",
    });
    const id = successor.split("/").at(-1)!;
    const made = place(requests, "POST", `/deployments/${id}`);
    const moved = place(requests, "PATCH", String(record["name"]));
    const deleted = place(requests, "DELETE", old);
    expect([made, moved, deleted]).toEqual([made, moved, deleted].sort((a, b) => a - b));
    expect(made).toBeGreaterThanOrEqual(0);
    expect(requests[moved]?.body).toMatchObject({ deployment: successor, default: true } satisfies Values);
    expect(place(requests.slice(made, moved), "GET", successor)).toBeGreaterThan(0);
    await site.expect(0, `preview --refresh --expect-no-changes${config({ model: nextModel })}`);
    await site.expect(0, "destroy");
    expect([site.live("deployments/"), site.live("deployedModels/"), site.resources()]).toEqual([[], [], []]);
  });
});
