import {
  hiddenInput,
  type RecordedSettings,
  type Records,
  recordNames,
  recordsIn,
  reservedInputs,
} from "../declaration/own-fields";
import type { ResourceSpec } from "../declaration/resource";
import { hasReachedGoal } from "../declaration/states";
import { valueFollowing } from "../declaration/surface";
import { differences, isCompared, type Resolution } from "../fields/equality";
import { type Field, fieldsByName } from "../fields/fields";
import { isOwnerKey, withoutOwnerEntries } from "../fields/owner";
import { lastSegment } from "../values/names";
import { memoizeByKey } from "../values/once";
import { isObject, omitUndefined, topLevel, type Values } from "../values/values";
import { acceptedOf } from "./accepted";
import { managedFields } from "./desired";
import { effectOf } from "./diff";

/** What to record beside an object. `resolutions` are those that stood before. */
interface RecordingOptions extends Omit<Records, "managedFields"> {
  /** The own write of these inputs that the object is the answer to; absent where it is the answer to none. */
  answers?: WriteKind | undefined;
}

export type WriteKind = "create" | "update";

/**
 * The outputs to record for an object: the service's message, the program's options, and this provider's
 * own records. What a program gave in another spelling than the service answers is kept in
 * `resolutions`, so that a read can give it back as it was.
 */
export function recordedOutputs(
  spec: ResourceSpec,
  inputs: Values,
  message: Values,
  { answers, resolutions: before, ...records }: RecordingOptions,
): Record<string, unknown> {
  const stored = storedMessage(spec, message);
  const id = lastSegment(String(message["name"]));
  const { resourceId } = spec.fields;
  return {
    ...stored,
    ...echoedSecrets(spec, inputs, stored),
    ...recordedOptions(spec, inputs),
    ...(resourceId && { [resourceId.name]: id }),
    ...omitUndefined({ [hiddenInput]: inputs[hiddenInput] }),
    ...derivedNames(spec, records.accountId, id, message),
    accepted: acceptedOf(spec, stored),
    ...omitUndefined(records),
    managedFields: managedFields(spec, inputs),
    resolutions: { ...idResolution(spec, inputs, id), ...resolutionsOf(spec, { inputs, stored, answers, before }) },
  };
}

/**
 * The outputs after a read: the live message, everything that was recorded beside it, and what was accepted before. A
 * wait that timed out is over once the object is what the program waits for.
 */
export function outputsAfterRead(
  spec: ResourceSpec,
  recorded: Values,
  message: Values,
  serviceSettings?: RecordedSettings,
): Record<string, unknown> {
  const own = answeredFields(spec);
  const left = new Set(["serviceSettings", ...(hasReachedGoal(spec, message, recorded) ? ["awaited"] : [])]);
  const kept = Object.entries(recorded).filter(
    ([name]) => (!own.has(name) || Object.hasOwn(spec.derived, name)) && !left.has(name),
  );
  const stored = storedMessage(spec, message);
  const secrets = spec.fields.message.filter((field) => field.markers.secret && recorded[field.name] !== undefined);
  return {
    ...Object.fromEntries(kept),
    ...stored,
    ...omitUndefined({ accepted: acceptedOf(spec, recorded), serviceSettings }),
    ...Object.fromEntries(secrets.map((field) => [field.name, secretAfterRead(field, recorded, stored[field.name])])),
  };
}

/**
 * The outputs of an object that an operation leaves before it is what the program waits for, or with a change of which
 * it has not seen the end (`isSent`). Engines forget at a refresh that the operation failed; what is recorded beside
 * the object stays.
 */
export function withOpenWait(spec: ResourceSpec, inputs: Values, outputs: Values, isSent = false): Values {
  const isOpen = spec.lifecycle !== undefined && (isSent || !hasReachedGoal(spec, outputs, inputs));
  return isOpen ? { ...outputs, awaited: true } : outputs;
}

/** Keeps what the program gave and no answer has; the rest is as answered. */
function secretAfterRead(field: Field, recorded: Values, live: unknown): unknown {
  const recordedInput = inputOf(field, recorded[field.name], undefined, new Set(recordsIn(recorded).managedFields));
  return isObject(recordedInput) && isObject(live) ? { ...live, ...recordedInput } : (live ?? recorded[field.name]);
}

/** The inputs as the program last gave them, rebuilt from what was recorded. */
export function recordedInputs(spec: ResourceSpec, recorded: Values): Record<string, unknown> {
  const records = recordsIn(recorded);
  const paths = new Set(records.managedFields ?? []);
  const managed = new Set([...paths].map(topLevel));
  const fields = spec.fields.message.filter((field) => managed.has(field.name) && !field.markers.volatile);
  const options = [...spec.fields.behaviours, ...spec.fields.directives].map((field) => field.name);
  const names = ["accountId", ...options, ...reservedInputs];
  const { resourceId } = spec.fields;
  const inputFields = resourceId && managed.has(resourceId.name) ? [resourceId, ...fields] : fields;
  return {
    ...Object.fromEntries(
      inputFields.map((field) => [
        field.name,
        inputOf(field, recorded[field.name], records.resolutions?.[field.name], paths),
      ]),
    ),
    ...Object.fromEntries(names.filter((name) => recorded[name] !== undefined).map((name) => [name, recorded[name]])),
  };
}

/**
 * The program's inputs as a read finds them: what is still as the program set it stays in the program's spelling, what
 * differs is the live value, so that an engine sees the drift; what the program does not set stays out.
 */
export function inputsAfterRead(spec: ResourceSpec, recorded: Values, message: Values): Record<string, unknown> {
  const inputs = recordedInputs(spec, recorded);
  const resolutions = recordsIn(recorded).resolutions;
  for (const field of spec.fields.message) {
    if (!Object.hasOwn(inputs, field.name) || !isCompared(field)) continue;
    const drifted = differences(field, inputs[field.name], message[field.name], resolutions?.[field.name]).length > 0;
    if (drifted) inputs[field.name] = liveInput(field, inputs[field.name], message[field.name]);
  }
  return inputs;
}

/**
 * Of a message that the service completes, only members that the program sets are inputs; of a map, only keys that it
 * may set.
 */
function liveInput(field: Field, input: unknown, live: unknown): unknown {
  const { keyPrefix } = field.markers;
  if (keyPrefix !== undefined && isObject(live))
    return Object.fromEntries(
      Object.entries(live).filter(([key]) => key.startsWith(keyPrefix) && !isOwnerKey(field, key)),
    );
  const shared = field.type === "object" && !field.markers.whole && isObject(input) && isObject(live);
  if (!shared) return live ?? null;
  return Object.fromEntries(Object.keys(input).map((name) => [name, live[name] ?? null]));
}

function inputOf(
  field: Field,
  recorded: unknown,
  resolution: Resolution | undefined,
  managed: ReadonlySet<string>,
): unknown {
  if (resolution) return resolution.input;
  if (field.type !== "object" || !isObject(recorded)) return recorded ?? null;
  const members = Object.keys(recorded).filter((name) =>
    field.fields?.some((member) => member.name === name) ? managed.has(`${field.path}.${name}`) : field.open,
  );
  return Object.fromEntries(members.map((name) => [name, recorded[name]]));
}

/** An answer without what must not be recorded: input-only values, and signed URLs that differ on each read (A097). */
export function storedMessage(spec: ResourceSpec, message: Values): Record<string, unknown> {
  const fields = answeredFields(spec);
  const kept = Object.entries(message).filter(
    ([name, value]) => value !== undefined && isStored(name, fields.get(name)),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, storableValue(fields.get(name), value)]));
}

/** What an answer may have, by name; what the message declares comes before an output of its name. */
const answeredFields = memoizeByKey(({ fields }: ResourceSpec) => fieldsByName([...fields.outputs, ...fields.message]));

const isStored = (name: string, field: Field | undefined): boolean =>
  !field?.markers.volatile &&
  !field?.markers.inputOnly &&
  !recordNames.includes(name as keyof Records) &&
  !reservedInputs.has(name);

function storableValue(field: Field | undefined, value: unknown): unknown {
  if (field?.markers.carriesOwner) return withoutOwnerEntries(field, value);
  if (field?.type !== "object" || !isObject(value)) return value;
  const hidden = (field.fields ?? []).filter((member) => member.markers.inputOnly).map((member) => member.name);
  return Object.fromEntries(Object.entries(value).filter(([name]) => !hidden.includes(name)));
}

/** Secrets that the program gave stay readable for a refresh, as ciphertext: the adapter marks them. */
function echoedSecrets(spec: ResourceSpec, inputs: Values, stored: Values): Record<string, unknown> {
  const fields = spec.fields.message.filter(
    (field) =>
      field.markers.secret &&
      !field.markers.volatile &&
      inputs[field.name] !== undefined &&
      inputs[field.name] !== null,
  );
  return Object.fromEntries(
    fields.map((field) => [field.name, withLiveMembers(inputs[field.name], stored[field.name])]),
  );
}

const withLiveMembers = (input: unknown, live: unknown): unknown =>
  isObject(input) && isObject(live) ? { ...live, ...input } : input;

/** Options and directives as the program gave them: a later delete sees the recorded outputs only. */
function recordedOptions(spec: ResourceSpec, inputs: Values): Record<string, unknown> {
  const options = [...spec.fields.behaviours, ...spec.fields.directives].filter(
    (field) => inputs[field.name] !== undefined,
  );
  return Object.fromEntries(options.map((field) => [field.name, inputs[field.name]]));
}

/**
 * Names that follow from an object's own fields, such as that of a job's output
 * model (A070); none where a field makes no name.
 */
export function derivedNames(spec: ResourceSpec, account: string, id: string, message: Values): Record<string, string> {
  const entries = Object.entries(spec.derived).flatMap(([output, following]) => {
    const value = valueFollowing(following, { account, id }, message);
    return value === undefined ? [] : [[output, value] as const];
  });
  return Object.fromEntries(entries);
}

/** The id that the program asked for, where the service gave another (A016). */
function idResolution(
  { fields: { resourceId } }: ResourceSpec,
  inputs: Values,
  id: string,
): Record<string, Resolution> {
  const input = resourceId && inputs[resourceId.name];
  return input === undefined || input === id ? {} : { [resourceId!.name]: { input, value: id } };
}

interface ResolutionContext {
  inputs: Values;
  stored: Values;
  answers: WriteKind | undefined;
  before: Readonly<Record<string, Resolution>> | undefined;
}

/**
 * What the program wrote one way and the service answers in another (A033, A045, A047, A094), or may come to answer in
 * another without anyone minding (A070). Of secrets only that they are cleared.
 */
function resolutionsOf(spec: ResourceSpec, resolving: ResolutionContext): Record<string, Resolution> {
  const { inputs, stored } = resolving;
  const fields = spec.fields.message.filter(
    (field) =>
      inputs[field.name] !== undefined &&
      (!field.markers.secret || inputs[field.name] === null) &&
      !field.markers.inputOnly,
  );
  const spelt = fields.filter(
    (field) => field.markers.recordedOnly || JSON.stringify(inputs[field.name]) !== JSON.stringify(stored[field.name]),
  );
  return Object.fromEntries(spelt.map((field) => [field.name, resolutionOf(field, resolving)]));
}

/**
 * The response to our own write is kept (A033), except for fields that guard people (A049): those are set back. An
 * update does not decide about fields that cannot change: they keep their earlier resolution.
 */
function resolutionOf(field: Field, { inputs, stored, answers, before }: ResolutionContext): Resolution {
  const { name, markers } = field;
  const resolution = { input: inputs[name], value: markers.secret ? null : (stored[name] ?? null) };
  if (!isCompared(field) || markers.watched || differences(field, inputs[name], stored[name]).length === 0)
    return resolution;
  const isAnswered = answers === "create" || (answers === "update" && effectOf(field, inputs) !== "replace");
  return isAnswered ? { ...resolution, stands: true } : before?.[name]?.stands ? before[name] : resolution;
}
