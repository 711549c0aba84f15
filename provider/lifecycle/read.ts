import { check } from "../core/check";
import { acceptedOf } from "../core/comparison/accepted";
import { managedFields } from "../core/comparison/desired";
import { derivedNames, inputsAfterRead, outputsAfterRead, recordedOutputs } from "../core/comparison/recorded";
import { type Records, recordsIn } from "../core/declaration/own-fields";
import type { ResourceSpec } from "../core/declaration/resource";
import { phaseOf } from "../core/declaration/states";
import { ConfigurationError } from "../core/errors";
import { isUnset } from "../core/fields/equality";
import type { Field } from "../core/fields/fields";
import { lastSegment, matchTemplate } from "../core/values/names";
import { objections, SecretPlaceholder, withSecretsFilled, writtenInputs } from "../core/written-inputs";
import { hooksOf } from "../kinds/index";
import type { SentDelete } from "./memory/history";
import type { ReadView } from "./memory/run";
import type { Operation } from "./operation";
import { declarationUrns, endWrites, isAmong, recordedIdentity } from "./ownership/journal";
import { ownOwnerOn } from "./ownership/owner";
import type { LiveObject } from "./ports";
import { restoreSentSecrets } from "./sources";
import type { ImportResult, ReadResult, Values } from "./types";
import { replicasAreCurrent, visibleAfterMs, waitForGoal } from "./waiting/operation-waits";
import { visible } from "./waiting/wait";

/**
 * The object, or undefined if it is certainly deleted. A succeeded job whose record is deleted is retired (A075). An
 * object that a stale replica may hide stays as recorded.
 */
export async function readObject(
  operation: Operation<ReadView>,
  name: string,
  recorded: Values,
): Promise<ReadResult | undefined> {
  const { spec, call, objects } = operation;
  if (!objects.isReadable && hasRecords(recorded)) {
    call.reporter.warn(`${unreadableText(operation, name)}.`);
    return { outputs: recorded, inputs: inputsAfterRead(spec, recorded, recorded) };
  }
  const presence = await presenceOf(operation, name, recorded);
  const asRecorded = (): Values => inputsAfterRead(spec, recorded, recorded);
  if (presence.is === "unknown") {
    operation.ports.state?.noteUnseen(isAmong(declarationUrns(operation)));
    operation.resource.noteUnseen(recordedIdentity(spec, name, recorded));
    call.reporter.warn(`${invisibleText(operation, name)}.`);
    return { outputs: recorded, inputs: asRecorded() };
  }
  if (presence.is === "gone")
    return outcomeOutlivesRecord(operation, recorded)
      ? { outputs: { ...recorded, retired: true }, inputs: asRecorded() }
      : undefined;
  const live = restoreSentSecrets(spec, presence.live, recorded);
  const known = hasRecords(recorded) ? recorded : { ...firstRecords(operation, name, recorded, live), ...recorded };
  const marks = recordsIn(known).marks ?? ownOwnerOn(operation, live);
  return {
    outputs: outputsAfterRead(spec, marks ? { ...known, marks } : known, live, objects.serviceSettings),
    inputs: inputsAfterRead(spec, known, live),
  };
}

async function presenceOf(operation: Operation, name: string, recorded: Values): Promise<Presence> {
  const { spec, objects } = operation;
  const live = await objects.read(name);
  if (live && phaseOf(spec.lifecycle, live) === "gone") return { is: "gone" };
  if (live && !isNone(operation, live)) return outlastDeletes(operation, live, recorded);
  if (!hasRecords(recorded) || outcomeOutlivesRecord(operation, recorded)) return { is: "gone" };
  return confirmAbsence(operation, name, recorded);
}

/** First records of an object that is looked up or imported. `input`: the program's options for it. */
function firstRecords({ spec, objects }: Operation, name: string, input: Values, live: Values): Values {
  const { resourceId } = spec.fields;
  const id = lastSegment(name);
  return {
    ...derivedNames(spec, objects.account, id, live),
    ...(resourceId && { [resourceId.name]: id }),
    accountId: objects.account,
    endpoint: objects.origin,
    accepted: acceptedOf(spec, live),
    managedFields: managedFields(spec, input),
  };
}

/** The program needs its result, which outlives its record. */
export const outcomeOutlivesRecord = ({ spec }: Pick<Operation, "spec">, recorded: Values): boolean =>
  spec.deletion === "forever" && phaseOf(spec.lifecycle, recorded) === "ready";

/** Settings that were never saved: everything unset, and no time of a change (A060). */
export function isNone({ spec }: Pick<Operation, "spec">, live: Values): boolean {
  return spec.singleton === true && (live["updateTime"] ?? undefined) === undefined && isBlank(spec, live);
}

/** Everything that a program could set is unset, in any form of response (A094). */
export const isBlank = (spec: ResourceSpec, live: Values): boolean =>
  spec.fields.message.every((field) => isUnset(field, live[field.name]));

/** The outputs of a resource that is only looked up carry no records yet. */
export const hasRecords = (outputs: Values): outputs is Values & Records =>
  typeof recordsIn(outputs).endpoint === "string";

/** Longest assumed lag of replicas, in milliseconds. */
export const longestLagMs = 600_000;

/** The shortest time between two polls, in milliseconds. */
const retryAfterMs = 2000;

type Presence = { is: "there"; live: LiveObject } | { is: "gone" } | { is: "unknown" };

/**
 * Whether an object that a read shows outlasts the deletes of this stack whose answers are unknown: replicas show what
 * one of them has removed for a while, so that only a read after that ends them.
 */
export async function outlastDeletes(operation: Operation, live: LiveObject, recorded: Values): Promise<Presence> {
  const { ports, spec } = operation;
  const { name } = live;
  const open = await openDeletesOf(operation, name, recorded);
  if (open.length === 0) return { is: "there", live };
  // Another machine's clock may be ahead.
  const sentAt = Math.min(ports.clock.now(), Math.max(...open.map(({ at }) => at)));
  const isCurrent = replicasAreCurrent(operation, sentAt);
  const isGone = (object: LiveObject): boolean => phaseOf(spec.lifecycle, object) === "gone";
  const isSatisfied = (object: LiveObject | undefined) => object !== undefined && (isGone(object) || isCurrent());
  const condition = { isSatisfied, endsOnFailure: false };
  const end = isCurrent() ? undefined : await waitForGoal(operation, { name, path: null, seen: live, condition });
  const last = end?.last ?? live;
  if (end?.how === "gone" || isGone(last)) return { is: "gone" };
  const ids = open.map(({ id }) => id);
  if (isCurrent()) await endWrites(operation, ids);
  return { is: "there", live: last };
}

/**
 * Why the URL and the list of a recorded object lack it. A stale replica lacks, in both, what is younger than its data.
 * So the object is deleted if it is older than any lag, if a delete of this stack's was sent, or if the list has
 * something younger. Otherwise it is polled again after the longest lag of this service.
 */
export async function confirmAbsence(operation: Operation, name: string, recorded: Values): Promise<Presence> {
  const age = await ageOf(operation, name, recorded);
  if (!(age < longestLagMs)) return { is: "gone" };
  const { clock, lag } = operation.ports;
  const { singleton = false } = operation.spec;
  const visibleBy = clock.now() + Math.max(visibleAfterMs - Math.max(age, 0), lag.longest, retryAfterMs);
  const isThere = (live: LiveObject | undefined): boolean => live !== undefined && !isNone(operation, live);
  const isSatisfied = (live: LiveObject | undefined) => isThere(live) || (singleton && clock.now() >= visibleBy);
  const condition = { ...visible, isSatisfied };
  const end = await waitForGoal(operation, { name, path: null, condition, visibleBy });
  if (end.how === "reached" && end.last && isThere(end.last)) return { is: "there", live: end.last };
  if (singleton && end.how === "reached") return { is: "gone" };
  if (end.how !== "gone") return { is: "unknown" };
  const isSent = (await openDeletesOf(operation, name, recorded)).length > 0;
  const isOldEnough = (await ageOf(operation, name, recorded)) >= longestLagMs;
  return isSent || isOldEnough || (await listShowsYounger(operation, name, recorded))
    ? { is: "gone" }
    : { is: "unknown" };
}

/** Deletes of the recorded object that this stack has sent, and whose end no run has seen. */
const openDeletesOf = async (operation: Operation, name: string, recorded: Values): Promise<SentDelete[]> =>
  (await operation.history()).openDeletes(recordedIdentity(operation.spec, name, recorded));

/** Whether this stack has created the object, or changed the settings, within the longest lag of a replica. */
export const isWrittenLately = async (operation: Operation, name: string, recorded: Values): Promise<boolean> =>
  (await ageOf(operation, name, recorded)) < longestLagMs;

/**
 * In milliseconds, by the service's own clock; of settings since their last change; of a kind without a creation time
 * by the journal, if this stack created the object on this machine. NaN if neither knows.
 */
async function ageOf(operation: Operation, name: string, recorded: Values): Promise<number> {
  const { objects, ports } = operation;
  const since = operation.spec.singleton ? recorded["updateTime"] : recorded["createTime"];
  if (since !== undefined) return (objects.serviceTime() ?? ports.clock.now()) - Date.parse(String(since));
  const created = (await operation.history()).object({ name, createTime: undefined })?.createdAt;
  return created === undefined ? Number.NaN : ports.clock.now() - created;
}

const createdAt = (object: Values): number => Date.parse(String(object["createTime"]));

/** A list shows its replica at one time: if that has a younger object and not this one, this one is deleted. */
async function listShowsYounger(operation: Operation, name: string, recorded: Values): Promise<boolean> {
  const { objects } = operation;
  let isYounger = false;
  for (const object of (await objects.recent()) ?? []) {
    if (object.name === name) return false;
    isYounger ||= createdAt(object) > createdAt(recorded);
  }
  return isYounger;
}

const unreadableText = (operation: Operation, name: string): string =>
  `${operation.title(name)} cannot be read: the setting \`operations\` turns off both the read and the list of its kind. It is taken to be as it is recorded`;

export const invisibleText = (operation: Operation, name: string): string =>
  `${operation.title(name)} is not visible: it may be gone, or younger than what this service's replicas show. It stays in the state. Run \`refresh\` again when it is ten minutes old`;

/** Rejects an id that is not the name of an object of this kind. */
export function assertNameOfKind({ kind, name }: ResourceSpec, id: string): void {
  if (matchTemplate(name, id)) return;
  throw new ConfigurationError(`${JSON.stringify(id)} is not the name of a ${kind}`, {
    code: "not-a-name",
    advice: `Give the whole resource name, of the form \`${name}\`.`,
  });
}

/** An object that no state records, with the inputs that a person would write for it. Undefined: it does not exist. */
export async function importObject(
  spec: ResourceSpec,
  name: string,
  open: () => Operation,
): Promise<ImportResult | undefined> {
  assertNameOfKind(spec, name);
  const operation = open();
  const { objects, ports } = operation;
  const live = await objects.find(name);
  if (!live || phaseOf(spec.lifecycle, live) === "gone" || isNone(operation, live)) return undefined;
  const written = writtenInputs(spec, live);
  const { inputs: known, notes } = withoutSealed(spec, written);
  const isDefault = ports.settings.accountId === objects.account;
  const inputs = isDefault ? known : { accountId: objects.account, ...known };
  const records = { accountId: objects.account, endpoint: objects.origin };
  const checked = check(spec, {}, { ...inputs, accountId: objects.account }).inputs;
  const against = objections(spec, live, withSecretsFilled(written, live)).map(
    (objection) => `no program can declare it as it is: ${objection}`,
  );
  return { inputs, outputs: recordedOutputs(spec, checked, live, records), remarks: [...notes, ...against] };
}

/** The inputs that an import can write, and notes on the others. */
function withoutSealed(spec: ResourceSpec, written: Values): { inputs: Values; notes: string[] } {
  const notes: string[] = [];
  const inputs = unwrapSecrets(written, notes) as Record<string, unknown>;
  for (const [name, source] of Object.entries(hooksOf(spec).onImport?.(written) ?? {})) {
    inputs[name] = source;
    notes.push(
      `\`${name}\` stands in for it: where ${JSON.stringify(source)} gives a value, \`up\` writes that; until then the live one counts as unchanged`,
    );
  }
  return { inputs, notes };
}

function unwrapSecrets(value: unknown, notes: string[]): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  const members = Object.entries(value).filter(([, member]) => {
    if (!(member instanceof SecretPlaceholder)) return true;
    if (member.isSet) notes.push(secretInputNote(member.field));
    return false;
  });
  return Object.fromEntries(members.map(([name, member]) => [name, unwrapSecrets(member, notes)]));
}

const secretInputNote = ({ path, markers }: Field): string =>
  markers.inputOnly
    ? `the service never gives \`${path}\` back, so it cannot be imported`
    : `\`${path}\` is a secret and is not written into the program; give it from the config if the program is to manage it`;
