import { isDeepStrictEqual } from "node:util";
import { phaseOf } from "../../core/declaration/states";
import { ownerIn } from "../../core/fields/owner";
import { lastSegment } from "../../core/values/names";
import { inputsDigest, isAutomatic, underEachName } from "../identity/ids";
import type { ObjectIdentity } from "../identity/object";
import type { CreateAttempt, ObjectHistory } from "../journal/history";
import type { ResourceOperation } from "../operation/operation";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";
import { digestsOfSent, showsInputs, showsMore, showsSent } from "./evidence";
import { historyFor, identityOf, ownUrns, placeOf } from "./facts";
import { ownerBy } from "./marks";

/** Whose a live object is, as far as the journal, the run and the object tell. */
export type Whose =
  /** A state holds it, or has held it, for this declaration. */
  | { is: "held"; object: ObjectHistory }
  /** An interrupted create of this declaration has made it. */
  | { is: "begun" }
  /** Another declaration of the stack has made it; `begun`: no state has held it. */
  | { is: "another's"; urn: string; begun: boolean; adopted: boolean }
  /** Made in time, and does not show exactly what was sent: only a person can decide. */
  | { is: "unproven" }
  /** Another declaration of this run has it, which says nothing of who has made it. */
  | { is: "claimed"; urn: string }
  | { is: "nobody's"; seen: boolean };

/** Whose the live object is. `recorded`: what a state holds for this declaration. */
export async function whose(
  operation: ResourceOperation,
  found: LiveObject,
  inputs: Values,
  recorded?: ObjectIdentity,
): Promise<Whose> {
  const { ports, call, spec } = operation;
  const history = await historyFor(operation);
  const claimant = ports.claims.holderOf(found.name, call.hidden.urn);
  const mine = ownUrns(operation, recorded && history.object(recorded));
  const identity = identityOf(found);
  const object = history.object(identity);
  const isUnique = identity.createTime !== undefined;
  const open = history.openAt(placeOf(operation, found)).filter((attempt) => mayHaveMade(attempt, object, isUnique));
  const ofAnother = (urn: string): Whose | undefined =>
    mine.has(urn)
      ? undefined
      : { is: "another's", urn, begun: object?.holder === undefined, adopted: object?.adopted === true };
  if (object?.holder !== undefined && (isUnique || open.length === 0)) {
    if (claimant !== undefined && !mine.has(claimant)) return ofAnother(claimant)!;
    return ofAnother(object.holder) ?? { is: "held", object };
  }
  if (phaseOf(spec.lifecycle, found) === "gone") return { is: "nobody's", seen: true };
  if (object?.maker !== undefined && isUnique)
    return ofAnother(object.maker) ?? (claimant === undefined ? { is: "begun" } : { is: "claimed", urn: claimant });
  if (claimant !== undefined) return { is: "claimed", urn: claimant };
  if (object?.seen) return { is: "nobody's", seen: true };
  return ofAttempts(operation, found, inputs, { open, mine });
}

/**
 * Whether a create may have made an object by what the journal tells. `isUnique`: the object shows when it was created,
 * so that another one of its name is told apart.
 */
function mayHaveMade({ made, position }: CreateAttempt, object: ObjectHistory | undefined, isUnique: boolean): boolean {
  if (made !== undefined && isUnique) return false;
  if (object === undefined) return true;
  return isUnique ? object.since > position : (object.held?.position ?? -1) < position;
}

/** Whose an object is that stands where creates were sent, none of which is known to have made it. */
function ofAttempts(
  operation: ResourceOperation,
  found: LiveObject,
  inputs: Values,
  { open, mine }: { open: readonly CreateAttempt[]; mine: ReadonlySet<string> },
): Whose {
  const judged = open.map((attempt) => ({ urn: attempt.urn, is: provenance(operation, found, inputs, attempt) }));
  const makers = judged.filter(({ is }) => is === "proven");
  if (makers.some(({ urn }) => mine.has(urn))) return { is: "begun" };
  if (makers.length > 0) return { is: "another's", urn: makers[0]!.urn, begun: true, adopted: false };
  if (judged.some(({ urn, is }) => is === "unproven" && mine.has(urn))) return { is: "unproven" };
  return { is: "nobody's", seen: false };
}

/** Without the service's word for the time, the clocks of this machine and the service may be this far apart. */
const skewMs = 60_000;

/** HTTP and some services report whole seconds. */
const toSecond = (time: number): number => Math.floor(time / 1000) * 1000;

/** Whether an object was certainly there before the create was sent. */
export const precedes = (createTime: unknown, { clock, at }: Pick<CreateAttempt, "clock" | "at">): boolean =>
  Date.parse(String(createTime ?? "")) < (clock === undefined ? at - skewMs : toSecond(clock));

/** Whether an object was created when the create had certainly ended. */
const follows = (createTime: unknown, { clock, until }: Pick<CreateAttempt, "clock" | "until">): boolean =>
  until !== undefined && Date.parse(String(createTime ?? "")) > until + (clock === undefined ? skewMs : 0);

/** Whether the create has made the object. */
function provenance(
  operation: ResourceOperation,
  found: LiveObject,
  inputs: Values,
  attempt: CreateAttempt,
): "proven" | "unproven" | "disproven" {
  const { spec, objects, call } = operation;
  if (precedes(found["createTime"], attempt) || follows(found["createTime"], attempt)) return "disproven";
  const declarations = [...underEachName(call.hidden), { ...call.hidden, urn: attempt.urn }];
  const owner = ownerIn(spec, found);
  if (owner) return declarations.some((each) => isDeepStrictEqual(owner, ownerBy(each))) ? "proven" : "disproven";
  if (declarations.some((each) => isAutomatic(each, objects.account, lastSegment(found.name)))) return "proven";
  const isRepeated = attempt.digest === inputsDigest(spec, inputs) && showsInputs(spec, objects.account, found, inputs);
  if (!isRepeated && !(attempt.sent && showsSent(spec, found, attempt.sent))) return "unproven";
  const given = isRepeated ? digestsOfSent(spec, inputs, "").fields : {};
  const sent = new Set(Object.keys({ ...attempt.sent?.fields, ...given }));
  return showsMore(spec, found, sent) ? "unproven" : "proven";
}
