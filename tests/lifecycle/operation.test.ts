import { beginOperation } from "../../provider/lifecycle/operation/operation";
import type { Ports } from "../../provider/lifecycle/ports/ports";
import type { Call } from "../../provider/lifecycle/types";
import { specOf } from "../../provider/resources/index";

const world = { clock: { now: () => 1000 }, objects: async () => ({}) } as unknown as Ports;

/** Seconds that a create may take. */
async function secondsOf(given: { timeout?: number; timeouts?: Record<string, string> }): Promise<number> {
  const call = { ...(given.timeout !== undefined && { timeout: given.timeout }) } as Call;
  const values = given.timeouts ? { timeouts: given.timeouts } : {};
  const { startedAt, deadline } = await beginOperation(
    { ports: world, spec: specOf("User")!, call },
    { account: "acme", verb: "create", values },
  );
  return (deadline - startedAt) / 1000;
}

test("an operation is limited by the program, the engine or the declaration", async () => {
  expect(await secondsOf({ timeout: 90, timeouts: { create: "10s" } })).toBe(10);
  expect(await secondsOf({ timeout: 90, timeouts: { update: "10s" } })).toBe(90);
  expect(await secondsOf({})).toBe(120);
});
