import type { InitFailedError } from "../../../provider/lifecycle/types";
import { rejection } from "../../rejection";
import { createHarness, type Harness } from "../harness";

/** Machines that sleep, and clocks that nobody may believe. */

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const served = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };
const minutes = 60_000;
const hours = 60 * minutes;

describe("a machine that sleeps for hours while it waits", () => {
  /** Falls asleep with the answer of a read in its hands. */
  function sleeping(ms: number): void {
    const handle = at.replica.handle.bind(at.replica);
    let reads = 0;
    at.replica.handle = async (request) => {
      const reply = await handle(request);
      if (request.method === "GET" && (reads += 1) === 3) at.clock.jump(ms);
      return reply;
    };
  }

  test.each([1, 12, 72])("keeps what got ready in %d hours, though late objects are to be deleted", async (asleep) => {
    sleeping(asleep * hours);
    const inputs = { ...served, timeouts: { create: "10m" }, onTimeout: "delete" };
    const { id, outputs } = await at.process().create("Deployment", "chat", inputs);
    expect(outputs).toMatchObject({ state: "READY" });
    expect(at.live("deployments")).toMatchObject([{ name: id, state: "READY" }]);
  });

  test("records what is neither ready even then nor can be deleted yet", async () => {
    at.emulator.world.changeSettings({ speed: 0.001 }, "acme");
    sleeping(hours);
    const inputs = { ...served, timeouts: { create: "10m" }, onTimeout: "delete" };
    const error = await rejection<InitFailedError>(at.process().create("Deployment", "chat", inputs));
    expect(error.message).toMatch(/was not ready in time .* deleting it failed as well: .* It is recorded/);
    expect(at.names("deployments")).toEqual([error.id]);
  });
});
