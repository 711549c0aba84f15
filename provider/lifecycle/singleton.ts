import { changesBetween, type FieldChange } from "../core/comparison/diff";
import { optionsIn } from "../core/declaration/options";
import { type Records, recordsIn } from "../core/declaration/own-records";
import type { ResourceSpec } from "../core/declaration/resource";
import { ModelPlatformError } from "../core/errors";
import { isUnset } from "../core/fields/equality";
import { stackCommand } from "./commands";
import { acceptedRecord, assertConsent, projectedObject } from "./comparison/acceptance";
import { closeRejectedAttempt, recordAttempt } from "./creation/send";
import { existsError } from "./creation/settle";
import { adopt, reportAdopted } from "./creation/take-over";
import type { CreateAttempt } from "./journal/history";
import {
  type CreateOperation,
  describeObject,
  outputsOf,
  type ResourceOperation,
  requestOptions,
} from "./operation/operation";
import { mayBeChanged, openAttempts, recordedIdentity } from "./ownership/facts";
import { agreesOn, applyChanges, toInitFailedError } from "./patching/apply";
import type { LiveObject } from "./ports/objects";
import { isBlank } from "./reading/read";
import { warnOfRemoval } from "./singleton-removal";
import type { Created, Values } from "./types";

/**
 * Settings exist once per account and always: creating them is an update, removing
 * them is what the program says (A060 to A063).
 */

export async function createSingleton(operation: CreateOperation, inputs: Values): Promise<Created> {
  const { spec, objects } = operation;
  const name = objects.nameOf("");
  const open = (await openAttempts(operation)).filter(({ place }) => place.name === name);
  const settings = await objects.find(name, requestOptions(operation));
  // Empty settings hold nothing to take over: they are created as if there were none.
  const live = settings !== undefined && !isBlank(spec, settings) ? settings : undefined;
  const before = live ?? { name };
  assertConsent(spec, { before, after: projectedObject(spec, before, inputs) }, inputs);
  const begun = open.find(({ version }) => live !== undefined && version !== versionOf(live));
  const sends = live === undefined || begun !== undefined || optionsIn(inputs).adopt === "overwrite";
  if (sends && live && !begun) warnOfOverwriting(operation, live, inputs);
  const previous = live && !begun ? setFields(spec, live) : null;
  const wasSet = begun ? begun.version !== undefined : live !== undefined;
  const first = { live: settings ?? { name }, version: begun ? begun.version : versionOf(live) };
  const object = sends
    ? await change(operation, first, inputs).catch((error: unknown) =>
        recordHalf(operation, { live: settings, inputs, records: { previous, adopted: wasSet || undefined } }, error),
      )
    : await keep(operation, live, inputs);
  operation.resource.recordObject(name, inputs);
  if (begun) recordAttemptedUpdate(operation, name, inputs, begun);
  if (sends && live && !begun) reportAdopted(operation, name, "overwrite");
  const outputs = await outputsOf(operation, inputs, object, {
    previous,
    adopted: wasSet || undefined,
    answers: "create",
  });
  warnOfRemoval(operation, outputs);
  return { id: name, outputs };
}

/** Settings that stand already are adopted as they are, unless the program says that there must be none. */
async function keep(operation: CreateOperation, live: LiveObject, inputs: Values): Promise<LiveObject> {
  const { adopt: mode = "ifEqual" } = optionsIn(inputs);
  if (mode === "never") throw existsError(operation, live);
  return (await adopt(operation, live, inputs, { mode })).object;
}

const setFields = (spec: ResourceSpec, live: LiveObject): Values =>
  Object.fromEntries(
    spec.fields.message.filter(({ name }) => live[name] !== undefined).map(({ name }) => [name, live[name]]),
  );

/** Another stack, or a person, has set them: whoever overwrites that is told before it is gone. */
function warnOfOverwriting(operation: ResourceOperation, live: LiveObject, inputs: Values): void {
  const { spec, call, objects } = operation;
  const changes = changesBetween(spec, { ...live, accountId: objects.account }, inputs);
  const paths = changes.filter(({ effect }) => effect === "update").map(({ path }) => `\`${path}\``);
  if (paths.length === 0) return;
  call.reporter.warn(
    `${describeObject(operation, live.name)} was set by somebody else, last at ${String(live["updateTime"] ?? "an unknown time")}: ${paths.join(", ")} is overwritten, as \`adopt\` says.`,
  );
}

/** The time of the last change: it moves with every change, by whomever (A063). */
const versionOf = (object: LiveObject | undefined): string | undefined => object && String(object["updateTime"] ?? "");

function recordAttemptedUpdate(
  operation: ResourceOperation,
  name: string,
  inputs: Values,
  { version }: Pick<CreateAttempt, "version">,
): void {
  const lost =
    version !== undefined && optionsIn(inputs).onDelete === "restorePrevious"
      ? " Its previous value is no longer known: removing the resource will clear it."
      : "";
  operation.call.reporter.warn(
    `${describeObject(operation, name)} was changed by an interrupted run and is taken over.${lost}`,
  );
}

/** Makes the settings what the program says; a run that is interrupted in between is resumed by the next one. */
async function change(
  operation: ResourceOperation,
  { live, version }: { live: LiveObject; version: string | undefined },
  inputs: Values,
): Promise<LiveObject> {
  const id = await recordAttempt(operation, inputs, { name: operation.objects.nameOf(""), version });
  return applyChanges(operation, live, inputs, { accountId: operation.objects.account }).catch((error: unknown) =>
    closeRejectedAttempt(operation, error, id),
  );
}

interface PartialWrite {
  live: LiveObject | undefined;
  inputs: Values;
  records: Partial<Records>;
}

/** A first write that failed after the service had made some of it is recorded as what it is. */
async function recordHalf(
  operation: CreateOperation,
  { live, inputs, records }: PartialWrite,
  error: unknown,
): Promise<never> {
  const { spec, objects } = operation;
  const name = objects.nameOf("");
  const now = await objects.find(name, requestOptions(operation)).catch(() => undefined);
  if (!now || agreesOn(spec, live ?? {}, now)) throw error;
  operation.resource.recordObject(name, inputs);
  throw toInitFailedError(name, await outputsOf(operation, inputs, now, records), error);
}

export async function updateSingleton(
  operation: ResourceOperation,
  name: string,
  recorded: Values,
  inputs: Values,
): Promise<Values> {
  const { spec, objects } = operation;
  const live = (await objects.find(name, requestOptions(operation))) ?? { name };
  const records = recordsIn(recorded);
  // What an interrupted run of this stack may have set is nobody else's.
  if (!(await mayBeChanged(operation, recordedIdentity(spec, name, recorded))))
    assertNoConflict(operation, recorded, live, inputs);
  assertConsent(spec, { before: live, after: projectedObject(spec, live, inputs, records.managedFields) }, inputs);
  const { previous, resolutions } = records;
  const kept = { previous, resolutions, adopted: records.adopted || undefined };
  try {
    const after = await applyChanges(operation, live, inputs, records);
    const accepted = acceptedRecord(operation, { recorded, inputs, before: live, after });
    const outputs = await outputsOf(operation, inputs, after, { ...kept, ...accepted, answers: "update" });
    warnOfRemoval(operation, outputs);
    return outputs;
  } catch (error) {
    const now = await objects.find(name, requestOptions(operation)).catch(() => undefined);
    if (!now || versionOf(now) === versionOf(live)) throw error;
    const outputs = await outputsOf(operation, inputs, now, {
      ...kept,
      ...acceptedRecord(operation, { recorded, inputs, before: live, after: now }),
    });
    throw toInitFailedError(name, outputs, error);
  }
}

/**
 * Refuses to change settings in which somebody else has changed a value since they were recorded (A063).
 */
function assertNoConflict(operation: ResourceOperation, recorded: Values, live: LiveObject, inputs: Values): void {
  const { spec } = operation;
  const [was, is] = [recorded["updateTime"], live["updateTime"]];
  if (was === undefined || is === was) return;
  const pending = changesBetween(spec, { ...live, accountId: operation.objects.account }, inputs).filter(
    (change) => change.effect === "update",
  );
  const theirs = changedSince(spec, recorded, live);
  if (pending.length === 0 || theirs.length === 0) return;
  throw new ModelPlatformError(
    `${describeObject(operation, live.name)} was not changed: someone else has changed ${theirs.map((change) => `\`${change}\``).join(", ")} since it was recorded (\`updateTime\` was ${String(was)} and is ${String(is)})`,
    {
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
