import { Reported } from "../errors";
import type { OperationKind } from "../events";
import type { Targets } from "../plan/targets";
import { complain, tell, type World } from "../plan/world";

/** What the user names must be there, in the state or among what the program has declared. */
export function requirePresent(world: World, { literals }: Targets, declared: readonly string[] = []): void {
  const known = new Set([...world.ledger.base.map(({ state }) => state.urn), ...declared]);
  const missing = literals.filter((urn) => !known.has(urn));
  const where = declared.length > 0 ? "neither in the state nor in the program" : "not in the state";
  for (const urn of missing) complain(world, `The target ${urn} is ${where}.`);
  if (missing.length > 0) throw new Reported("a target does not exist");
}

/** Tells of operations that an earlier run began and whose end nobody has seen. */
export function warnOfPending(world: World, operation: OperationKind): void {
  const { pending } = world.ledger;
  if (pending.length === 0 || world.preview) return;
  const list = pending.map(({ resource, type }) => `  * ${resource.urn}, interrupted while ${type}`).join("\n");
  const advice =
    operation === "refresh"
      ? "This refresh clears those that are not creations; --clear-pending-creates clears creations as well."
      : "Check what became of them; `refresh --clear-pending-creates` clears them from the state.";
  const subject =
    pending.length === 1 ? "An operation of an earlier run has" : `${pending.length} operations of earlier runs have`;
  tell(world, "warning", `${subject} an unknown end:\n${list}\n${advice}`);
}
