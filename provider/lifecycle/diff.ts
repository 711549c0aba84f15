import { hasIdentityField, isRecreated } from "../core/comparison/accepted";
import {
  changesBetween,
  type DiffResult,
  type FieldChange,
  goesFirstIfReplaced,
  isIgnored,
  replacingProperties,
  toDiffResult,
} from "../core/comparison/diff";
import { derivedNames } from "../core/comparison/recorded";
import { formatMoney } from "../core/declaration/billing";
import { optionsIn, recordsIn } from "../core/declaration/own-fields";
import type { ResourceSpec } from "../core/declaration/resource";
import { hasFailed, phaseOf } from "../core/declaration/states";
import { ModelPlatformError, messageOf } from "../core/errors";
import { accountOf, lastSegment } from "../core/values/names";
import { containsUnknown } from "../core/values/values";
import {
  assertConsent,
  assertNotRecreated,
  creatorOfRecreated,
  projectedObject,
  withDeviations,
} from "./changes/acceptance";
import { assertReplaceable, isUnprotectedByFailure } from "./changes/protection";
import { heldError } from "./changes/unfinished";
import { uploadChanges } from "./changes/upload";
import { forgetting, recoveringUp } from "./commands";
import { orphanText } from "./creation/orphans";
import { historyOf, type OwnershipHistory } from "./memory/history";
import { assertSameEndpoint } from "./memory/identity";
import type { DiffView } from "./memory/run";
import type { ComparedResource, Operation } from "./operation";
import {
  declarationUrns,
  findFormer,
  isAmong,
  nameHiddenFormers,
  recordedIdentity,
  recordHeld,
} from "./ownership/journal";
import { assertRecordedOnce } from "./ownership/owner";
import type { LiveObject } from "./ports";
import { outcomeOutlivesRecord } from "./read";
import { availableSecretValues, unchangedBy, withoutUnanswered } from "./sources";
import type { Call, Comparison, Values } from "./types";

/** What a comparison continues with: values just read replace the recorded ones. */
interface Seen {
  changes: FieldChange[];
  outputs: Values;
}

/**
 * An object that is recorded as failed or purged is replaced only if a read confirms the record. A healthy one is
 * updated instead, which records what it is. If it is protected, any other change that replaces it needs that read as
 * well, because a failed object is not protected.
 */
async function withSeenOutcome(
  { spec, call: { reporter }, id, outputs }: Pick<ComparedResource, "spec" | "call" | "id" | "outputs">,
  changes: FieldChange[],
  begin: () => Operation,
): Promise<Seen> {
  const replacing = changes.filter(({ effect }) => effect === "replace");
  const isReplacedForIt = replacing.length > 0 && replacing.every(({ ofOutcome }) => ofOutcome);
  const isAtStake = isReplacedForIt || (replacing.length > 0 && isUnprotectedByFailure(spec, outputs));
  const operation = isAtStake ? begin() : undefined;
  const live = operation && (await readWell(operation, id));
  if (!operation || !live) return { changes, outputs };
  const record = recordsIn(outputs).retired ? "gone" : String(outputs["state"]);
  if (isReplacedForIt)
    reporter.info(
      `${operation.title(id)} is recorded as ${record}, and is ${stateText(live)} now: it is not replaced.`,
    );
  return {
    changes: changes.map((change) => (change.ofOutcome ? { ...change, effect: "update" } : change)),
    outputs: { ...outputs, state: live["state"], status: live["status"] },
  };
}

const stateText = ({ state }: LiveObject): string => (typeof state === "string" && state !== "" ? state : "there");

/** The object, if a read shows that it exists and has not failed. Rejects if the service cannot tell. */
async function readWell({ objects, spec }: Operation, name: string): Promise<LiveObject | undefined> {
  if (!objects.isReadable) return undefined;
  const live = await objects.poll(name);
  return live && isWell(spec, live) ? live : undefined;
}

const isWell = ({ lifecycle }: ResourceSpec, live: Values): boolean =>
  phaseOf(lifecycle, live) !== "gone" && !(lifecycle && hasFailed(lifecycle, live));

/** Whether the record of a purged object has returned, so that its program has nothing to replace. */
export const hasReturned = async (operation: Operation, id: string, inputs: Values): Promise<boolean> =>
  optionsIn(inputs).recreateIfPurged === true && (await readWell(operation, id)) !== undefined;

/**
 * The diff of a refresh: values just read, which no state holds yet, against the inputs of a state. Rejects and
 * remembers nothing. With unknowns it belongs to a deletion of which the engine works out the extent.
 */
export async function diffOfRefresh(compared: ComparedResource): Promise<Comparison> {
  const { spec, inputs } = compared;
  const changes = await differences(compared);
  const isRefresh = !containsUnknown(inputs);
  const cause = { mayBeOwn: () => mayBeOwn(compared), isRefresh };
  return { ...(await withDeviations(compared, toDiffResult(spec, changes, inputs), cause)), found: changes };
}

interface ComparedByProgram extends ComparedResource {
  resource: DiffView;
}

/** The diff of a program: what a state holds, against what the program declares. Rejects what must not be changed. */
export async function diffOfProgram(compared: ComparedByProgram, begin: () => Operation): Promise<Comparison> {
  const { ports, spec, call, id, outputs, inputs, resource } = compared;
  const held = { ...call.hidden, spec, id, outputs, at: ports.clock.now() };
  assertRecordedOnce(compared, recordedIdentity(spec, id, outputs));
  const orphan = await recordHeld(ports.journal, held);
  const seen = await withSeenOutcome(compared, await unfinished(compared), begin);
  const changes = seen.changes.map((change) => asEngineSees(resource, change));
  if (spec.singleton && !containsUnknown(inputs)) {
    const after = projectedObject(spec, outputs, inputs, recordsIn(outputs));
    assertConsent(spec, { before: outputs, after }, inputs);
  }
  if (!containsUnknown(inputs)) await nameFormer(compared, begin);
  const lost = await changesIfForeign(compared, begin);
  const allChanges = [...changes, ...lost];
  const result = await withDeviations(compared, toDiffResult(spec, allChanges, inputs), {
    mayBeOwn: () => mayBeOwn(compared),
  });
  if (lost.length === 0) await assertDiffAllowed({ ...compared, outputs: seen.outputs }, changes, result, begin);
  announceRun(compared, result);
  announceUnseen(spec, call, changes, inputs);
  if (result.replaces.length === 0) announceOutcome({ ...compared, outputs: seen.outputs }, changes, begin);
  resource.conclude(id, inputs, result);
  if (result.changes === false && orphan !== undefined) call.reporter.warn(orphanText(compared, orphan.name, orphan));
  const deleteBeforeReplace =
    result.replaces.length > 0 ? result.deleteBeforeReplace : goesFirstIfReplaced(spec, outputs, inputs, allChanges);
  return { ...result, deleteBeforeReplace, found: allChanges };
}

/** Names what this declaration has had since: the state at hand is older, and no create would name it. */
async function nameFormer({ call, id }: ComparedResource, begin: () => Operation): Promise<void> {
  const operation = begin();
  await nameHiddenFormers(operation);
  const former = await findFormer(operation);
  if (!former || former.isContinued || former.elsewhere) return;
  call.reporter.warn(
    `${operation.title(former.live.name)} was this resource later than ${id}: the state is older than it, and does not record it. To have it back, run ${forgetting(operation)}, then ${recoveringUp(operation, "take")}.`,
  );
}

/**
 * Whether the engine, which compares inputs, has to learn of a change. It names a changed input itself, and applies the
 * program's `replaceOnChanges` to it.
 */
const asEngineSees = (resource: DiffView, { beneathInputs, ...change }: FieldChange): FieldChange =>
  beneathInputs && !resource.isEdited(change.property) ? { ...change, beneathInputs } : change;

async function assertDiffAllowed(
  compared: ComparedByProgram,
  changes: readonly FieldChange[],
  result: DiffResult,
  begin: () => Operation,
): Promise<void> {
  const { spec, id, outputs, inputs } = compared;
  assertReplacementAllowed(spec, id, changes, inputs);
  assertNotAdopted(spec, id, outputs, result);
  assertReplaceable(compared, compared.resource, changes);
  const seen = { ...outputs, name: id };
  const isUpdate = result.changes !== false && result.replaces.length === 0;
  if (isUpdate && isRecreated(spec, outputs, seen) && !containsUnknown(inputs))
    await assertNotRecreated(begin(), outputs, seen, inputs);
}

/** For ignored properties an engine passes recorded values, which the program has not accepted. */
const acceptsIgnored = ({ call }: ComparedResource, { effect, beneathInputs, path }: FieldChange): boolean =>
  effect === "record" && beneathInputs === true && isIgnored(path, call.hidden.ignoreChanges ?? []);

/** Everything that differs, in the record and on this machine. */
async function differences(compared: ComparedResource): Promise<FieldChange[]> {
  const { ports, spec, id, outputs, inputs } = compared;
  const { origin } = ports.objects(spec.kind, String(recordsIn(outputs).accountId ?? accountOf(id)));
  assertSameEndpoint(`${spec.kind} ${id}`, outputs, origin, ports.settings.allowEndpointChange);
  const changes = changesBetween(
    spec,
    outputs,
    inputs,
    unchangedBy(await availableSecretValues(ports.machine, inputs)),
  );
  return [...changes.filter((change) => !acceptsIgnored(compared, change)), ...(await uploadChanges(compared))];
}

/**
 * The same, if an interrupted run may have changed the object since: values that responses never contain are written
 * again, and an update reads the others and sends what differs. The same update looks for an object that a read of this
 * run has not shown, or whose delete broke off: nothing is as declared that nobody has seen.
 */
async function unfinished(compared: ComparedByProgram): Promise<FieldChange[]> {
  const { spec, id, outputs, inputs, resource } = compared;
  const object = recordedIdentity(spec, id, outputs);
  const history = await historyWith(compared);
  const isOpen = history.openWrites(object).length > 0;
  const mayBeDeleted = history.openDeletes(object).length > 0 && !outcomeOutlivesRecord(compared, outputs);
  const isInDoubt = isOpen || resource.isUnseen(object) || mayBeDeleted;
  if (!isInDoubt) return differences(compared);
  const changes = await differences({ ...compared, outputs: isOpen ? withoutUnanswered(spec, outputs) : outputs });
  return changes.some(({ effect }) => effect !== "record") ? changes : [...changes, lookAgain(spec, inputs)];
}

/** The journal of the object's account. */
function historyWith({ ports, spec, id, outputs, call }: ComparedResource): Promise<OwnershipHistory> {
  const account = String(recordsIn(outputs).accountId ?? accountOf(id));
  const { origin } = ports.objects(spec.kind, account);
  return historyOf(ports.journal, origin, account, call.hidden.urn);
}

/** Whether an earlier run of this stack was interrupted while it updated the object. */
async function mayBeOwn(compared: ComparedResource): Promise<boolean> {
  const isPending = compared.ports.state?.mayBeChanged(isAmong(declarationUrns(compared))) === true;
  const { spec, id, outputs } = compared;
  return isPending || (await historyWith(compared)).openWrites(recordedIdentity(spec, id, outputs)).length > 0;
}

function lookAgain({ fields }: ResourceSpec, inputs: Values): FieldChange {
  const declared = fields.message.find(({ name, markers }) => !markers.immutable && inputs[name] !== undefined);
  const property = (declared ?? fields.message[0]!).name;
  return { path: property, property, desired: undefined, live: undefined, effect: "update", beneathInputs: true };
}

/**
 * Reports that replacing a job starts another run, the estimated cost of the last run, and whether the new one creates
 * the last one's model again (A070).
 */
function announceRun(
  { spec, call: { reporter }, id, outputs, inputs }: ComparedResource,
  { replaces }: DiffResult,
): void {
  if (!spec.identity.neverReused || replaces.length === 0) return;
  const cost = spec.costLimit && outputs[spec.costLimit.output];
  const because = replaces.map((name) => `\`${name}\``).join(", ");
  reporter.info(
    `${because} starts a new run${cost ? `; the last one was estimated to cost ${formatMoney(cost)}` : ""}.`,
  );
  if (phaseOf(spec.lifecycle, outputs) !== "ready") return;
  const chosen = derivedNames(spec, String(optionsIn(inputs).accountId ?? accountOf(id)), "", inputs);
  for (const [output, name] of Object.entries(chosen)) {
    if (outputs[output] !== name) continue;
    reporter.warn(
      `the new run creates ${name} again, which the last one created: \`${spec.derived[output]!.from[0]!}\` is unchanged. Change it, or drop it for a name of its own`,
    );
  }
}

/** Explains an update whose inputs are unchanged: an engine's preview shows it without any difference. */
function announceUnseen(
  { uploads }: ResourceSpec,
  { reporter }: Call,
  changes: readonly FieldChange[],
  inputs: Values,
): void {
  const unseen = new Set(
    changes.filter(({ beneathInputs, effect }) => beneathInputs && effect === "update").map(({ property }) => property),
  );
  const { env, file } = (optionsIn(inputs).valueFrom ?? {}) as { env?: string; file?: string };
  if (unseen.has("value") && optionsIn(inputs).valueFrom)
    reporter.info(
      `${env === undefined ? `the file \`${file}\`` : `\`${env}\``} has a different value from the one that was written: it will be written again`,
    );
  if (uploads && unseen.has(uploads.from))
    reporter.info(`files of \`${uploads.from}\` have changed or are not uploaded yet: they will be sent`);
}

/** Says of an object that is not as it should be what `up` does about it: nothing in the program shows that. */
function announceOutcome(
  { spec, call: { reporter }, id, outputs, inputs }: ComparedByProgram,
  changes: readonly FieldChange[],
  begin: () => Operation,
): void {
  if (!changes.some(({ ofOutcome, property }) => ofOutcome && property === "state")) return;
  const operation = begin();
  const recorded = { ...outputs, name: id };
  if (spec.lifecycle && hasFailed(spec.lifecycle, outputs))
    reporter.warn(messageOf(heldError(operation, inputs, recorded)));
  else if (recordsIn(outputs).awaited)
    reporter.info(
      `${operation.title(id)} was ${stateText(recorded)} when it was last seen, and the run that waited for it has given up: \`up\` waits for it again.`,
    );
}

/**
 * Two resources may have one name: the object of one was deleted while the state kept its entry, and that of the other
 * was created in its place, or is about to be. The resource that has lost its object is replaced, and nothing is
 * deleted. Without a creation time, that is the one that the engine compares second.
 */
async function changesIfForeign(
  { resource, call, spec, id, outputs, inputs }: ComparedResource,
  open: () => Operation,
): Promise<FieldChange[]> {
  const property = spec.identity.naturalKey?.[0] ?? spec.fields.resourceId?.name;
  if (property === undefined) return [];
  const holder = hasIdentityField(spec)
    ? isRecreated(spec, outputs, { ...outputs, name: id }) && (await creatorOfRecreated(open(), outputs, id, inputs))
    : resource.otherHolderOf(id);
  if (!holder) return [];
  call.reporter.warn(`${spec.kind} ${id} is the object of ${holder}, which keeps it; this one is created anew.`);
  const desired = inputs[property];
  return [{ path: property, property, desired, live: undefined, effect: "replace", beneathInputs: true }];
}

/**
 * Some objects are never replaced automatically (A050), and some never under the same id (A072). Unknown values may
 * turn out unchanged.
 */
function assertReplacementAllowed(
  { kind, identity, fields: { resourceId } }: ResourceSpec,
  id: string,
  changes: readonly FieldChange[],
  inputs: Values,
): void {
  const replacing = replacingProperties(changes);
  if (replacing.length === 0) return;
  const because = replacing.map((name) => `\`${name}\``).join(", ");
  if (identity.neverReplaced) {
    throw new ModelPlatformError(
      `${kind} ${id} would have to be replaced because of ${because}, and that is never done automatically`,
      { code: "never-replaced", advice: "Set the field back, or declare a new resource and remove this one." },
    );
  }
  const chosen = resourceId && inputs[resourceId.name];
  if (!identity.neverReused || chosen !== lastSegment(id) || replacing.includes("accountId")) return;
  throw new ModelPlatformError(
    `${kind} ${id}: ${because} starts a new run, and the id \`${chosen}\` can never be used again`,
    { code: "id-used-up", advice: `Give a new \`${resourceId!.name}\` or drop it.` },
  );
}

/** Deleting an adopted object retains it, so that nothing can take its id or natural key. */
function assertNotAdopted({ kind }: ResourceSpec, id: string, outputs: Values, result: DiffResult): void {
  if (recordsIn(outputs).adopted !== true || !result.deleteBeforeReplace) return;
  const because = result.replaces.map((name) => `\`${name}\``).join(", ");
  throw new ModelPlatformError(
    `${kind} ${id} would have to be replaced because of ${because}; it was adopted, and deletion retains adopted objects`,
    {
      code: "adopted-never-replaced",
      advice: "Set the field back, declare a new id, or delete the object yourself and run `refresh`, then `up`.",
    },
  );
}
