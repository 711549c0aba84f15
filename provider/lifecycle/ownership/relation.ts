import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { RecordedUrn } from "../../../io/text/urns";
import { changesBetween } from "../../core/comparison/diff";
import type { ResourceSpec } from "../../core/declaration/resource";
import { phaseOf } from "../../core/declaration/states";
import { isUnset, normalizeText } from "../../core/fields/equality";
import type { Field } from "../../core/fields/fields";
import { isOwnerKey, ownerIn } from "../../core/fields/owner";
import { foldAscii } from "../../core/values/letter-case";
import { lastSegment } from "../../core/values/names";
import { createMessage, encode } from "../../core/wire/messages";
import type { CreateAttempt, ObjectHistory, SentDigests, SentFact } from "../memory/history";
import { idSourceOf, inputsDigest, isAutomatic, underEachName } from "../memory/identity";
import type { Operation } from "../operation";
import type { LiveObject, ObjectCollection } from "../ports";
import type { Values } from "../types";
import {
  automaticNameIn,
  declarationUrns,
  identityOf,
  isAmong,
  isRecordedByEngine,
  otherRecordOf,
  recordedIdentity,
  slotOf,
} from "./journal";
import { foreignOwnerOf, isStillRecorded, ownerBy, ownOwnerOn } from "./owner";
import { isUnrecorded, type Relation } from "./verdicts";

/**
 * Whether the live object has every field as the program's inputs would have created it. Ignores fields that responses
 * never contain.
 */
function matchesInputs(spec: ResourceSpec, account: string, live: LiveObject, inputs: Values): boolean {
  const repeated = new Set(spec.fields.message.filter(isRepeated).map((field) => field.name));
  return !changesBetween(spec, { ...live, accountId: account, resolutions: {} }, inputs).some(
    ({ property, effect }) => effect !== "record" && repeated.has(property),
  );
}

/** Digests of what a create sends and responses repeat. */
export function digestsOfSent(spec: ResourceSpec, inputs: Values, salt: string): SentDigests {
  const message = createMessage(spec, inputs);
  const fields = spec.fields.message
    .filter((field) => isRepeated(field) && message[field.name] !== undefined)
    .flatMap((field) => leaves(field, message[field.name], field.name))
    .map(([path, text]) => [path, digest(salt, text)] as const);
  return { salt, fields: Object.fromEntries(fields) };
}

/** Whether the live object has all values that the create sent, as far as the journal has them. */
export function showsWhatWasSent(spec: ResourceSpec, live: LiveObject, { sent }: Pick<SentFact, "sent">): boolean {
  if (!sent) return false;
  const { salt, fields } = sent;
  const liveLeaves = new Map(spec.fields.message.flatMap((field) => leaves(field, live[field.name], field.name)));
  return Object.entries(fields).every(([path, sent]) => digest(salt, liveLeaves.get(path) ?? "null") === sent);
}

/**
 * Whether the live object has a value that is not among `sent` and that the service does not set by itself: a text, a
 * label or a number that is no default was set by a user.
 */
const hasUnsentFields = (spec: ResourceSpec, live: LiveObject, sent: ReadonlySet<string>): boolean =>
  spec.fields.message.some(
    (field) =>
      field.name !== spec.host?.claim && addsTo({ field, value: live[field.name], path: field.name }, live, sent),
  );

/** Whether the live object has what these inputs send, and no more than that and what the service sets by itself. */
export const showsOnlyInputs = ({ spec, objects }: Operation, live: LiveObject, inputs: Values): boolean =>
  matchesInputs(spec, objects.account, live, inputs) &&
  !hasUnsentFields(spec, live, new Set(Object.keys(digestsOfSent(spec, inputs, "").fields)));

/** The value of a field at a path of an object. */
interface LiveField {
  field: Field;
  value: unknown;
  path: string;
}

function addsTo({ field, value, path }: LiveField, live: Values, sent: ReadonlySet<string>): boolean {
  if (!isRepeated(field) || isSetByService(field) || sent.has(path) || isUnset(field, value)) return false;
  if (field.type === "object" && typeof value === "object" && value !== null)
    return (field.fields ?? []).some((member) =>
      addsTo({ field: member, value: (value as Values)[member.name], path: `${path}.${member.name}` }, live, sent),
    );
  const text = JSON.stringify(inOneSpelling(field, encode(field, value)));
  return text !== "[]" && text !== JSON.stringify(defaultOf(field, live)) && !isDocumentedDefault(field, value);
}

/** If only the description states the default, it is between backticks. */
const isDocumentedDefault = ({ markers }: Field, value: unknown): boolean =>
  markers.default?.includes(`\`${String(value)}\``) === true;

/** The service fills it in, moves it, or takes it from another object. */
const isSetByService = ({ markers }: Field): boolean =>
  markers.serverDefault === true || markers.serverMoved === true || markers.outputOnly === true || !!markers.ownedBy;

function defaultOf({ markers: { resetTo } }: Field, live: Values): unknown {
  return typeof resetTo === "object" ? Math.max(Number(live[resetTo.largerOf[0]] ?? 0), resetTo.largerOf[1]) : resetTo;
}

/** Responses repeat a field as it was sent, unless the service resolves, moves or chooses its value. */
const isRepeated = ({ markers }: Field): boolean =>
  !markers.inputOnly &&
  !markers.deprecated &&
  !markers.volatile &&
  markers.sameAs !== "resolvedVersion" &&
  markers.anyValue === undefined;

const digest = (salt: string, text: string): string => createHash("sha256").update(salt).update(text).digest("hex");

/** Values by path in one spelling; a message by its members, because a service fills in those that were not sent. */
function leaves(field: Field, value: unknown, path: string): [path: string, text: string][] {
  if (isUnset(field, value)) return [];
  if (field.type === "object" && typeof value === "object" && value !== null)
    return (field.fields ?? []).flatMap((member) =>
      leaves(member, (value as Values)[member.name], `${path}.${member.name}`),
    );
  return [[path, JSON.stringify(inOneSpelling(field, encode(field, value)))]];
}

function inOneSpelling(field: Field, value: unknown): unknown {
  if (Array.isArray(value)) {
    const entries = value.map((entry) => (field.item ? inOneSpelling(field.item, entry) : entry));
    return field.markers.setOf ? entries.map((entry) => JSON.stringify(entry)).sort() : entries;
  }
  if (typeof value === "object" && value !== null)
    return Object.entries(value)
      .filter(([key]) => key.startsWith(field.markers.keyPrefix ?? "") && !isOwnerKey(field, key))
      .sort(([one], [other]) => (one < other ? -1 : 1));
  if (typeof value === "number") return field.markers.float32 ? Math.fround(value) : value;
  if (typeof value !== "string") return value;
  if (field.markers.sameAs === "freeText") return normalizeText(value);
  return field.markers.sameAs === "letterCase" ? foldAscii(value) : value;
}

/** What a live object is to the declaration that meets it, by the journal, the run and the object itself. */
export interface OwnershipMatch {
  relation: Relation;
  /** The other declaration that holds it. */
  urn?: string | undefined;
  /** The evidence for "possible", if it is not a lost response. */
  because?: "refused" | "state" | undefined;
  /** What is known of it. */
  object: ObjectHistory | undefined;
}

/** What else is known of an object that a declaration meets. */
interface ClassifyOptions {
  /** The outputs that a state holds for this declaration. */
  recorded?: Values | undefined;
  /** A request of the current create has lost its response, and none of an earlier run has. */
  isResponseLost?: boolean;
}

/** What the live object is to this declaration, which declares these inputs. */
export async function classifyOwnership(
  operation: Operation,
  live: LiveObject,
  inputs: Values,
  { recorded, isResponseLost = false }: ClassifyOptions = {},
): Promise<OwnershipMatch> {
  const { spec } = operation;
  const history = await operation.history();
  const identity = identityOf(live);
  const object = history.object(identity);
  const mine = declarationUrns(operation, recorded && history.object(recordedIdentity(spec, live.name, recorded)));
  const claimant = operation.resource.otherHolderOf(live.name);
  if (phaseOf(spec.lifecycle, live) === "gone") return { relation: "gone", object };
  if (foreignOwnerOf(operation, live, recorded)) return { relation: "theirs", object };
  if (claimant !== undefined && !mine.has(claimant as string)) return { relation: "siblingNow", urn: claimant, object };
  if (isRecordedByEngine(operation, identity)) return { relation: "recorded", object };
  const recorder = otherRecordOf(operation, identity, mine);
  if (recorder !== undefined) return { relation: "siblingNow", urn: recorder, object };
  const isUnique = identity.createTime !== undefined;
  const open = history.openAt(slotOf(operation, live)).filter((attempt) => mayBeResult(attempt, object, isUnique));
  const known =
    ofObject(object, { mine, isUnique, isOpen: open.length > 0 }) ??
    ofAttempts(operation, live, inputs, { open, mine }) ??
    ofState(operation, live, { inputs, mine }) ??
    (await ofId(operation, live, inputs));
  // The journal speaks of what was: this run's engine shows that the other resource still has it.
  if (known.relation === "siblingHeld" && isStillRecorded(operation, identity, known.urn!))
    return { relation: "siblingNow", urn: known.urn, object };
  const isAnswered = isResponseLost && isUnrecorded(known.relation);
  return { ...known, ...(isAnswered && { relation: "answered" }), object };
}

/**
 * Whether the journal allows an object to be the result of a create. `isUnique`: its creation time distinguishes it
 * from another object of its name.
 */
function mayBeResult(
  { created, position }: CreateAttempt,
  object: ObjectHistory | undefined,
  isUnique: boolean,
): boolean {
  if (created !== undefined && isUnique) return false;
  if (object === undefined) return true;
  return isUnique ? object.since > position : (object.held?.position ?? -1) < position;
}

type Classified = Pick<OwnershipMatch, "relation" | "urn" | "because">;

/** By who created or held it. Without a creation time, an open create of its slot may have created another. */
function ofObject(
  object: ObjectHistory | undefined,
  { mine, isUnique, isOpen }: { mine: ReadonlySet<RecordedUrn>; isUnique: boolean; isOpen: boolean },
): Classified | undefined {
  const { holder, createdBy, adopted } = object ?? {};
  if (holder !== undefined && (isUnique || !isOpen)) {
    if (mine.has(holder)) return { relation: "former" };
    return { relation: adopted ? "siblingAdopted" : "siblingHeld", urn: holder };
  }
  if (createdBy === undefined || !isUnique) return undefined;
  return mine.has(createdBy) ? { relation: "begun" } : { relation: "siblingBegun", urn: createdBy };
}

/** By the creates that were sent to its slot, none of which is known to have created it. */
function ofAttempts(
  operation: Operation,
  live: LiveObject,
  inputs: Values,
  { open, mine }: { open: readonly CreateAttempt[]; mine: ReadonlySet<RecordedUrn> },
): Classified | undefined {
  const judged = open.map((attempt) => ({ urn: attempt.urn, is: matchAttempt(operation, live, inputs, attempt) }));
  const own = judged.filter(({ urn }) => mine.has(urn)).map(({ is }) => is);
  if (own.includes("begun")) return { relation: "begun" };
  if (own.includes("likely")) return { relation: "likely" };
  const maker = judged.find(({ urn, is }) => !mine.has(urn) && (is === "begun" || is === "likely"));
  if (maker) return { relation: "siblingBegun", urn: maker.urn };
  if (!own.includes("possible")) return undefined;
  return { relation: "possible", because: open.every(({ isRefused }) => isRefused) ? "refused" : undefined };
}

/**
 * By the engine's state: an interrupted run was creating the resource, and the journal does not know of it. An object
 * that was created since may be the result, and so may one without a creation time.
 */
function ofState(
  operation: Operation,
  live: LiveObject,
  { inputs, mine }: { inputs: Values; mine: ReadonlySet<RecordedUrn> },
): Classified | undefined {
  const { ports, spec } = operation;
  const since = ports.state?.creatingSince(isAmong(mine));
  if (since === undefined || idSourceOf(spec, inputs) === "automatic") return undefined;
  const created = Date.parse(String(live["createTime"] ?? ""));
  const { first, last } = windowOf(operation, since);
  reportClock(operation);
  if (created < first || created > last) return undefined;
  return ownOwnerOn(operation, live) ? { relation: "begun" } : { relation: "possible", because: "state" };
}

/**
 * When an operation that began then may have created its object, by the service's clock. The state has only the time of
 * the engine's machine, so the difference between the clocks widens the window.
 */
function windowOf({ ports, objects, deadline, startedAt }: Operation, since: number) {
  const now = ports.clock.now();
  const ahead = (objects.serviceTime() ?? now) - now;
  const first = since + Math.min(0, ahead) - skewMs;
  const last = since + Math.max(0, ahead) + (deadline - startedAt) + latestMs + skewMs;
  return { first, last };
}

/** Difference between the clocks from which on it is reported. */
const reportedAheadMs = 3_600_000;

/** Services whose clock has been reported. */
const reportedClocks = new WeakSet<ObjectCollection>();

function reportClock({ ports, objects, call }: Operation): void {
  const ahead = (objects.serviceTime() ?? ports.clock.now()) - ports.clock.now();
  if (Math.abs(ahead) < reportedAheadMs || reportedClocks.has(objects.shared)) return;
  reportedClocks.add(objects.shared);
  const hours = Math.round(Math.abs(ahead) / 3_600_000);
  call.reporter.warn(
    `The service's clock is ${hours} ${hours === 1 ? "hour" : "hours"} ${ahead > 0 ? "ahead of" : "behind"} this machine's. What an interrupted run has created is recognized by its time: objects of these hours are asked about, and never taken without your word.`,
  );
}

/** How long after its sender has given up a service may still carry out a request. */
export const latestMs = 600_000;

/**
 * By its id alone: an object that this declaration held later was created beside it, so that it was left alone then.
 */
async function ofId(operation: Operation, live: LiveObject, inputs: Values): Promise<Classified> {
  const isOwn = idSourceOf(operation.spec, inputs) === "automatic" && automaticNameIn(operation, live) !== undefined;
  if (!isOwn || (await isOlderThanLast(operation, live))) return { relation: "strange" };
  return { relation: ownOwnerOn(operation, live) ? "marked" : "possible" };
}

async function isOlderThanLast(operation: Operation, live: LiveObject): Promise<boolean> {
  const own = declarationUrns(operation);
  const last = (await operation.history()).lastHeld(own)?.identity;
  const had = [...operation.resource.recordedUnder(own), ...(last ? [last] : [])];
  return had.some(({ createTime }) => Date.parse(String(live["createTime"])) < Date.parse(String(createTime)));
}

/** Assumed difference to this machine's clock if the service's is unknown. */
const skewMs = 60_000;

/** HTTP and some services report whole seconds. */
const toSecond = (time: number): number => Math.floor(time / 1000) * 1000;

/** Whether an object was there before the create was sent, by its time: no proof where nothing had its name then. */
export const existedBefore = (
  createTime: unknown,
  { clock, at, absent }: Pick<CreateAttempt, "clock" | "at" | "absent">,
): boolean =>
  absent !== true && Date.parse(String(createTime ?? "")) < (clock === undefined ? at - skewMs : toSecond(clock));

/** Whether an object was created when the create had certainly ended. */
const createdTooLate = (createTime: unknown, { clock, until }: Pick<CreateAttempt, "clock" | "until">): boolean =>
  until !== undefined && Date.parse(String(createTime ?? "")) > until + (clock === undefined ? skewMs : 0);

/** Whether the create has created the object: for certain, by all its values, or perhaps. */
export function matchAttempt(
  operation: Operation,
  live: LiveObject,
  inputs: Values,
  attempt: CreateAttempt,
): "begun" | "likely" | "possible" | undefined {
  const { spec, objects, call } = operation;
  if (existedBefore(live["createTime"], attempt)) return undefined;
  // What has come to a free name and refused the create by it is not judged by a time alone: clocks differ.
  const isDoubt = attempt.isRefused && attempt.absent;
  if (!isDoubt && createdTooLate(live["createTime"], attempt)) return undefined;
  const declarations = [...underEachName(call.hidden), { ...call.hidden, urn: attempt.urn }];
  const owner = ownerIn(spec, live);
  if (owner) return declarations.some((each) => isDeepStrictEqual(owner, ownerBy(each))) ? "begun" : undefined;
  // After a rejection, all values are evidence, together with the time, or with a name that was free before.
  if (attempt.isRefused && !attempt.absent && identityOf(live).createTime === undefined) return undefined;
  if (!attempt.isRefused && declarations.some((each) => isAutomatic(each, objects.account, lastSegment(live.name))))
    return "begun";
  const isRepeated =
    attempt.digest === inputsDigest(spec, inputs) && matchesInputs(spec, objects.account, live, inputs);
  if (!isRepeated && !showsWhatWasSent(spec, live, attempt)) return attempt.isRefused ? undefined : "possible";
  const repeated = isRepeated ? digestsOfSent(spec, inputs, "").fields : {};
  const sent = new Set(Object.keys({ ...attempt.sent?.fields, ...repeated }));
  const hasOthers = hasUnsentFields(spec, live, sent);
  if (attempt.isRefused) return hasOthers ? undefined : "possible";
  return hasOthers ? "possible" : "likely";
}
