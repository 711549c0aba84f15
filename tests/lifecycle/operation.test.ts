import type { ResourceView } from "../../provider/lifecycle/memory/run";
import { Operation } from "../../provider/lifecycle/operation";
import type { Ports } from "../../provider/lifecycle/ports";
import type { Call } from "../../provider/lifecycle/types";
import { specOf } from "../../provider/resources/index";

const world = { clock: { now: () => 1000 }, objects: () => ({}) } as unknown as Ports;

/** Seconds that a create may take. */
function secondsOf(given: { timeout?: number; timeouts?: Record<string, string> }): number {
  const call = { ...(given.timeout !== undefined && { timeout: given.timeout }) } as Call;
  const values = given.timeouts ? { timeouts: given.timeouts } : {};
  const { startedAt, deadline } = new Operation(
    { ports: world, spec: specOf("User")!, call, resource: {} as ResourceView },
    { account: "acme", verb: "create", values },
  );
  return (deadline - startedAt) / 1000;
}

test("an operation is limited by the program, the engine or the declaration", () => {
  expect(secondsOf({ timeout: 90, timeouts: { create: "10s" } })).toBe(10);
  expect(secondsOf({ timeout: 90, timeouts: { update: "10s" } })).toBe(90);
  expect(secondsOf({})).toBe(120);
  expect(() => secondsOf({ timeouts: { create: "soon" } })).toThrow(expect.objectContaining({ code: "bad-timeout" }));
});
