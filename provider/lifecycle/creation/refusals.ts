import { ModelPlatformError } from "../../core/errors";
import { removalCommand } from "../deletion/removal-command";
import { aliasText } from "../identity/ids";
import { type ResourceOperation, titleOf } from "../operation/operation";
import { refuseStranger } from "../ownership/ownership";
import type { Related } from "../ownership/relation";
import type { LiveObject } from "../ports/objects";

/** An object that another declaration of this run has is not taken from it, whoever made it. */
export function refuseHeld({ ports, call, spec }: ResourceOperation, name: string): void {
  const holder = ports.claims.holderOf(name, call.hidden.urn);
  if (holder === undefined) return;
  throw new ModelPlatformError(`${spec.kind} ${name} belongs to ${holder} of the same program`, {
    advice: "Run `up` again if that one gives it up in the same command, or give this one another id.",
    topic: "another-declaration-has-the-object",
  });
}

type Refusal = (operation: ResourceOperation, live: LiveObject, related: Related) => ModelPlatformError;

/** Somebody else has made it, as far as is known. */
export const existsError = (operation: ResourceOperation, { name }: LiveObject): ModelPlatformError =>
  new ModelPlatformError(`${titleOf(operation, name)} already exists and was not created by this declaration`, {
    advice:
      'Set `adopt: "ifEqual"` to take it over as it is, `adopt: "overwrite"` to take it over and change it, or choose another id.',
    topic: "the-object-already-exists",
  });

const leftError: Refusal = (operation, { name }) =>
  new ModelPlatformError(
    `${titleOf(operation, name)} was left by an interrupted run of this declaration, and \`recover: new\` leaves it at its id`,
    {
      advice: `Choose another id, or delete it with ${removalCommand(operation.spec, name)}.`,
      topic: "an-interrupted-run-left-an-object",
    },
  );

const createdError: Refusal = (operation, live, related) =>
  related.object?.adopted
    ? existsError(operation, live)
    : new ModelPlatformError(
        `${titleOf(operation, live.name)} was already created by this declaration, and only one such object can exist at a time`,
        {
          advice:
            'Set `deleteBeforeReplace: true` to replace it, `adopt: "overwrite"` if the state has lost it, or choose another id.',
          topic: "the-object-already-exists",
        },
      );

function siblingError(otherwise: string): Refusal {
  return (operation, { name }, { urn = "" }) =>
    new ModelPlatformError(
      `${titleOf(operation, name)} already exists and was not created by this declaration: this stack created it as ${urn}`,
      {
        advice: `Give it \`${aliasText(urn, operation.call.hidden.urn)}\` if it was renamed, or ${otherwise}.`,
        topic: "another-declaration-has-the-object",
      },
    );
}

const refusals: Partial<Record<Related["relation"], Refusal>> = {
  begun: leftError,
  likely: leftError,
  recorded: createdError,
  former: createdError,
  siblingHeld: siblingError("choose another id"),
  siblingBegun: siblingError('set `adopt: "overwrite"`'),
};

/** Rejects: the object stays as it is, and only the program or a person can change that. */
export function refuse(operation: ResourceOperation, live: LiveObject, related: Related): never {
  refuseStranger(operation, live);
  refuseHeld(operation, live.name);
  throw (refusals[related.relation] ?? existsError)(operation, live, related);
}
