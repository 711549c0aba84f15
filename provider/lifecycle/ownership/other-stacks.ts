import type { OtherEntry } from "../../../protocol/engine-state";
import type { ErrorAnswers } from "../../core/error-codes";
import { ModelPlatformError } from "../../core/errors";
import { forgetting, movingHere, recoveringUp, stackCommand } from "../commands";
import { holdsOf, type ObjectIdentity } from "../memory/history";
import { projectOf, stackNameOf, stackOf } from "../memory/identity";
import type { Operation } from "../operation";
import type { LiveObject } from "../ports";
import { identityOf, otherStackWith } from "./journal";

/** Rejects if another stack has the object: whoever deletes it later would delete it for both. */
export async function assertNotElsewhere(
  operation: Operation,
  object: ObjectIdentity,
  what: "taken" | "deleted",
  answers: ErrorAnswers = {},
): Promise<void> {
  const holder = await otherStackWith(operation, object);
  if (holder) throw elsewhereError(operation, object, holder, { what, answers });
}

/** What would have become of the object, and what else the resource could have. */
interface Refused {
  what: "taken" | "deleted";
  answers: ErrorAnswers;
}

export function elsewhereError(
  operation: Operation,
  { name }: ObjectIdentity,
  holder: OtherEntry,
  { what, answers }: Refused,
): ModelPlatformError {
  const { stack, urn } = holder;
  return new ModelPlatformError(
    `${operation.title(name)} is not ${what}: the state of the stack ${named(operation, holder)} has it, as ${urn}`,
    {
      code: "held-by-another-stack",
      about: { object: name, resource: urn, stack },
      answers,
      advice:
        what === "deleted"
          ? `Let one of the two forget it: ${forgetting(operation)}, or ${forgettingThere(operation, holder)}.`
          : `${waysOut(operation, holder, answers)}. Then run ${stackCommand(operation, "up")}.`,
      topic: "another-stack-has-the-object",
    },
  );
}

const isOfProject = ({ call }: Operation, { project }: OtherEntry): boolean => projectOf(call.hidden.urn) === project;

const named = (operation: Operation, holder: OtherEntry): string =>
  isOfProject(operation, holder) ? holder.stack : `${holder.project}/${holder.stack}`;

/** A stack of another project is reached from its folder alone. */
const forgettingThere = (operation: Operation, holder: OtherEntry): string =>
  `${forgetting(operation, holder.urn, holder.stack)}${isOfProject(operation, holder) ? "" : ` in the project ${holder.project}`}`;

function waysOut(operation: Operation, holder: OtherEntry, { recover, otherId }: ErrorAnswers): string {
  const ways = [
    "Leave this resource out of the program",
    ...(otherId ? ["give it another id"] : []),
    ...(recover?.includes("new") ? [`give it an object of its own with ${recoveringUp(operation, "new")}`] : []),
    ...(isOfProject(operation, holder) ? [`bring that one here with ${movingHere(operation, holder)}`] : []),
  ];
  return `${ways.join(", ")}, or let ${holder.stack} forget it with ${forgettingThere(operation, holder)}`;
}

/**
 * The resource of another stack that has held the object since this one did, by the journals of this machine. Asked
 * where no engine can be, and no proof: who gives an entry up without a delete writes nothing down.
 */
export async function laterHolderOf(operation: Operation, live: LiveObject): Promise<string | undefined> {
  const { ports, objects, call } = operation;
  const { urn } = call.hidden;
  if (ports.state) return undefined;
  const place = { origin: objects.origin, account: objects.account, project: projectOf(urn) ?? "" };
  const holds = await holdsOf(ports.journal, place, identityOf(live));
  const [last] = holds.sort((one, other) => other.at - one.at);
  return last && stackOf(last.urn) !== stackOf(urn) ? last.urn : undefined;
}

/** The end of a sentence about an object: what the journals of this machine say, and what follows if it still holds. */
export const laterHolderText = (later: string | undefined): string =>
  later === undefined
    ? ""
    : `; by the journal of this machine, the stack ${stackNameOf(later)} had it after this one, as ${later}: if it still has it, leave this resource out of the program here`;

/** The object is this stack's now as well, unless the other one has given it up. */
export const warnOfLaterHolder = (operation: Operation, live: LiveObject, later: string): void =>
  operation.call.reporter.warn(
    `${operation.title(live.name)} is taken${laterHolderText(later)}, and run ${forgetting(operation)}; if it has given it up, nothing is to be done.`,
  );
