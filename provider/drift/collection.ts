import { confirmedGone, rememberList } from "../api/gone";
import { pages } from "../api/paginate";
import type { Client } from "../api/types";
import type { ResourceSpec } from "../core/declaration/resource";
import { isForbidden, isModelPlatformError, isNotFound, messageOf } from "../core/errors";
import { ownerIn, ownerInWords } from "../core/fields/owner";
import { accountOf, fillTemplate } from "../core/values/names";
import type { Values } from "../core/values/values";
import { refuseOtherEndpoint } from "../lifecycle/identity/endpoint";
import { serviceAccount } from "./accounts";
import { namesIn } from "./dependents";
import type { CollectionReport, Finding, Verdict } from "./document";
import { findingOf, type ObjectLocation } from "./finding";
import { type Lineage, noteLineage } from "./model-dates";
import type { RecordedObject } from "./recorded-object";
import { isUnmanaged, type Known } from "./unmanaged";
import { isThere, type Judgement, judge, judgement, strongest } from "./verdict";
import type { WantedObjects } from "./wanted";

/** The result for one collection of one account. Plain JSON: an interrupted scan keeps it on disk. */
export interface CollectionResult extends CollectionReport {
  status: "read" | "forbidden" | "error";
  counts: Partial<Record<Verdict, number>>;
  /** Of the verdicts that are listed. */
  findings: Finding[];
  /** Unmanaged objects that are counted, and not wanted in the list. */
  leftOut?: number;
  /** Names of live objects, each with the name of another object that it names. */
  references: [from: string, to: string][];
  lineage: Lineage;
}

/** What differences cost. */
export interface CostComparison {
  currency: string;
  /** Another one for other prices. */
  key: string;
  /** A decimal text per hour; undefined where it is nothing or not known. `live` is undefined where it is gone. */
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
  known: Known;
  isListed(verdict: Verdict): boolean;
  allowEndpointChange: boolean;
  /** Milliseconds since 1970. */
  deadline: number;
  signal: AbortSignal;
  costs?: CostComparison | undefined;
  /** Of the unmanaged objects, only these are listed. */
  wanted?: WantedObjects | undefined;
  /** Sees each live object that is managed or should be, with the resources that record it. */
  onObject?: ((spec: ResourceSpec, live: Values, records: readonly RecordedObject[]) => void) | undefined;
  /** Hears how many live objects have been read. */
  onRead(count: number): void;
}

/**
 * Reads a collection page by page, compares, and keeps what is reported; objects stay in memory only while their page
 * does.
 */
export async function scanCollection(scan: CollectionScan): Promise<CollectionResult> {
  const ledger = openLedger(scan);
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

type CollectionLedger = ReturnType<typeof openLedger>;

/** Keeps the verdicts of a collection, one per object. */
function openLedger(scan: CollectionScan) {
  const { client, spec, place, objects, isListed, allowEndpointChange } = scan;
  const records = byName(objects);
  const counts: CollectionResult["counts"] = {};
  const findings: Finding[] = [];
  const references: CollectionResult["references"] = [];
  const lineage: Lineage = { models: {}, made: [] };
  let managed = 0;
  let leftOut = 0;
  let failure: unknown;

  const tell = (name: string, judged: Judgement): void => {
    const recorded = records.get(name) ?? [];
    counts[judged.verdict] = (counts[judged.verdict] ?? 0) + 1;
    const isOwn = !recorded.some(({ isProduced }) => isProduced);
    if (
      isOwn &&
      judged.verdict !== "unmanaged" &&
      !["missing", "retired", "error", "forbidden"].includes(judged.verdict)
    )
      managed += 1;
    if (isListed(judged.verdict) || recorded.length > 1)
      findings.push(client.redactor.value(findingOf(place, spec, name, recorded, judged)));
    records.delete(name);
  };

  for (const [name, recorded] of [...records]) {
    const elsewhere = recorded.flatMap(({ outputs }) =>
      otherEndpoint(spec, name, outputs, place.origin, allowEndpointChange),
    );
    if (elsewhere.length > 0) tell(name, judgement("error", elsewhere[0]!));
  }
  return {
    /** Recorded objects without a verdict yet. */
    records: records as ReadonlyMap<string, readonly RecordedObject[]>,
    tell,
    /** Shows a live object; `records` is undefined for one that is neither managed nor should be. */
    see: (live: Values, records: readonly RecordedObject[] | undefined): void => {
      if (!isThere(spec, live)) return;
      noteLineage(lineage, spec, live, records);
      if (records) scan.onObject?.(spec, live, records);
    },
    leaveOut: (verdict: Verdict): void => {
      counts[verdict] = (counts[verdict] ?? 0) + 1;
      leftOut += 1;
    },
    /** What a live object depends on; what the service itself offers is nobody's finding. */
    note: (live: Values): void => {
      const name = String(live["name"]);
      if (!isThere(spec, live)) return;
      for (const other of namesIn(spec, name, live))
        if (accountOf(other) !== serviceAccount) references.push([name, other]);
    },
    /** It gets no verdict. */
    pass: (name: string): void => void records.delete(name),
    fail: (error: unknown): void => {
      failure = error;
      for (const name of [...records.keys()]) tell(name, failed(error));
    },
    close: (requests: number): CollectionResult => {
      const status = failure === undefined ? "read" : isForbidden(failure) ? "forbidden" : "error";
      const total = failure === undefined ? managed + (counts.unmanaged ?? 0) : null;
      return {
        name: spec.collection,
        status,
        managed,
        total,
        requests,
        ...(failure !== undefined && { problem: client.redactor.text(messageOf(failure)) }),
        counts,
        findings,
        lineage,
        ...(leftOut > 0 && { leftOut }),
        references,
      };
    },
  };
}

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

function otherEndpoint(spec: ResourceSpec, name: string, outputs: Values, origin: string, allowed: boolean): string[] {
  if (origin === "") return [];
  try {
    refuseOtherEndpoint(`${spec.kind} ${name}`, outputs, origin, allowed);
    return [];
  } catch (error) {
    return [messageOf(error)];
  }
}

/** A refusal by the account is not a failure: another key may help, or nothing is wrong. */
const failed = (error: unknown): Judgement => judgement(isForbidden(error) ? "forbidden" : "error", messageOf(error));

async function readList(scan: CollectionScan, ledger: CollectionLedger): Promise<void> {
  const { client, specs, spec, place, as, known, deadline, signal, onRead } = scan;
  const seen = new Set<string>();
  const doubtful: string[] = [];
  let read = 0;
  for await (const { items } of pages<Values>(client, client.catalogue.require(spec.kind, "list").name, {
    parameters: { account: place.account },
    as,
    deadline,
    signal,
  })) {
    for (const live of items) {
      const name = String(live["name"]);
      ledger.note(live);
      const recorded = ledger.records.get(name);
      if (recorded) {
        seen.add(name);
        const judged = verdictOf(scan, name, recorded, live);
        if (judged?.verdict === "changed") doubtful.push(name);
        else settle(ledger, name, judged, live);
      } else if (!seen.has(name) && isUnmanaged(specs, spec, place.account, live, known)) {
        seen.add(name);
        settleUnmanaged(scan, ledger, live);
      } else ledger.see(live, undefined);
    }
    onRead((read += items.length));
  }
  rememberList({ client, listing: spec, parameters: { account: place.account }, as }, seen);
  const absent = [...ledger.records]
    .filter(
      ([name, recorded]) =>
        !seen.has(name) && recorded.some(({ pending }) => pending === undefined || pending === "replacing"),
    )
    .map(([name]) => name);
  await Promise.all([...new Set([...doubtful, ...absent])].map((name) => confirm(scan, ledger, name)));
  for (const name of [...ledger.records.keys()]) ledger.pass(name);
}

/**
 * Another stack's object that is not scanned, or what a stack has lost, says
 * so itself where it carries its owner's name.
 */
function unmanaged({ spec, costs }: CollectionScan, live: Values): Judgement {
  const { updateTime } = live;
  const owner = ownerIn(spec, live);
  const hourlyCostChange = costs?.changeOf(spec, String(live["name"]), { recorded: undefined, live });
  return judgement("unmanaged", `is in no scanned stack${owner ? `; ${ownerInWords(spec, owner)}` : ""}`, {
    updateTime: typeof updateTime === "string" ? updateTime : null,
    ...(owner && { owner }),
    ...(hourlyCostChange !== undefined && { hourlyCostChange }),
  });
}

/**
 * No verdict rests on a list alone: it may be older than the object, and shows no tombstones.
 */
async function confirm(scan: CollectionScan, ledger: CollectionLedger, name: string): Promise<void> {
  try {
    const live = await find(scan, name);
    settle(ledger, name, verdictOf(scan, name, ledger.records.get(name) ?? [], live), live);
  } catch (error) {
    if (scan.signal.aborted) throw error;
    ledger.tell(name, failed(error));
  }
}

function settleUnmanaged(scan: CollectionScan, ledger: CollectionLedger, live: Values): void {
  ledger.see(live, []);
  if (scan.wanted?.has(scan.spec, live) === false) ledger.leaveOut("unmanaged");
  else ledger.tell(String(live["name"]), unmanaged(scan, live));
}

function settle(ledger: CollectionLedger, name: string, judged: Judgement | undefined, live: Values | undefined): void {
  if (live) ledger.see(live, ledger.records.get(name));
  if (judged) ledger.tell(name, judged);
  else ledger.pass(name);
}

function verdictOf(
  { spec, costs }: CollectionScan,
  name: string,
  recorded: readonly RecordedObject[],
  live: Values | undefined,
): Judgement | undefined {
  const judged = strongest(recorded.flatMap((object) => judge(object, live) ?? []));
  const [first] = recorded;
  if (!judged || !costs || !first || !isCosted.has(judged.verdict)) return judged;
  const present = isThere(spec, live) ? live : undefined;
  const change = costs.changeOf(spec, name, { recorded: { ...first.inputs, ...first.outputs }, live: present });
  return change === undefined ? judged : { ...judged, hourlyCostChange: change };
}

/** Verdicts that say of an object that it is not as recorded. */
const isCosted: ReadonlySet<Verdict> = new Set<Verdict>(["changed", "missing"]);

/** The object, or undefined where it is gone: for sure (A093), where that matters. */
async function find(
  { client, spec, as, deadline, signal }: CollectionScan,
  name: string,
  isRecorded = true,
): Promise<Values | undefined> {
  const options = { as, deadline, signal };
  try {
    return (await client.call(client.catalogue.require(spec.kind, "get").name, { ...options, parameters: { name } }))
      .value;
  } catch (error) {
    if (!isRecorded && isNotFound(error)) return undefined;
    if (isModelPlatformError(error) && (await confirmedGone(client, { spec, name, error }, options))) return undefined;
    throw error;
  }
}

/** Kinds that exist once per account have no list. */
async function readSettings(scan: CollectionScan, ledger: CollectionLedger): Promise<void> {
  const { specs, spec, place, known, onRead } = scan;
  const name = fillTemplate(spec.name, { account: place.account });
  const recorded = ledger.records.get(name);
  const live = await find(scan, name, recorded !== undefined);
  onRead(live ? 1 : 0);
  if (live) ledger.note({ ...live, name });
  if (recorded) settle(ledger, name, verdictOf(scan, name, recorded, live), live && { ...live, name });
  else if (live && isUnmanaged(specs, spec, place.account, live, known))
    settleUnmanaged(scan, ledger, { ...live, name });
}
