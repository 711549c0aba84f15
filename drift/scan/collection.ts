import { findObject, forgetList, rememberList } from "../../provider/api/confirm-deleted";
import { pages } from "../../provider/api/paginate";
import type { Client } from "../../provider/api/types";
import { hasMovedMark, withoutIdentity } from "../../provider/core/comparison/accepted";
import { grpcCodes, isMissing, isModelPlatformError } from "../../provider/core/errors";
import { ownerDescription, ownerIn } from "../../provider/core/fields/owner";
import { fillTemplate } from "../../provider/core/values/names";
import type { Values } from "../../provider/core/values/values";
import { CollectionLedger, failedJudgement, reasonOf, unusableOf } from "./collection-ledger";
import type { CollectionResult, CollectionScan } from "./collection-scan";
import { annotationsIn } from "./finding";
import type { Verdict } from "./finding-document";
import type { RecordedObject } from "./recorded-object";
import { NameTally } from "./tally";
import { isDerived, isNobodys, isUnmanaged, noteHost } from "./unmanaged";
import { createJudgement, isPresent, type Judgement, judge, strongestJudgement } from "./verdict";

/** Reads are for all: each object is judged by what of it has to be known. */
const byNone = (): boolean => false;

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
