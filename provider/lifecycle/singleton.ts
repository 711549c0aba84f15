import type { Deletion } from "../../protocol/engine-state";
import { changesBetween, type FieldChange } from "../core/comparison/diff";
import { optionsIn, type Records, recordsIn } from "../core/declaration/own-fields";
import type { ResourceSpec } from "../core/declaration/resource";
import { isMissing, isModelPlatformError, ModelPlatformError, mayHaveCreated, problemOf } from "../core/errors";
import { asCompleteMessage, differences, isUnset } from "../core/fields/equality";
import type { Field } from "../core/fields/fields";
import { snakeCase } from "../core/values/names";
import { topLevel } from "../core/values/values";
import { hooksOf } from "../kinds/index";
import { acceptedRecord, assertConsent, projectedObject } from "./changes/acceptance";
import { agreesOn, applyChanges, toInitFailedError } from "./changes/patch";
import { recordOptionFirstAdvice, removalOf } from "./changes/protection";
import { stackCommand } from "./commands";
import { existsError } from "./creation/conflict";
import { closeRejectedAttempt, recordAttempt } from "./creation/send";
import { adopt, reportAdopted } from "./creation/take-over";
import type { CreateAttempt } from "./memory/history";
import type { CreateOperation, Operation } from "./operation";
import {
  beginWrite,
  declarationUrns,
  isAmong,
  mayBeChanged,
  openAttempts,
  recordedIdentity,
  recorderOf,
} from "./ownership/journal";
import { assertNotElsewhere } from "./ownership/other-stacks";
import { showsWhatWasSent } from "./ownership/relation";
import type { LiveObject } from "./ports";
import { confirmAbsence, isBlank, isNone, isWrittenLately } from "./read";
import type { Created, Values } from "./types";
import { replicasAreCurrent, waitForGoal } from "./waiting/operation-waits";

/** Removes settings as the program says, because settings that exist once cannot be deleted (A062). */
export async function resetSingleton(operation: Operation, name: string, recorded: Values): Promise<Deletion> {
  const { spec, objects, call } = operation;
  const mode = removalOf(recorded);
  if (mode === "retain") {
    call.reporter.info(
      `${operation.title(name)} stays as it is; set \`onDelete\` to \`clear\` or \`restorePrevious\` to change that.`,
    );
    return "left";
  }
  const removal = await planRemoval(operation, name, recorded);
  if (!removal) return "deleted";
  const { live, body, theirs, isUnseen } = removal;
  if (theirs.length > 0)
    call.reporter.warn(
      `${operation.title(name)}: ${theirs.map((field) => `\`${field}\``).join(", ")} stays as it is, because somebody else has changed it since this stack set it.`,
    );
  const mask = Object.keys(body)
    .filter((field) => JSON.stringify(live[field] ?? null) !== JSON.stringify(body[field]))
    .map(snakeCase);
  const end: Deletion = theirs.length > 0 ? "left" : "deleted";
  if (mask.length === 0) return end;
  // The journal's note of the change ends with the removal: until then, the state still has what may be cleared.
  const conclude = await beginWrite(operation, recordedIdentity(spec, name, recorded));
  try {
    await objects.update(name, { ...others(spec, live, body), ...body }, mask, {});
  } catch (error) {
    if (!mayHaveCreated(error)) await conclude();
    // Neither a read nor a write finds them.
    if (isUnseen && isMissing(error)) return end;
    return explainRefusal(operation, name, error);
  }
  await verifyRemoval(operation, name, body);
  return end;
}

/** For a service that keeps settings once they are saved: the way out is another `onDelete`. */
function explainRefusal(operation: Operation, name: string, cause: unknown): never {
  const isRefused = isModelPlatformError(cause) && [400, 403, 405, 409, 422, 501].includes(cause.status ?? 0);
  if (!isRefused) throw cause;
  throw new ModelPlatformError(
    `${operation.title(name)} was not removed, the service refuses it: ${problemOf(cause)}`,
    {
      code: "settings-not-removed",
      advice: `To leave it as it is, ${recordOptionFirstAdvice(operation, '`onDelete: "retain"`, or `"restorePrevious"` for what was there before')}`,
      topic: "an-update-is-refused-or-loses-fields",
      cause,
    },
  );
}

/** A service that ignores cleared fields would leave a policy in force that no state has. */
async function verifyRemoval(operation: Operation, name: string, body: Values): Promise<void> {
  const { spec } = operation;
  const isLate = replicasAreCurrent(operation);
  const remainingFields = (object: LiveObject): Field[] =>
    spec.fields.message.filter(
      (field) =>
        field.name in body && differences(asCompleteMessage(field), body[field.name], object[field.name]).length > 0,
    );
  const end = await waitForGoal(operation, {
    name,
    promptly: true,
    condition: {
      isSatisfied: (object) => object === undefined || remainingFields(object).length === 0 || isLate(),
      endsOnFailure: false,
    },
  });
  const stays = end.last && end.how === "reached" ? remainingFields(end.last) : [];
  if (stays.length === 0) return;
  throw new ModelPlatformError(
    `${operation.title(name)}: the service accepted the removal but did not make it: ${stays.map((field) => `\`${field.name}\``).join(", ")} ${stays.length === 1 ? "is" : "are"} unchanged`,
    {
      code: "settings-not-cleared",
      advice: `To keep the values, ${recordOptionFirstAdvice(operation, '`onDelete: "retain"`')}`,
      topic: "an-update-is-refused-or-loses-fields",
    },
  );
}

/** What a removal sends; undefined if nothing is left to remove. Rejects one that would loosen the live policy. */
export async function planRemoval(
  operation: Operation,
  name: string,
  recorded: Values,
): Promise<{ live: LiveObject; body: Values; theirs: string[]; isUnseen: boolean } | undefined> {
  const { spec } = operation;
  const seen = await operation.objects.find(name);
  const current = await currentOf(operation, seen, name, recorded);
  // Never saved, as the service itself says: not of what this stack has just saved.
  if (!current && seen && !(await isWrittenLately(operation, name, recorded))) return undefined;
  // What no read shows is removed as well: the service itself decides.
  const live = current ?? { ...recorded, name };
  const changed = managedIn(recorded).filter((field) => changedByOthers(spec, recorded, live).includes(field));
  // Values that an interrupted run of this stack may have set are removed as well.
  const isOwn = changed.length > 0 && (await mayBeChanged(operation, recordedIdentity(spec, name, recorded)));
  const othersFields = isOwn ? [] : changed;
  const body = withoutDeclaration(spec, recorded, othersFields);
  assertConsent(
    spec,
    { before: live, after: { ...live, ...body } },
    recorded,
    (consent) => `To remove it, ${recordOptionFirstAdvice(operation, `${consent}, or with \`onDelete: "retain"\``)}`,
  );
  return { live, body, theirs: othersFields, isUnseen: seen === undefined };
}

/** The settings, unless they are certainly gone: replicas may lack what this stack has just written. */
async function currentOf(
  operation: Operation,
  live: LiveObject | undefined,
  name: string,
  recorded: Values,
): Promise<LiveObject | undefined> {
  if (live && !isNone(operation, live)) return live;
  const presence = await confirmAbsence(operation, name, recorded);
  if (presence.is === "unknown") return { ...recorded, name };
  return presence.is === "there" ? presence.live : undefined;
}

const managedIn = (recorded: Values): string[] => [...new Set((recordsIn(recorded).managedFields ?? []).map(topLevel))];

/** The values of the managed fields after the removal, except for `othersFields`. */
function withoutDeclaration(spec: ResourceSpec, recorded: Values, othersFields: readonly string[] = []): Values {
  const managed = managedIn(recorded);
  const previous = removalOf(recorded) === "restorePrevious" ? (recordsIn(recorded).previous ?? {}) : {};
  const fields = spec.fields.message.filter(
    ({ name, markers }) =>
      managed.includes(name) &&
      !othersFields.includes(name) &&
      (!markers.sentIfChanged || previous[name] !== undefined),
  );
  return Object.fromEntries(fields.map(({ name }) => [name, previous[name] ?? null]));
}

/** Warns early of a rejected removal: an engine that deletes asks about one object at a time. */
function warnOfRemoval({ spec, call }: Operation, recorded: Values): void {
  if (removalOf(recorded) === "retain") return;
  const after = { ...recorded, ...withoutDeclaration(spec, recorded) };
  const objection = hooksOf(spec).beforeChange?.(recorded, after, recorded);
  if (!objection) return;
  call.reporter.warn(
    `removing it, as \`destroy\` does, will be refused: it ${objection.reason}. Set \`${objection.consent}: true\`, or \`onDelete: "retain"\`, before that.`,
  );
}

/** Values that the program does not set, sent back as read: a service that ignores the mask replaces everything. */
const others = (spec: ResourceSpec, live: LiveObject, body: Values): Values =>
  Object.fromEntries(
    spec.fields.message
      .filter((field) => !(field.name in body) && !field.markers.sentIfChanged && live[field.name] !== undefined)
      .map((field) => [field.name, live[field.name]]),
  );

/** Fields that differ from what this stack left: a refresh records what others set, and accepts none of it. */
function changedByOthers(spec: ResourceSpec, recorded: Values, live: LiveObject): string[] {
  const remainingFields = { ...recorded, ...recordsIn(recorded).accepted };
  return spec.fields.message
    .filter((field) => differences(asCompleteMessage(field), remainingFields[field.name], live[field.name]).length > 0)
    .map(({ name }) => name);
}

/** Settings exist once per account and always: creating them is an update (A060 to A063). */
export async function createSingleton(operation: CreateOperation, inputs: Values): Promise<Created> {
  const { spec, objects } = operation;
  const name = objects.nameOf("");
  const open = (await openAttempts(operation)).filter(({ place }) => place.name === name);
  const settings = await objects.find(name);
  // Empty settings have nothing to take over: they are created as if missing.
  const live = settings !== undefined && !isBlank(spec, settings) ? settings : undefined;
  if (live) await assertNotElsewhere(operation, { name }, "taken");
  const before = live ?? { name };
  assertConsent(spec, { before, after: projectedObject(spec, before, inputs) }, inputs);
  const begun = open.find(
    (each) => live !== undefined && each.version !== versionOf(live) && showsWhatWasSent(spec, live, each),
  );
  const sends = live === undefined || begun !== undefined || optionsIn(inputs).adopt === "overwrite";
  if (sends && live && !begun) warnOfOverwriting(operation, live, inputs);
  const found = live && setFields(spec, live);
  const { version, previous = null } = begun ?? { version: versionOf(live), previous: found };
  const wasSet = version !== undefined;
  const first = { live: settings ?? { name }, version, previous };
  const object = sends
    ? await change(operation, first, inputs).catch((error: unknown) =>
        recordHalf(operation, { live: settings, inputs, records: { previous, adopted: wasSet || undefined } }, error),
      )
    : await keep(operation, live, inputs);
  operation.resource.recordObject(name, inputs);
  reportOtherRecord(operation, name);
  if (begun) recordAttemptedUpdate(operation, name, inputs, begun);
  if (sends && live && !begun) reportAdopted(operation, name, "overwrite");
  const outputs = await operation.outputs(inputs, object, {
    previous,
    adopted: wasSet || undefined,
    answers: "create",
  });
  warnOfRemoval(operation, outputs);
  return { id: name, outputs };
}

/** After a rename, this run removes the other record. A run of targets may leave a second declaration's. */
function reportOtherRecord(operation: CreateOperation, name: string): void {
  const isOwn = isAmong(declarationUrns(operation));
  const other = recorderOf(operation, { name }, (_, urn) => !isOwn(urn));
  if (other === undefined) return;
  operation.call.reporter.info(
    `${operation.title(name)} is recorded for ${other}, too. If the program declares both, leave one of them out: each would undo the other's changes.`,
  );
}

/** Existing settings are adopted as they are, unless the program requires that none exist. */
async function keep(operation: CreateOperation, live: LiveObject, inputs: Values): Promise<LiveObject> {
  const { adopt: mode = "ifEqual" } = optionsIn(inputs);
  if (mode === "never") throw existsError(operation, live);
  return (await adopt(operation, live, inputs, { mode })).object;
}

const setFields = (spec: ResourceSpec, live: LiveObject): Values =>
  Object.fromEntries(
    spec.fields.message.filter(({ name }) => live[name] !== undefined).map(({ name }) => [name, live[name]]),
  );

/** Another stack, or a person, has set them: warns before they are overwritten. */
function warnOfOverwriting(operation: Operation, live: LiveObject, inputs: Values): void {
  const { spec, call, objects } = operation;
  const changes = changesBetween(spec, { ...live, accountId: objects.account }, inputs);
  const paths = changes.filter(({ effect }) => effect === "update").map(({ path }) => `\`${path}\``);
  if (paths.length === 0) return;
  call.reporter.warn(
    `${operation.title(live.name)} was set by somebody else, last at ${String(live["updateTime"] ?? "an unknown time")}: ${paths.join(", ")} is overwritten, as \`adopt\` says.`,
  );
}

/** The time of the last change, which anyone's change moves (A063). */
const versionOf = (object: LiveObject | undefined): string | undefined => object && String(object["updateTime"] ?? "");

function recordAttemptedUpdate(
  operation: Operation,
  name: string,
  inputs: Values,
  { version, previous }: CreateAttempt,
): void {
  const lost =
    version !== undefined && !previous && optionsIn(inputs).onDelete === "restorePrevious"
      ? " Its previous value is no longer known: removing the resource will clear it."
      : "";
  operation.call.reporter.warn(`${operation.title(name)} was changed by an interrupted run and is taken over.${lost}`);
}

/** Makes the settings what the program declares; the next run resumes an interrupted one. */
async function change(
  operation: Operation,
  { live, version, previous }: { live: LiveObject; version: string | undefined; previous: Values | null },
  inputs: Values,
): Promise<LiveObject> {
  const before = { version, previous: previous ?? undefined };
  const id = await recordAttempt(operation, inputs, { name: operation.objects.nameOf(""), ...before });
  return applyChanges(operation, live, inputs, { accountId: operation.objects.account }).catch((error: unknown) =>
    closeRejectedAttempt(operation, error, id),
  );
}

interface PartialWrite {
  live: LiveObject | undefined;
  inputs: Values;
  records: Partial<Records>;
}

/** Records what is live if a first write failed after the service had applied some of it. */
async function recordHalf(
  operation: CreateOperation,
  { live, inputs, records }: PartialWrite,
  error: unknown,
): Promise<never> {
  const { spec, objects } = operation;
  const name = objects.nameOf("");
  const now = await objects.find(name).catch(() => undefined);
  if (!now || agreesOn(spec, live ?? {}, now)) throw error;
  operation.resource.recordObject(name, inputs);
  throw toInitFailedError(name, await operation.outputs(inputs, now, records), error);
}

export async function updateSingleton(
  operation: Operation,
  name: string,
  recorded: Values,
  inputs: Values,
): Promise<Values> {
  const { spec, objects } = operation;
  const live = (await currentOf(operation, await objects.find(name), name, recorded)) ?? { name };
  const records = recordsIn(recorded);
  // A value that an interrupted run of this stack may have set is not a conflict with another writer.
  if (!(await mayBeChanged(operation, recordedIdentity(spec, name, recorded))))
    assertNoConflict(operation, recorded, live, inputs);
  assertConsent(spec, { before: live, after: projectedObject(spec, live, inputs, records) }, inputs);
  const { previous, resolutions } = records;
  const kept = { previous, resolutions, adopted: records.adopted || undefined };
  try {
    const after = await applyChanges(operation, live, inputs, records);
    const accepted = acceptedRecord(operation, { recorded, inputs, before: live, after });
    const outputs = await operation.outputs(inputs, after, { ...kept, ...accepted, answers: "update" });
    warnOfRemoval(operation, outputs);
    return outputs;
  } catch (error) {
    const now = await objects.find(name).catch(() => undefined);
    if (!now || versionOf(now) === versionOf(live)) throw error;
    const outputs = await operation.outputs(inputs, now, {
      ...kept,
      ...acceptedRecord(operation, { recorded, inputs, before: live, after: now }),
    });
    throw toInitFailedError(name, outputs, error);
  }
}

/** Rejects a change to settings in which somebody else has changed a value since they were recorded (A063). */
function assertNoConflict(operation: Operation, recorded: Values, live: LiveObject, inputs: Values): void {
  const { spec } = operation;
  const [was, is] = [recorded["updateTime"], live["updateTime"]];
  if (was === undefined || is === was) return;
  const pending = changesBetween(spec, { ...live, accountId: operation.objects.account }, inputs).filter(
    (change) => change.effect === "update",
  );
  const theirs = changedSince(spec, recorded, live);
  if (pending.length === 0 || theirs.length === 0) return;
  throw new ModelPlatformError(
    `${operation.title(live.name)} was not changed: someone else has changed ${theirs.map((change) => `\`${change}\``).join(", ")} since it was recorded (\`updateTime\` was ${String(was)} and is ${String(is)})`,
    {
      code: "changed-by-another",
      about: { object: live.name },
      answers: { refresh: true },
      advice: `Run ${stackCommand(operation, "refresh")} to see what changed, make the program agree or keep it as it is, and run ${stackCommand(operation, "up")}.`,
    },
  );
}

function changedSince(spec: ResourceSpec, recorded: Values, live: LiveObject): string[] {
  const changed: FieldChange["path"][] = [];
  for (const field of spec.fields.message) {
    const [was, is] = [recorded[field.name], live[field.name]];
    if (isUnset(field, was) && isUnset(field, is)) continue;
    if (JSON.stringify(was) !== JSON.stringify(is)) changed.push(field.name);
  }
  return changed;
}
