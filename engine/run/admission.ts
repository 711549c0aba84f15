import { AlreadyReported } from "../errors";
import { type Context, complain } from "../plan/context";
import type { Step } from "../plan/steps";

/** Throws, with the reason, if the operation's plan does not allow one of the steps. None of them has started. */
export function admit(context: Context, steps: readonly Step[]): void {
  for (const { op, urn: named } of steps.filter(({ quiet }) => quiet !== true)) {
    const urn = context.decisions.newUrn(named) ?? named;
    const objection = context.keeper.objectionTo(op, urn);
    if (objection === undefined) continue;
    const message = `The plan does not allow ${op} of ${urn}: ${objection}. Make a new plan with \`preview --save-plan\`.`;
    complain(context, message, urn);
    throw new AlreadyReported(message);
  }
}

/** Reports planned steps that did not happen, except deletions of what is already gone. */
export function tellMissed(context: Context): void {
  const isThere = new Set(context.ledger.base.map(({ state }) => state.urn));
  for (const [urn, ops] of context.keeper.missed) {
    if (ops.length === 1 && ops[0] === "delete" && !isThere.has(urn)) continue;
    complain(context, `The plan expects ${ops.join(", ")} of ${urn}, but that did not happen.`, urn);
  }
}
