import { findObject, forgetList, rememberList } from "../../provider/api/confirm-deleted";
import { pages } from "../../provider/api/paginate";
import type { Client } from "../../provider/api/types";
import { unusableIn } from "../../provider/api/unusable-values";
import { hasMovedMark, withoutIdentity } from "../../provider/core/comparison/accepted";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { isDeleted } from "../../provider/core/declaration/states";
import {
  grpcCodes,
  isForbidden,
  isMissing,
  isModelPlatformError,
  type ModelPlatformError,
  messageOf,
} from "../../provider/core/errors";
import { ownerDescription, ownerIn } from "../../provider/core/fields/owner";
import { accountOf, fillTemplate } from "../../provider/core/values/names";
import type { Values } from "../../provider/core/values/values";
import { assertSameEndpoint } from "../../provider/lifecycle/memory/identity";
import { neededToRead } from "../../provider/lifecycle/operation";
import { isNone } from "../../provider/lifecycle/read";
import type { CollectionReport, Finding, Verdict } from "./document";
import { annotationsIn, findingOf, maskedFinding, type ObjectLocation } from "./finding";
import { namesIn, type RecordedObject, serviceAccount } from "./recorded-object";
import { type Lineage, noteLineage } from "./retirements";
import type { ObjectSelection } from "./selection";
import { NameTally } from "./tally";
import { isDerived, isNobodys, isUnmanaged, type KnownObjects, noteHost } from "./unmanaged";
import { createJudgement, isPresent, type Judgement, judge, strongestJudgement } from "./verdict";

/** What differences cost. */
export interface CostComparison {
  currency: string;
  /** Another one for other prices. */
  key: string;
  /** Decimal text per hour; undefined if it is zero or unknown. `live` is undefined for a deleted object. */
  changeOf(
    spec: ResourceSpec,
    name: string,
    objects: { recorded: Values | undefined; live: Values | undefined },
  ): string | undefined;
}

export interface CollectionScan {
  /** May send what only reads. */
  client: Client;
  specs: readonly ResourceSpec[];
  spec: ResourceSpec;
  place: ObjectLocation;
  /** Whose key reads the account. */
  as: string;
  /** What stacks record in the collection. */
  objects: readonly RecordedObject[];
  known: KnownObjects;
  isListed(verdict: Verdict): boolean;
  allowEndpointChange: boolean;
  /** Milliseconds since 1970. */
  deadline: number;
  signal: AbortSignal;
  costs?: CostComparison | undefined;
  /** Of the unmanaged objects, only these are listed. */
  wanted?: ObjectSelection | undefined;
  /** An object that a list counts and leaves out, or has twice, is a failure. */
  needsAll?: boolean | undefined;
  /** Sees each live object that is managed or should be, with the resources that record it; what is leaving, too. */
  onObject?: ((spec: ResourceSpec, live: Values, records: readonly RecordedObject[]) => void) | undefined;
  /** Sees that an account has no settings, or empty ones. Where it is set, a read that proves neither is a failure. */
  onAbsence?: ((spec: ResourceSpec, name: string, records: readonly RecordedObject[]) => void) | undefined;
  /** Called with how many live objects have been read. */
  onRead(count: number): void;
}

/** The result for one collection of one account. Plain JSON: an interrupted scan keeps it on disk. */
export interface CollectionResult extends CollectionReport {
  status: "read" | "forbidden" | "error";
  counts: Partial<Record<Verdict, number>>;
  /** Of the verdicts that are listed. */
  findings: Finding[];
  /** Unmanaged objects that count but are not listed. */
  leftOut?: number | undefined;
  /** Names of live objects, each with the name of another object that it names. */
  references: [from: string, to: string][];
  lineage: Lineage;
}

/** Keeps the verdicts of a collection, one per object. */
class CollectionLedger {
  readonly #scan: CollectionScan;
  readonly #pending: Map<string, RecordedObject[]>;
  readonly #counts: CollectionResult["counts"] = {};
  readonly #findings: Finding[] = [];
  readonly #references: CollectionResult["references"] = [];
  readonly #lineage: Lineage = { models: {}, derived: [] };
  #managed = 0;
  #read = 0;
  #leftOut = 0;
  #failure: unknown;
  #readsOthers = true;

  constructor(scan: CollectionScan) {
    this.#scan = scan;
    this.#pending = byName(scan.objects);
    for (const [name, recorded] of [...this.#pending]) {
      const [elsewhere] = recorded.flatMap((object) => otherEndpoint(scan, object) ?? []);
      if (elsewhere !== undefined) this.judge(name, createJudgement("error", elsewhere));
    }
  }

  /** Recorded objects without a verdict yet. */
  get pending(): ReadonlyMap<string, readonly RecordedObject[]> {
    return this.#pending;
  }

  judge(name: string, judged: Judgement): void {
    const { client, spec, place, isListed } = this.#scan;
    const recorded = this.#pending.get(name) ?? [];
    this.#count(judged.verdict);
    const isOwn = !recorded.some(({ isProduced }) => isProduced);
    if (isOwn && isManagedAndLive(judged.verdict)) this.#managed += 1;
    if (isListed(judged.verdict) || recorded.length > 1)
      this.#findings.push(maskedFinding(findingOf({ ...place, spec, name }, recorded, judged), client.redactor));
    this.#pending.delete(name);
  }

  /** Shows a live object; `records` is undefined for one that is neither managed nor should be. */
  noteLive(live: Values, records: readonly RecordedObject[] | undefined): void {
    const { spec } = this.#scan;
    if (isPresent(spec, live)) noteLineage(this.#lineage, spec, live, records);
    if (records) this.show(live, records);
  }

  /** Shows an object to whoever is shown objects. */
  show(live: Values, records: readonly RecordedObject[]): void {
    const { spec, onObject } = this.#scan;
    if (isLeft(spec, live) && !unusableOf(this.#scan, live, records)) onObject?.(spec, live, records);
  }

  /** The service has answered with so many objects. */
  noteRead(count: number): void {
    this.#read += count;
    this.#scan.onRead(this.#read);
  }

  /** Only recorded objects are read, so that it is not known how many there are. */
  markOthersUnread(): void {
    this.#readsOthers = false;
  }

  omit(verdict: Verdict): void {
    this.#count(verdict);
    this.#leftOut += 1;
  }

  /** Keeps what a live object depends on; what the service itself offers is nobody's finding. */
  noteReferences(live: Values): void {
    const { spec } = this.#scan;
    const name = String(live["name"]);
    if (!isPresent(spec, live)) return;
    for (const other of namesIn(spec, name, live))
      if (accountOf(other) !== serviceAccount) this.#references.push([name, other]);
  }

  /** Leaves an object without a verdict. */
  pass(name: string): void {
    this.#pending.delete(name);
  }

  fail(error: unknown): void {
    this.#failure = error;
    for (const name of [...this.#pending.keys()]) this.judge(name, failedJudgement(error));
  }

  close(requests: number): CollectionResult {
    const { client, spec } = this.#scan;
    const isRead = this.#failure === undefined;
    return {
      name: spec.collection,
      status: isRead ? "read" : failureOf(this.#failure),
      read: this.#read,
      managed: this.#managed,
      total: isRead && this.#readsOthers ? this.#managed + (this.#counts.unmanaged ?? 0) : null,
      requests,
      problem: isRead ? undefined : client.redactor.text(reasonOf(this.#failure)),
      counts: this.#counts,
      findings: this.#findings,
      lineage: this.#lineage,
      leftOut: this.#leftOut > 0 ? this.#leftOut : undefined,
      references: this.#references,
    };
  }

  #count(verdict: Verdict): void {
    this.#counts[verdict] = (this.#counts[verdict] ?? 0) + 1;
  }
}

/** Reads are for all: each object is judged by what of it has to be known. */
const byNone = (): boolean => false;

/**
 * The value that keeps an object from being judged: of what a stack manages of it, and its state; for whoever is shown
 * objects, any. Nobody's object has none.
 */
function unusableOf(
  { onObject }: CollectionScan,
  live: Values,
  records: readonly RecordedObject[],
): ModelPlatformError | undefined {
  const needed = records.map(({ outputs }) => neededToRead(outputs));
  const isNeeded = (property: string): boolean => onObject !== undefined || needed.some((each) => each.has(property));
  return unusableIn(live).find(({ property }) => isNeeded(property))?.error;
}

/** Whether anything is left of an object: one that is being deleted may stay so for long. */
const isLeft = (spec: ResourceSpec, live: Values): boolean =>
  isPresent(spec, live) || !(isDeleted(spec.lifecycle, live) || isNone({ spec }, live));

const isManagedAndLive = (verdict: Verdict): boolean =>
  !["unmanaged", "missing", "retired", "error", "forbidden"].includes(verdict);

/** A stack that was read from two sources, which may know its full name to different degrees. */
const isSameResource = (left: RecordedObject, right: RecordedObject): boolean =>
  left.urn === right.urn &&
  left.pending === right.pending &&
  (left.stack.endsWith(right.stack) || right.stack.endsWith(left.stack));

/** An object that is still to be deleted under one URN and recorded under another is the latter's. */
function byName(objects: readonly RecordedObject[]): Map<string, RecordedObject[]> {
  const grouped = new Map<string, RecordedObject[]>();
  for (const object of objects) {
    const others = grouped.get(object.name) ?? [];
    if (!others.some((other) => isSameResource(other, object))) grouped.set(object.name, [...others, object]);
  }
  for (const [name, recorded] of grouped) {
    const current = recorded.filter(({ pending }) => pending !== "deleting");
    grouped.set(name, current.length > 0 ? current : recorded.slice(0, 1));
  }
  return grouped;
}

/** Why an object that was recorded at another endpoint is not compared. */
function otherEndpoint(
  { spec, place, allowEndpointChange }: CollectionScan,
  { name, outputs }: RecordedObject,
): string | undefined {
  if (place.origin === "") return undefined;
  try {
    assertSameEndpoint(`${spec.kind} ${name}`, outputs, place.origin, allowEndpointChange);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** A refusal by the account is not a failure: another key may help, or nothing is wrong. */
const failureOf = (error: unknown): "forbidden" | "error" => (isForbidden(error) ? "forbidden" : "error");

const failedJudgement = (error: unknown): Judgement => createJudgement(failureOf(error), reasonOf(error));

/** Without an answer, the request says nothing: a service that cannot be reached is one reason for whatever it has. */
function reasonOf(error: unknown): string {
  const message = messageOf(error);
  if (!isModelPlatformError(error) || error.status !== undefined) return message;
  const request = `${error.operation} (${error.method} ${error.path}) `;
  return message.startsWith(request) ? message.slice(request.length) : message;
}

/**
 * Reads a collection page by page, compares, and keeps what is reported; objects stay in memory only while their page
 * does.
 */
export async function scanCollection(scan: CollectionScan): Promise<CollectionResult> {
  const ledger = new CollectionLedger(scan);
  let requests = 0;
  const { client } = scan;
  const counting: Client = {
    ...client,
    call: (operation, options) => client.call(operation, { ...options, onSend: () => void requests++ }),
  };
  try {
    await (scan.spec.singleton ? readSettings : readList)({ ...scan, client: counting }, ledger);
  } catch (error) {
    if (scan.signal.aborted) throw error;
    ledger.fail(error);
  }
  return ledger.close(requests);
}

async function readList(scan: CollectionScan, ledger: CollectionLedger): Promise<void> {
  const { client, spec, place, as, deadline, signal, isListed } = scan;
  const seen = new Set<string>();
  const tally = new NameTally();
  const doubtful = new Map<string, Values>();
  const parameters = { account: place.account };
  const collection = { client, listing: spec, parameters, as };
  const takeIn = (live: Values): void => {
    const name = String(live["name"]);
    noteHost(scan.specs, spec, live, scan.known);
    const recorded = ledger.pending.get(name);
    tally.note(name);
    // What a host has loaded by itself goes with it.
    if (recorded || !isDerived(scan.specs, spec, live, scan.known)) ledger.noteReferences(live);
    if (recorded) {
      seen.add(name);
      const judged = verdictOf(scan, name, recorded, live);
      if (judged?.verdict === "changed") doubtful.set(name, live);
      else recordVerdict(ledger, name, judged, live);
    } else if (!seen.has(name) && isUnmanaged(scan, live)) {
      seen.add(name);
      recordUnmanaged(scan, ledger, live);
    } else {
      ledger.noteLive(live, undefined);
      if (scan.onObject) showOther(scan, ledger, live, seen.has(name));
    }
  };

  // What the settings turn off need not be read: each recorded object has its own path. Only a list shows others.
  const needsOthers = isListed("unmanaged") || scan.onObject !== undefined;
  const list =
    client.catalogue.find(spec.kind, "list") ?? (needsOthers ? client.catalogue.require(spec.kind, "list") : undefined);
  if (list) {
    const options = { parameters, as, deadline, signal, decides: byNone };
    for await (const { items, totalSize = 0 } of pages<Values>(client, list.name, options)) {
      items.forEach(takeIn);
      ledger.noteRead(items.length);
      tally.counted = Math.min(tally.counted, totalSize);
    }
    if (tally.isShort) ledger.markOthersUnread();
    // An empty list that claims members proves no deletion.
    if (tally.names.size > 0 || tally.counted === 0) rememberList(collection, seen);
  } else ledger.markOthersUnread();
  const absent = [...ledger.pending]
    .filter(([name, recorded]) => !seen.has(name) && recorded.some(isExpected))
    .map(([name]) => name);
  await Promise.all(
    [...new Set([...doubtful.keys(), ...absent])].map((name) => confirm(scan, ledger, name, doubtful.get(name))),
  );
  if (list) forgetList(collection);
  for (const name of [...ledger.pending.keys()]) ledger.pass(name);
  const gap = scan.needsAll ? tally.gap : undefined;
  if (gap !== undefined) ledger.fail(new Error(gap));
}

/** Of what is no object to compare: a second one of the same name, and what is leaving without a stack. */
function showOther(scan: CollectionScan, ledger: CollectionLedger, live: Values, isSecond: boolean): void {
  if (!isSecond && (isPresent(scan.spec, live) || !isNobodys(scan, live))) return;
  const name = String(live["name"]);
  const records = scan.objects.filter((each) => each.name === name);
  const unusable = unusableJudgement(scan, live, records);
  if (unusable) ledger.judge(name, unusable);
  else ledger.show(live, records);
}

/** The stack wants the object to be there. */
const isExpected = ({ pending }: RecordedObject): boolean => pending === undefined || pending === "replacing";

/**
 * Another stack's object that is not scanned, or what a stack has lost, says
 * so itself where it carries its owner's name.
 */
function unmanagedJudgement({ spec, costs }: CollectionScan, live: Values): Judgement {
  const { updateTime } = live;
  const owner = ownerIn(spec, live);
  const hourlyCostChange = costs?.changeOf(spec, String(live["name"]), { recorded: undefined, live });
  return createJudgement("unmanaged", `is in no scanned stack${owner ? `; ${ownerDescription(spec, owner)}` : ""}`, {
    updateTime: typeof updateTime === "string" ? updateTime : null,
    claimedBy: owner,
    annotations: annotationsIn(live),
    hourlyCostChange,
  });
}

/**
 * No verdict rests on a list alone: it may be older than the object, and shows no tombstones. What only a creation sets
 * tells no object from another where two looks at it differ.
 */
async function confirm(
  scan: CollectionScan,
  ledger: CollectionLedger,
  name: string,
  listed: Values | undefined,
): Promise<void> {
  const { client, spec } = scan;
  try {
    const found = await find(scan, name);
    const live = found && listed && hasMovedMark(spec, listed, found) ? withoutIdentity(spec, found) : found;
    if (live && !client.catalogue.find(spec.kind, "list")) ledger.noteRead(1);
    recordVerdict(ledger, name, verdictOf(scan, name, ledger.pending.get(name) ?? [], live), live);
  } catch (error) {
    if (scan.signal.aborted) throw error;
    ledger.judge(name, isReadable(scan) ? failedJudgement(error) : createJudgement("unverifiable", reasonOf(error)));
  }
}

const isReadable = ({ client, spec }: CollectionScan): boolean =>
  ["get", "list"].some((verb) => client.catalogue.find(spec.kind, verb));

function unusableJudgement(
  scan: CollectionScan,
  live: Values | undefined,
  records: readonly RecordedObject[],
): Judgement | undefined {
  const unusable = live && unusableOf(scan, live, records);
  return unusable && failedJudgement(unusable);
}

function recordUnmanaged(scan: CollectionScan, ledger: CollectionLedger, live: Values): void {
  ledger.noteLive(live, []);
  if (scan.wanted?.has(scan.spec, live) === false) ledger.omit("unmanaged");
  else ledger.judge(String(live["name"]), unusableJudgement(scan, live, []) ?? unmanagedJudgement(scan, live));
}

function recordVerdict(
  ledger: CollectionLedger,
  name: string,
  judged: Judgement | undefined,
  live: Values | undefined,
): void {
  if (live) ledger.noteLive(live, ledger.pending.get(name));
  if (judged) ledger.judge(name, judged);
  else ledger.pass(name);
}

function verdictOf(
  scan: CollectionScan,
  name: string,
  recorded: readonly RecordedObject[],
  live: Values | undefined,
): Judgement | undefined {
  const { spec, costs } = scan;
  const judged =
    unusableJudgement(scan, live, recorded) ??
    strongestJudgement(recorded.flatMap((object) => judge(object, live) ?? []));
  const [first] = recorded;
  if (judged) judged.annotations = annotationsIn(live);
  if (!judged || !costs || !first || !costedVerdicts.has(judged.verdict)) return judged;
  const present = isPresent(spec, live) ? live : undefined;
  const recordedValues = { ...first.inputs, ...first.outputs };
  return { ...judged, hourlyCostChange: costs.changeOf(spec, name, { recorded: recordedValues, live: present }) };
}

/** Verdicts that say of an object that it is not as recorded. */
const costedVerdicts: ReadonlySet<Verdict> = new Set<Verdict>(["changed", "missing"]);

/** The object; undefined if it is deleted, confirmed (A093) where that matters. */
async function find({ client, spec, as, deadline, signal }: CollectionScan, name: string): Promise<Values | undefined> {
  const options = { as, deadline, signal, decides: byNone };
  return (await findObject(client, { spec, name }, options)) as Values | undefined;
}

/** What nobody has recorded is no loss where the key does not see it: a refused read is enough. */
async function findUnrecorded(
  { client, spec, as, deadline, signal, onAbsence }: CollectionScan,
  name: string,
): Promise<Values | undefined> {
  const get = client.catalogue.require(spec.kind, "get").name;
  try {
    return (await client.call(get, { as, deadline, signal, decides: byNone, parameters: { name } })).value;
  } catch (error) {
    if (onAbsence ? isProvenMissing(error) : isMissing(error)) return undefined;
    throw error;
  }
}

/** The service itself speaks, and not a proxy or a route that it does not have. */
const isProvenMissing = (error: unknown): boolean =>
  isModelPlatformError(error) && error.status === 404 && error.grpcCode === grpcCodes.NOT_FOUND;

/** Kinds that exist once per account have no list. */
async function readSettings(scan: CollectionScan, ledger: CollectionLedger): Promise<void> {
  const { spec, place } = scan;
  const name = fillTemplate(spec.name, { account: place.account });
  const recorded = ledger.pending.get(name);
  const live = await (recorded ? find(scan, name) : findUnrecorded(scan, name));
  ledger.noteRead(live ? 1 : 0);
  // Settings are answered without a name.
  if (live) Object.assign(live, { name });
  if (live) ledger.noteReferences(live);
  if (!isPresent(spec, live)) scan.onAbsence?.(spec, name, recorded ?? []);
  if (recorded) recordVerdict(ledger, name, verdictOf(scan, name, recorded, live), live);
  else if (live && isUnmanaged(scan, live)) recordUnmanaged(scan, ledger, live);
}
