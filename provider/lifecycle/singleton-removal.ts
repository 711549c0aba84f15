import type { Deletion } from "../../protocol/engine-state";
import { recordsIn } from "../core/declaration/own-records";
import type { ResourceSpec } from "../core/declaration/resource";
import { isModelPlatformError, ModelPlatformError, mayHaveCreated, problemOf } from "../core/errors";
import { asCompleteMessage, differences } from "../core/fields/equality";
import type { Field } from "../core/fields/fields";
import { snakeCase } from "../core/values/names";
import { topLevel } from "../core/values/paths";
import { hooksOf } from "../kinds/index";
import { assertConsent } from "./comparison/acceptance";
import { recordOptionFirstAdvice, removalOf } from "./deletion/protection";
import { describeObject, type ResourceOperation, requestOptions } from "./operation/operation";
import { replicasAreCurrent, waitForGoal } from "./operation/waits";
import { beginWrite, mayBeChanged, recordedIdentity } from "./ownership/facts";
import type { LiveObject } from "./ports/objects";
import { isNone } from "./reading/read";
import type { Values } from "./types";

/** Settings that exist once are not deleted: removing them is what the program says (A062). */

export async function resetSingleton(operation: ResourceOperation, name: string, recorded: Values): Promise<Deletion> {
  const { spec, objects, call } = operation;
  const mode = removalOf(recorded);
  if (mode === "retain") {
    call.reporter.info(
      `${describeObject(operation, name)} stays as it is; set \`onDelete\` to \`clear\` or \`restorePrevious\` to change that.`,
    );
    return "left";
  }
  const removal = await planRemoval(operation, name, recorded);
  if (!removal) return "deleted";
  const { live, body, theirs } = removal;
  if (theirs.length > 0)
    call.reporter.warn(
      `${describeObject(operation, name)}: ${theirs.map((field) => `\`${field}\``).join(", ")} stays as it is, because somebody else has changed it since this stack set it.`,
    );
  const mask = Object.keys(body)
    .filter((field) => JSON.stringify(live[field] ?? null) !== JSON.stringify(body[field]))
    .map(snakeCase);
  const end: Deletion = theirs.length > 0 ? "left" : "deleted";
  if (mask.length === 0) return end;
  // The journal's note of the change ends with the removal: until then, the state still has what may be cleared.
  const conclude = await beginWrite(operation, recordedIdentity(spec, name, recorded));
  await objects
    .update(name, { ...others(spec, live, body), ...body }, mask, {}, requestOptions(operation))
    .catch(async (error: unknown) => {
      if (!mayHaveCreated(error)) await conclude();
      return explainRefusal(operation, name)(error);
    });
  await verifyRemoval(operation, name, body);
  return end;
}

/** A service that keeps settings once they are saved: the way out is another `onDelete`. */
const explainRefusal =
  ({ call, ...operation }: ResourceOperation, name: string) =>
  (cause: unknown): never => {
    const isRefused = isModelPlatformError(cause) && [400, 403, 405, 409, 422, 501].includes(cause.status ?? 0);
    if (!isRefused) throw cause;
    throw new ModelPlatformError(
      `${describeObject({ call, ...operation }, name)} was not removed, the service refuses it: ${problemOf(cause)}`,
      {
        advice: `To leave it as it is, ${recordOptionFirstAdvice(call, '`onDelete: "retain"`, or `"restorePrevious"` for what was there before')}`,
        topic: "an-update-is-refused-or-loses-fields",
        cause,
      },
    );
  };

/** A service that ignores what clears a field would leave a policy in force that no state has any longer. */
async function verifyRemoval(operation: ResourceOperation, name: string, body: Values): Promise<void> {
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
    `${describeObject(operation, name)}: the service accepted the removal but did not make it: ${stays.map((field) => `\`${field.name}\``).join(", ")} ${stays.length === 1 ? "stands" : "stand"}`,
    {
      advice: `To keep what stands, ${recordOptionFirstAdvice(operation.call, '`onDelete: "retain"`')}`,
      topic: "an-update-is-refused-or-loses-fields",
    },
  );
}

/** What a removal sends; undefined where nothing is left to remove. Refuses one that would loosen the live policy. */
export async function planRemoval(
  operation: ResourceOperation,
  name: string,
  recorded: Values,
): Promise<{ live: LiveObject; body: Values; theirs: string[] } | undefined> {
  const { spec, objects, call } = operation;
  const live = await objects.find(name, requestOptions(operation));
  if (!live || isNone(operation, live)) return undefined;
  const changed = managedIn(recorded).filter((field) => changedByOthers(spec, recorded, live).includes(field));
  // What an interrupted run of this stack may have set is removed with the rest.
  const isOwn = changed.length > 0 && (await mayBeChanged(operation, recordedIdentity(spec, name, recorded)));
  const othersFields = isOwn ? [] : changed;
  const body = withoutDeclaration(spec, recorded, othersFields);
  assertConsent(spec, { before: live, after: { ...live, ...body } }, recorded, (consent) =>
    recordOptionFirstAdvice(call, `${consent}, or with \`onDelete: "retain"\``),
  );
  return { live, body, theirs: othersFields };
}

const managedIn = (recorded: Values): string[] => [...new Set((recordsIn(recorded).managedFields ?? []).map(topLevel))];

/** The values of the managed fields once the declaration is gone, but for `theirs`. */
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

/** Says early what the removal will be refused for: an engine that deletes asks about one object at a time. */
export function warnOfRemoval({ spec, call }: ResourceOperation, recorded: Values): void {
  if (removalOf(recorded) === "retain") return;
  const after = { ...recorded, ...withoutDeclaration(spec, recorded) };
  const objection = hooksOf(spec).beforeChange?.(recorded, after, recorded);
  if (!objection) return;
  call.reporter.warn(
    `removing it, as \`destroy\` does, will be refused: it ${objection.reason}. Set \`${objection.consent}: true\`, or \`onDelete: "retain"\`, before that.`,
  );
}

/**
 * A service that ignores the mask replaces everything, so values that the program does not set are sent back as they
 * were read.
 */
const others = (spec: ResourceSpec, live: LiveObject, body: Values): Values =>
  Object.fromEntries(
    spec.fields.message
      .filter((field) => !(field.name in body) && !field.markers.sentIfChanged && live[field.name] !== undefined)
      .map((field) => [field.name, live[field.name]]),
  );

/** Fields that are not as this stack has left them: a refresh takes in what others have set, and accepts none of it. */
function changedByOthers(spec: ResourceSpec, recorded: Values, live: LiveObject): string[] {
  const remainingFields = { ...recorded, ...recordsIn(recorded).accepted };
  return spec.fields.message
    .filter((field) => differences(asCompleteMessage(field), remainingFields[field.name], live[field.name]).length > 0)
    .map(({ name }) => name);
}
