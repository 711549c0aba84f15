import { ownCommand, quotedCommand } from "../../io/text/command-line";
import { autonamingKey } from "../../protocol/autonaming";
import { AlreadyReportedError } from "../errors";
import type { OperationKind } from "../events";
import { type Context, report, reportError } from "../plan/context";
import type { Targets } from "../plan/scope";
import type { Step } from "../plan/steps";
import type { PendingOperation } from "../state/resource-state";
import type { ResolvedConfig } from "../state/stack-config";
import { deletionOf, doublyHeldRefusal, managerOf, oldOf } from "./step-handlers";

/** Throws, with the reason, if the operation's plan does not allow one of the steps. None of them has started. */
export function assertPermitted(context: Context, steps: readonly Step[]): void {
  for (const { op, urn: named } of steps.filter(({ quiet }) => quiet !== true)) {
    const urn = context.decisions.newUrn(named) ?? named;
    const objection = context.planEnforcer.objectionTo(op, urn);
    if (objection === undefined) continue;
    const message = `The plan does not allow ${op} of ${urn}: ${objection}. Make a new plan with \`preview --save-plan\`.`;
    reportError(context, message, urn);
    throw new AlreadyReportedError(message);
  }
}

/** Reports planned steps that did not happen, except deletions of missing resources. */
export function reportMissed(context: Context): void {
  const existing = new Set(context.ledger.base.map(({ state }) => state.urn));
  for (const [urn, ops] of context.planEnforcer.missed) {
    if (ops.length === 1 && ops[0] === "delete" && !existing.has(urn)) continue;
    reportError(context, `The plan expects ${ops.join(", ")} of ${urn}, but that did not happen.`, urn);
  }
}

/** Targets that the user names must exist in the state or be declared by the program; patterns may match nothing. */
export function requirePresent(context: Context, named: Targets, declared: readonly string[] = []): void {
  const known = new Set([...context.ledger.base.map(({ state }) => state.urn), ...declared]);
  const missing = named.literals.filter((urn) => !known.has(urn));
  const where = declared.length > 0 ? "neither in the state nor in the program" : "not in the state";
  const list = "`stack --show-urns` lists what the state has.";
  for (const pattern of named.unmatched([...known]))
    report(context, "warning", `${pattern} matches nothing: what it names is ${where}. ${list}`);
  for (const urn of missing) reportError(context, `The target ${urn} is ${where}. ${list}`);
  if (missing.length > 0) throw new AlreadyReportedError("a target does not exist");
}

/**
 * Reports deletions that a provider would reject, before anything is deleted. With `--continue-on-error`, each delete
 * reports it.
 */
export async function requireDeletable(context: Context, steps: readonly Step[]): Promise<void> {
  if (context.continueOnError && !context.preview) return;
  const results = await Promise.all(steps.map((step) => deletionRejection(context, step)));
  const rejections = results.filter((rejection) => rejection !== undefined);
  for (const { urn, message } of rejections) reportError(context, message, urn);
  if (rejections.length > 0 && !context.preview) throw new AlreadyReportedError("a resource may not be deleted");
}

async function deletionRejection(context: Context, step: Step): Promise<{ urn: string; message: string } | undefined> {
  const call = deletionOf(step, context);
  if (call === undefined) return undefined;
  const old = oldOf(step);
  const held = await doublyHeldRefusal(old, context);
  const message = held ?? (step.op === "delete" ? await managerOf(context, old).refusal?.(call) : undefined);
  return message === undefined ? undefined : { urn: step.urn, message };
}

/** Reports operations that an earlier run started and whose outcome is unknown. `up` alone says it, not its preview. */
export function warnOfPending(context: Context, operation: OperationKind): void {
  const { pending } = context.ledger;
  if (pending.length === 0 || (context.preview && operation !== "preview")) return;
  // Several runs may have begun the same.
  const begun = [...new Set(pending.map(({ resource, type }) => `  * ${resource.urn}, interrupted while ${type}`))];
  const command = (...words: string[]) =>
    quotedCommand([...ownCommand, ...words], { flags: [["--stack", context.stack]] });
  const advice = (advices[operation] ?? adviceOf)(command, pending);
  const subject =
    begun.length === 1 ? "An operation of an earlier run has" : `${begun.length} operations of earlier runs have`;
  report(context, "warning", `${subject} an unknown outcome:\n${begun.join("\n")}\n${advice}`);
}

/** Keys of the engine's own namespace that are read. */
const engineKeys = [autonamingKey, "pulumi:disable-default-providers"];

/** Warns of keys of the engine's own namespace that a stack sets for nothing. */
export function warnOfUnreadKeys(
  context: Pick<Context, "emit" | "clock">,
  { values }: Pick<ResolvedConfig, "values">,
): void {
  const unread = Object.keys(values).filter((key) => key.startsWith("pulumi:") && !engineKeys.includes(key));
  for (const key of unread)
    if (key !== "pulumi:tags")
      report(context, "warning", `\`${key}\` is not a key that an engine reads: there are ${engineKeys.join(", ")}.`);
    else if (!/^\{"pulumi:template":[^,]*\}$/.test(values[key]!))
      report(context, "warning", `\`${key}\` does nothing here: stacks of the built-in engine have no tags.`);
}

/** A command for the stack of the operation, to be pasted. */
type WriteCommand = (...words: string[]) => string;

const clearing = (command: WriteCommand): string => command("refresh", "--clear-pending-creates");

const adviceOfRefresh = (command: WriteCommand): string =>
  `This refresh reads the objects that the state has. ${command("up")} finds or makes what was being created; if nothing was, ${clearing(command)} forgets it.`;

const adviceOfDestroy = (command: WriteCommand): string =>
  `This destroy deletes the objects that the state has. ${command("doctor", "--next")} names what else was begun.`;

const advices: Partial<Record<OperationKind, typeof adviceOf>> = { refresh: adviceOfRefresh, destroy: adviceOfDestroy };

function adviceOf(command: WriteCommand, pending: readonly PendingOperation[]): string {
  if (pending.every(({ type }) => type === "creating"))
    return `${command("up")} takes over what was created, and creates what was not. If the program no longer declares it and nothing was created, ${clearing(command)} forgets it.`;
  return `${command("refresh")} reads the objects that the state has. If nothing else was begun, ${clearing(command)} forgets the rest.`;
}
