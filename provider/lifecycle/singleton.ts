import { changesBetween, type FieldChange } from "../core/comparison/diff";
import { optionsIn } from "../core/declaration/options";
import { recordsIn } from "../core/declaration/own-records";
import type { ResourceSpec } from "../core/declaration/resource";
import { ModelPlatformError } from "../core/errors";
import { differences, entire, isUnset } from "../core/fields/equality";
import { loosened } from "../core/rules/loosening";
import { snakeCase } from "../core/values/names";
import { topLevel } from "../core/values/paths";
import { acceptance } from "./comparison/acceptance";
import { afterwards, inWords, refuseLoosening } from "./comparison/loosening";
import { announce, rejectRefused } from "./creation/send";
import { adopt, reportAdopted } from "./creation/take-over";
import { recordFirst } from "./deletion/advice";
import { removalOf } from "./deletion/deletion-mode";
import { stackOf } from "./identity/ids";
import { historiesOf } from "./journal/histories";
import type { CreateAttempt } from "./journal/history";
import {
  type CreateOperation,
  outputsOf,
  type ResourceOperation,
  requestOptions,
  titleOf,
} from "./operation/operation";
import { openAttempts } from "./ownership/facts";
import { applyChanges, initFailure } from "./patching/apply";
import type { LiveObject } from "./ports/objects";
import type { Ports } from "./ports/ports";
import { isBlank, isNone } from "./reading/read";
import type { Call, Created, Values } from "./types";

/**
 * Settings exist once per account and always: creating them is an update, removing
 * them is what the program says (A060 to A063).
 */

export async function createSingleton(operation: CreateOperation, inputs: Values): Promise<Created> {
  const { spec, objects } = operation;
  const name = objects.nameOf("");
  const open = (await openAttempts(operation)).filter(({ place }) => place.name === name);
  const found = await objects.find(name, requestOptions(operation));
  // Empty settings hold nothing to take over: they are created as if there were none.
  const live = found !== undefined && !isBlank(spec, found) ? found : undefined;
  const before = live ?? { name };
  refuseLoosening(spec, { before, after: afterwards(spec, before, inputs) }, inputs);
  const begun = open.find(({ version }) => live !== undefined && version !== versionOf(spec, live));
  if (begun) reportBegun(operation, name, inputs, begun);
  const sends = live === undefined || begun !== undefined || optionsIn(inputs).adopt === "overwrite";
  if (sends && live && !begun) warnOfOverwriting(operation, live, inputs);
  const object = sends
    ? await change(operation, found ?? { name }, inputs, begun ? begun.version : versionOf(spec, live))
    : (await adopt(operation, live, inputs)).object;
  operation.resource.hold(name, inputs);
  const previous = live && !begun ? setFields(spec, live) : null;
  const wasSet = begun ? begun.version !== undefined : live !== undefined;
  if (sends && live && !begun) reportAdopted(operation, name, "overwrite");
  const outputs = await outputsOf(operation, inputs, object, {
    previous,
    adopted: wasSet || undefined,
    answers: "create",
  });
  warnOfRemoval(operation, outputs);
  return { id: name, outputs };
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
    `${titleOf(operation, live.name)} was set by somebody else, last at ${String(live["updateTime"] ?? "an unknown time")}: ${paths.join(", ")} is overwritten, as \`adopt\` says.`,
  );
}

/** An account has its settings once: of two stacks that set them, each would undo what the other has set. */
export async function otherStacksWith(
  ports: Ports,
  spec: ResourceSpec,
  { hidden }: Call,
  inputs: Values,
): Promise<string[]> {
  const account = String(optionsIn(inputs).accountId ?? (await ports.defaultAccount()));
  const { origin, nameOf } = await ports.objects(spec.kind, account);
  const name = nameOf("");
  const histories = await historiesOf(ports.journal, origin, account);
  return histories
    .flatMap((history) => history.object({ name })?.holder ?? [])
    .filter((holder) => stackOf(holder) !== stackOf(hidden.urn))
    .map(
      (holder) =>
        `${holder} has these settings, and the account ${account} has them once: each of the two would undo what the other has set. Declare them in one of the two stacks, and destroy them in the other.`,
    );
}

const versionOf = (spec: ResourceSpec, object: LiveObject | undefined): string | undefined =>
  object && String(object[spec.versionField ?? ""] ?? "");

function reportBegun(
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
    `${titleOf(operation, name)} was changed by an interrupted run and is taken over.${lost}`,
  );
}

/** Makes the settings what the program says; a run that is interrupted in between is resumed by the next one. */
async function change(
  operation: ResourceOperation,
  live: LiveObject,
  inputs: Values,
  version: string | undefined,
): Promise<LiveObject> {
  const id = await announce(operation, inputs, { name: operation.objects.nameOf(""), version });
  return applyChanges(operation, live, inputs, { accountId: operation.objects.account }).catch((error: unknown) =>
    rejectRefused(operation, error, id),
  );
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
  refuseConflict(operation, recorded, live, inputs);
  refuseLoosening(spec, { before: live, after: afterwards(spec, live, inputs, records.managedFields) }, inputs);
  const { previous, resolutions } = records;
  const kept = { previous, resolutions, adopted: records.adopted || undefined };
  try {
    const after = await applyChanges(operation, live, inputs, records);
    const accepted = acceptance(spec, { recorded, inputs, before: live, after: after });
    const outputs = await outputsOf(operation, inputs, after, { ...kept, ...accepted, answers: "update" });
    warnOfRemoval(operation, outputs);
    return outputs;
  } catch (error) {
    const now = await objects.find(name, requestOptions(operation)).catch(() => undefined);
    if (!now || now[spec.versionField ?? ""] === live[spec.versionField ?? ""]) throw error;
    const outputs = await outputsOf(operation, inputs, now, {
      ...kept,
      ...acceptance(spec, { recorded, inputs, before: live, after: now }),
    });
    throw initFailure(name, outputs, error);
  }
}

export async function removeSingleton(operation: ResourceOperation, name: string, recorded: Values): Promise<void> {
  const { spec, objects, call } = operation;
  const mode = removalOf(recorded);
  if (mode === "retain")
    return call.reporter.info(
      `${titleOf(operation, name)} stays as it is; set \`onDelete\` to \`clear\` or \`restorePrevious\` to change that.`,
    );
  const removal = await planRemoval(operation, name, recorded);
  if (!removal) return;
  const { live, body, theirs } = removal;
  if (theirs.length > 0)
    call.reporter.warn(
      `${titleOf(operation, name)}: ${theirs.map((field) => `\`${field}\``).join(", ")} stays as it is, because somebody else has changed it since this stack set it.`,
    );
  const mask = Object.keys(body)
    .filter((field) => JSON.stringify(live[field] ?? null) !== JSON.stringify(body[field]))
    .map(snakeCase);
  if (mask.length > 0)
    await objects.update(name, { ...others(spec, live, body), ...body }, mask, {}, requestOptions(operation));
}

/** What a removal sends; undefined where nothing is left to remove. Refuses one that would loosen what is live. */
export async function planRemoval(
  operation: ResourceOperation,
  name: string,
  recorded: Values,
): Promise<{ live: LiveObject; body: Values; theirs: string[] } | undefined> {
  const { spec, objects, call } = operation;
  const live = await objects.find(name, requestOptions(operation));
  if (!live || isNone(operation, live)) return undefined;
  const theirs = managedIn(recorded).filter((field) => changedByOthers(spec, recorded, live).includes(field));
  const body = withoutDeclaration(spec, recorded, theirs);
  const advice = recordFirst(call, '`allowLoosening: true`, or with `onDelete: "retain"`');
  refuseLoosening(spec, { before: live, after: { ...live, ...body } }, recorded, advice);
  return { live, body, theirs };
}

const managedIn = (recorded: Values): string[] => [...new Set((recordsIn(recorded).managedFields ?? []).map(topLevel))];

/** The values of the managed fields once the declaration is gone, but for `theirs`. */
function withoutDeclaration(spec: ResourceSpec, recorded: Values, theirs: readonly string[] = []): Values {
  const managed = managedIn(recorded);
  const previous = removalOf(recorded) === "restorePrevious" ? (recordsIn(recorded).previous ?? {}) : {};
  const fields = spec.fields.message.filter(
    ({ name, markers }) =>
      managed.includes(name) && !theirs.includes(name) && (!markers.sentIfChanged || previous[name] !== undefined),
  );
  return Object.fromEntries(fields.map(({ name }) => [name, previous[name] ?? null]));
}

/** Says early what the removal will be refused for: an engine that deletes asks about one object at a time. */
function warnOfRemoval({ spec, call }: ResourceOperation, recorded: Values): void {
  if (!spec.loosening || removalOf(recorded) === "retain" || optionsIn(recorded).allowLoosening === true) return;
  const opened = loosened(spec.loosening, recorded, { ...recorded, ...withoutDeclaration(spec, recorded) });
  if (opened.length === 0) return;
  call.reporter.warn(
    `removing it, as \`destroy\` does, will be refused: it would loosen the account's policy: ${opened.map(inWords).join("; ")}. Set \`allowLoosening: true\`, or \`onDelete: "retain"\`, before that.`,
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

/**
 * Refuses to change settings in which somebody else has changed a value since they were recorded (A063).
 */
function refuseConflict(operation: ResourceOperation, recorded: Values, live: LiveObject, inputs: Values): void {
  const { spec } = operation;
  const version = spec.versionField;
  if (version === undefined || recorded[version] === undefined || live[version] === recorded[version]) return;
  const pending = changesBetween(spec, { ...live, accountId: operation.objects.account }, inputs).filter(
    (change) => change.effect === "update",
  );
  const theirs = changedSince(spec, recorded, live);
  if (pending.length === 0 || theirs.length === 0) return;
  throw new ModelPlatformError(
    `${titleOf(operation, live.name)} was not changed: someone else has changed ${theirs.map((change) => `\`${change}\``).join(", ")} since it was recorded (\`${version}\` was ${String(recorded[version])} and is ${String(live[version])})`,
    {
      advice: "Run `refresh` to see what changed, make the program agree or keep it as it is, and run `up` again.",
    },
  );
}

/** Fields that are not as this stack has left them: a refresh takes in what others have set, and accepts none of it. */
function changedByOthers(spec: ResourceSpec, recorded: Values, live: LiveObject): string[] {
  const left = { ...recorded, ...recordsIn(recorded).accepted };
  return spec.fields.message
    .filter((field) => differences(entire(field), left[field.name], live[field.name]).length > 0)
    .map(({ name }) => name);
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
