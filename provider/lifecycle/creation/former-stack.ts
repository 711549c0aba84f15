import { phaseOf } from "../../core/declaration/states";
import { ModelPlatformError } from "../../core/errors";
import { projectOf, stackNameOf, stackOf, tailOf } from "../identity/ids";
import { historiesOf } from "../journal/histories";
import type { CreateAttempt, OwnershipHistory } from "../journal/history";
import { type ResourceOperation, titleOf } from "../operation/operation";
import { historyFor, writeFact, writeFactOf } from "../ownership/facts";
import { relationOf } from "../ownership/relation";
import { isUnrecorded } from "../ownership/verdicts";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";
import { findBegun } from "./recovery";

/**
 * A stack that was renamed since an interrupted create has another journal. What that create has made is this stack's
 * where the two have held the same objects; where nothing tells, people are asked. A stack that was there before the
 * create was sent is another one. Programs of languages that write no `held` themselves are told and not asked: their
 * first `up` of a second stack would look the same.
 */
export async function resumeFormerStack(operation: ResourceOperation, inputs: Values): Promise<void> {
  const { ports, objects, call } = operation;
  const own = await historyFor(operation);
  for (const history of await historiesOf(ports.journal, objects.origin, objects.account))
    for (const attempt of history.open()) {
      if (!isOfSameResource(attempt.urn, call.hidden.urn)) continue;
      const found = await findMade(operation, attempt, inputs);
      if (!found) continue;
      if (ports.recover === "take" || haveHeldTheSame(own, history)) await moveHere(operation, attempt, found);
      else if (ports.recover === "ask" && !own.isOlderThan(attempt.at)) ask(operation, attempt, found);
    }
}

const isOfSameResource = (urn: string, own: string): boolean =>
  stackOf(urn) !== stackOf(own) && projectOf(urn) === projectOf(own) && tailOf(urn) === tailOf(own);

const haveHeldTheSame = (own: OwnershipHistory, former: OwnershipHistory): boolean =>
  own.held().some(({ identity }) => identity.createTime !== undefined && former.object(identity)?.holder !== undefined);

/** The live object that the other stack's create has made, as far as that stack could tell. */
async function findMade(
  operation: ResourceOperation,
  attempt: CreateAttempt,
  inputs: Values,
): Promise<LiveObject | undefined> {
  const found = await findBegun(operation, attempt);
  if (!found || phaseOf(operation.spec.lifecycle, found) === "gone") return undefined;
  return isUnrecorded((await relationOf(inNameOf(operation, attempt.urn), found, inputs)).relation) ? found : undefined;
}

/** The same operation, of the resource of that URN. */
function inNameOf(operation: ResourceOperation, urn: string): ResourceOperation {
  const { call } = operation;
  return { ...operation, call: { ...call, hidden: { ...call.hidden, urn, stack: stackNameOf(urn) } } };
}

async function moveHere(operation: ResourceOperation, attempt: CreateAttempt, found: LiveObject): Promise<void> {
  const { id, place, digest, sent, clock, until, version, urn } = attempt;
  await writeFact(operation, {
    fact: "sent",
    id,
    place,
    digest,
    sent,
    clock,
    until,
    version,
  });
  await writeFactOf(operation, "made", found);
  await writeFact(inNameOf(operation, urn), { fact: "void", id });
}

function ask(operation: ResourceOperation, { urn }: CreateAttempt, found: LiveObject): void {
  const { call, spec } = operation;
  const stack = stackNameOf(urn);
  if (call.hidden.aliasesUnknown)
    return call.reporter.info(
      `The stack ${stack} has created ${titleOf(operation, found.name)} for the like of this resource. If this is that stack (\`stack rename\`) after an interrupted run, set \`modelplatform:recover\` to \`take\` before you run \`up\`.`,
    );
  throw new ModelPlatformError(
    `${spec.kind} was not created: ${titleOf(operation, found.name)} was created by an interrupted run of the stack ${stack} for this resource, and no state holds it`,
    {
      advice:
        "Set `modelplatform:recover` to `take` if this is that stack under a new name (`stack rename`), or to `new` if not.",
      topic: "an-interrupted-run-left-an-object",
    },
  );
}
