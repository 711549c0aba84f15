import { Reported } from "../errors";
import type { Step } from "../plan/steps";
import { complain, type World } from "../plan/world";

/**
 * Throws, and tells why, when the plan that the operation is held to does not
 * allow one of the steps. None of them has begun.
 */
export function admit(world: World, steps: readonly Step[]): void {
  for (const { op, urn: named } of steps.filter(({ quiet }) => quiet !== true)) {
    const urn = world.decisions.newUrn(named) ?? named;
    const objection = world.keeper.objectionTo(op, urn);
    if (objection === undefined) continue;
    const message = `The plan does not allow to ${op} ${urn}: ${objection}. Make a new plan with \`preview --save-plan\`.`;
    complain(world, message, urn);
    throw new Reported(message);
  }
}

/** Tells what the plan expected and nothing did. A deletion of what is gone already is not missed. */
export function tellMissed(world: World): void {
  const isThere = new Set(world.ledger.base.map(({ state }) => state.urn));
  for (const [urn, ops] of world.keeper.missed) {
    if (ops.length === 1 && ops[0] === "delete" && !isThere.has(urn)) continue;
    complain(world, `The plan expects to ${ops.join(", ")} ${urn}, and that has not happened.`, urn);
  }
}
