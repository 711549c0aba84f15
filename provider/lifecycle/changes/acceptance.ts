import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { acceptedAfter, acceptedOf, deviations, deviationText, isIdentityField } from "../../core/comparison/accepted";
import { desiredFields } from "../../core/comparison/desired";
import { type DiffResult, isIgnored } from "../../core/comparison/diff";
import { optionsIn, type Records, recordsIn } from "../../core/declaration/own-fields";
import type { ResourceSpec } from "../../core/declaration/resource";
import type { ErrorAnswers } from "../../core/error-codes";
import { ModelPlatformError } from "../../core/errors";
import { type Difference, differences } from "../../core/fields/equality";
import { pathText, shortText, valueAt } from "../../core/values/values";
import { hooksOf } from "../../kinds/index";
import { forgetting, recoveringUp, replacing, stackCommand } from "../commands";
import { idSourceOf } from "../memory/identity";
import type { CallContext, ComparedResource, Operation } from "../operation";
import { isAnother } from "../ownership/owner";
import { classifyOwnership } from "../ownership/relation";
import { inPlaceOfRecorded } from "../ownership/verdicts";
import type { LiveObject } from "../ports";
import type { Call, ReadResult, Values } from "../types";

/**
 * Drift that is reported until the program accepts it: fields that matter even if the program does not set them,
 * changed outside the program (A049).
 */

/** The token that accepts the current values of a live object, and nothing else. */
export const acceptanceTokenFor = (spec: ResourceSpec, live: Values, differences: readonly Difference[]): string =>
  createHash("sha256")
    .update(deviationText(spec, live, differences))
    .digest("hex")
    .slice(0, 12);

/** The token that accepts every deviation of a live object from what was last accepted. */
const acceptanceToken = (spec: ResourceSpec, recorded: Values, live: Values): string =>
  acceptanceTokenFor(spec, live, deviations(spec, recorded, live));

/** Whether the program sets the token, which works once: when the program starts to set it. */
const hasAccepted = (inputs: Values, recorded: Values, token: string): boolean =>
  tokensIn(inputs).includes(token) && !tokensIn(recorded).includes(token);

/** Several tokens in one value serve many objects. */
const tokensIn = (values: Values): string[] => String(optionsIn(values).acceptDrift ?? "").split(/[\s,]+/);

/** What to record as accepted once an update has turned `before` into `after`. */
export const acceptedRecord = (
  { spec, call }: Pick<Operation, "spec" | "call">,
  { recorded, inputs, before, after }: { recorded: Values; inputs: Values; before: Values; after: Values },
): Pick<Records, "accepted"> => ({
  accepted: acceptedAfter(spec, {
    recorded,
    // For ignored properties, an engine passes recorded values as if they were the program's.
    desired: Object.fromEntries(
      Object.entries(desiredFields(spec, inputs, recordsIn(recorded).managedFields, before)).filter(
        ([name]) => !isIgnored(name, call.hidden.ignoreChanges ?? []),
      ),
    ),
    before,
    after,
    isAccepted: hasAccepted(inputs, recorded, acceptanceToken(spec, recorded, before)),
  }),
});

/**
 * The result for an engine about an object that differs from what was last accepted. In a refresh that is a difference
 * for as long as it lasts, however often it was read. To a program that does not set the field, it is a warning: an
 * update could neither revert it nor accept it without a token.
 */
export async function withDeviations(
  compared: ComparedResource,
  result: DiffResult,
  { mayBeOwn, isRefresh = false }: { mayBeOwn: () => Promise<boolean>; isRefresh?: boolean },
): Promise<DiffResult> {
  const { spec, call, id, outputs, inputs } = compared;
  const { ignoreChanges = [] } = call.hidden;
  const unacceptedChanges = deviations(spec, outputs).filter(({ path }) => !isIgnored(pathText(path), ignoreChanges));
  if (unacceptedChanges.length === 0) return result;
  const desired = desiredFields(spec, inputs, recordsIn(outputs).managedFields, outputs);
  const token = acceptanceTokenFor(spec, outputs, unacceptedChanges);
  const unreported = unacceptedChanges.filter(({ path }) => isRefresh || !Object.hasOwn(desired, String(path[0])));
  if (unreported.length === 0 || (!isRefresh && hasAccepted(inputs, outputs, token))) return result;
  const changes = unreported.map(
    ({ path, desired: was, live }) => `\`${pathText(path)}\` was ${shortText(was)} and is ${shortText(live)}`,
  );
  // A value that the update of the same command reverts does not stay, and is not reported.
  const stays = unreported.some(({ path }) => !Object.hasOwn(desired, String(path[0])));
  const subject = `${spec.kind} ${id}`;
  const isAnotherObject = unacceptedChanges.some(({ path }) => isIdentityField(spec, String(path[0])));
  const known = isAnotherObject
    ? `${subject} is another object than the accepted one: somebody has deleted that one and created this one`
    : (await mayBeOwn())
      ? `${subject}: an earlier run of this stack was interrupted while it updated this object, which differs from what was accepted`
      : `${subject} was changed outside the program${stays ? ", and the change has not been accepted" : ""}`;
  call.reporter.warn(
    // On a line of its own: a row of the Pulumi CLI has the first one, as often as the row is drawn.
    `${known}: ${changes.join("; ")}.\n${remedy(compared, { desired, found: unacceptedChanges, token })}`,
  );
  return isRefresh ? { ...result, changes: true } : result;
}

/** Reports the changes from outside that an update has reverted. */
export function reportReverted(spec: ResourceSpec, { reporter }: Call, recorded: Values, updated: Values): void {
  const left = new Set(deviations(spec, updated).map(({ path }) => pathText(path)));
  const back = deviations(spec, recorded).filter(
    ({ path, desired }) => !left.has(pathText(path)) && isDeepStrictEqual(valueAt(updated, path), desired),
  );
  for (const { path, desired, live } of back)
    reporter.info(`\`${pathText(path)}\` was reverted from ${shortText(live)} to ${shortText(desired)}`);
}

/**
 * How to resolve it: the program can set a field; if it is another object, only a replacement undoes that. The commands
 * refresh, because a refresh that only previews has recorded nothing of what they are about.
 */
function remedy(
  compared: ComparedResource,
  { desired, found: differences, token }: { desired: Values; found: readonly Difference[]; token: string },
): string {
  const { spec, inputs } = compared;
  const names = [...new Set(differences.map(({ path }) => String(path[0])))];
  const own = names.filter((name) => Object.hasOwn(desired, name));
  const settable = names.filter((name) => !own.includes(name) && !isIdentityField(spec, name));
  const up = stackCommand(compared, "up", "--refresh");
  const accepting = `set \`acceptDrift: "${token}"\` in the program`;
  if (own.length + settable.length < names.length)
    return `If it is yours, ${accepting} and run ${up}; if not, ${leaving(compared, inputs)}.`;
  const reverting = own.length > 0 ? [`${up} makes ${joinNames(own)} what the program says`] : [];
  if (settable.length === 0) return `${reverting}; to accept the live value, ${accepting} first.`;
  const ways = [...reverting, `set ${joinNames(settable)} in the program to what it should be, and run ${up}`];
  return `To resolve it: ${ways.join("; ")}. To accept the live value, ${accepting} and run ${up}.`;
}

/** What leaves the object that has come to the recorded name: at a chosen id or key, a create would meet it. */
function leaving(about: CallContext, inputs: Values): string {
  switch (idSourceOf(about.spec, inputs)) {
    case "automatic":
      return `leave it and create another with ${recoveringUp(about, "new", ...replacing(about))}`;
    case "chosen":
      return `leave it: give this resource an id of its own, and run ${stackCommand(about, "up")}`;
    case "key":
      return `leave it: remove this resource from the program, and run ${forgetting(about)}`;
  }
}

/** Its answers, where there are any. */
function answersLeaving({ spec }: CallContext, inputs: Values): ErrorAnswers {
  const id = idSourceOf(spec, inputs);
  return { ...(id === "automatic" && { recover: ["new"] }), ...(id === "chosen" && { otherId: true }) };
}

const joinNames = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");

/**
 * Rejects if another object has the name of the recorded one: it may be somebody else's, and is not changed before the
 * program accepts it. What an interrupted run of this stack has recreated is its own.
 */
export async function assertNotRecreated(
  operation: Operation,
  recorded: Values,
  live: LiveObject,
  inputs: Values,
): Promise<void> {
  const other = await comeInstead(operation, recorded, live, inputs);
  if (!other) return;
  if (other.maker !== undefined)
    throw new ModelPlatformError(
      `${operation.title(live.name)} was not changed: it is gone, and ${other.maker} has created the object that has its name now`,
      {
        code: "replaced-by-own",
        about: { object: live.name },
        answers: { refresh: true },
        advice: `Run ${stackCommand(operation, "up", "--refresh")}, which makes this one again.`,
      },
    );
  throw new ModelPlatformError(
    `${operation.title(live.name)} is not changed, because it is not the object that the state recorded: it was created at ${String(live["createTime"])} under the same name`,
    {
      code: "replaced-by-another",
      about: { object: live.name },
      answers: { acceptDrift: other.token, ...answersLeaving(operation, inputs) },
      advice: `If it is yours, set \`acceptDrift: "${other.token}"\` and run ${stackCommand(operation, "up")}; if not, ${leaving(operation, inputs)}.`,
      topic: "the-object-was-created-again",
    },
  );
}

/** The other declaration that created what a refresh has read in place of the recorded object, if any. */
export const creatorOfRecreated = async (
  operation: Operation,
  read: Values,
  name: string,
  inputs: Values,
): Promise<string | undefined> => (await comeInstead(operation, read, { ...read, name }, inputs))?.maker;

/** Another object under the recorded name, unless the program accepts it or an own create has created it. */
async function comeInstead(
  operation: Operation,
  recorded: Values,
  live: LiveObject,
  inputs: Values,
): Promise<{ token: string; maker: string | undefined } | undefined> {
  const { spec } = operation;
  if (!(await isAnother(operation, recorded, live))) return undefined;
  const token = acceptanceToken(spec, recorded, live);
  if (hasAccepted(inputs, recorded, token)) return undefined;
  const { relation, urn } = await classifyOwnership(operation, live, inputs, { recorded });
  const { change } = inPlaceOfRecorded[relation];
  return change === "continue" ? undefined : { token, maker: change === "replace" ? urn : undefined };
}

/**
 * The result of a refresh that reads another object under the recorded name. One that an interrupted run of this stack
 * recreated becomes the recorded one: it is not drift, and may be changed and deleted. Undefined if another declaration
 * of this stack created it, or if it replaced the recorded one: it has a record of its own, and outlives the deletion
 * of this one.
 */
export async function acknowledgeRecreated(
  operation: Operation,
  recorded: Values,
  name: string,
  result: ReadResult,
): Promise<ReadResult | undefined> {
  const { relation } = await classifyOwnership(operation, { ...result.outputs, name }, result.inputs, { recorded });
  const { read } = inPlaceOfRecorded[relation];
  if (read !== "accept") return read === "drop" ? undefined : result;
  const { accepted: _, ...outputs } = result.outputs;
  return { ...result, outputs: { ...outputs, accepted: acceptedOf(operation.spec, outputs) } };
}

/** The object as it will be: the live one, with what the program's values change. */
export function projectedObject(
  spec: ResourceSpec,
  live: Values,
  inputs: Values,
  records: Partial<Records> = {},
): Values {
  const desired = desiredFields(spec, inputs, records.managedFields);
  const changed = spec.fields.message.filter(
    (field) =>
      field.name in desired &&
      differences(field, desired[field.name], live[field.name], records.resolutions?.[field.name]).length > 0,
  );
  return { ...live, ...Object.fromEntries(changed.map(({ name }) => [name, desired[name]])) };
}

/** Rejects a change that the kind objects to without the program's consent, in previews as in updates. */
export function assertConsent(
  spec: ResourceSpec,
  { before, after }: { before: Values; after: Values },
  inputs: Values,
  adviceFor = (consent: string): string => `If that is intended, set ${consent}.`,
): void {
  const objection = hooksOf(spec).beforeChange?.(before, after, inputs);
  if (!objection) return;
  throw new ModelPlatformError(`this ${objection.reason}`, {
    code: "loosens-policy",
    advice: adviceFor(`\`${objection.consent}: true\``),
  });
}
