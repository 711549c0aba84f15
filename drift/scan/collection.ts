import { findObject } from "../../provider/api/confirm-deleted";
import { rememberList } from "../../provider/api/listed-names";
import { pages } from "../../provider/api/paginate";
import type { Client } from "../../provider/api/types";
import { isMissing } from "../../provider/core/errors";
import { ownerDescription, ownerIn } from "../../provider/core/fields/owner";
import { fillTemplate } from "../../provider/core/values/names";
import type { Values } from "../../provider/core/values/values";
import {
  CollectionLedger,
  type CollectionResult,
  type CollectionScan,
  failedJudgement,
  reasonOf,
} from "./collection-ledger";
import type { Verdict } from "./finding-schema";
import type { RecordedObject } from "./recorded-object";
import { isUnmanaged } from "./unmanaged";
import { createJudgement, isPresent, type Judgement, judge, strongestJudgement } from "./verdict";

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
  const doubtful: string[] = [];
  const parameters = { account: place.account };
  const takeIn = (live: Values): void => {
    const name = String(live["name"]);
    ledger.noteReferences(live);
    const recorded = ledger.pending.get(name);
    if (recorded) {
      seen.add(name);
      const judged = verdictOf(scan, name, recorded, live);
      if (judged?.verdict === "changed") doubtful.push(name);
      else recordVerdict(ledger, name, judged, live);
    } else if (!seen.has(name) && isUnmanaged(scan, live)) {
      seen.add(name);
      recordUnmanaged(scan, ledger, live);
    } else ledger.noteLive(live, undefined);
  };

  // What the settings turn off need not be read: each recorded object has its own path. Only a list shows others.
  const needsOthers = isListed("unmanaged") || scan.onObject !== undefined;
  const list =
    client.catalogue.find(spec.kind, "list") ?? (needsOthers ? client.catalogue.require(spec.kind, "list") : undefined);
  if (list) {
    let listed = 0;
    let counted = Number.POSITIVE_INFINITY;
    const options = { parameters, as, deadline, signal };
    for await (const { items, totalSize = 0 } of pages<Values>(client, list.name, options)) {
      items.forEach(takeIn);
      ledger.noteRead(items.length);
      listed += items.length;
      counted = Math.min(counted, totalSize);
    }
    if (listed < counted) ledger.markOthersUnread();
    // One with nothing of what it counts shows nothing to be gone.
    if (listed > 0 || counted === 0) rememberList({ client, listing: spec, parameters, as }, seen);
  } else ledger.markOthersUnread();
  const absent = [...ledger.pending]
    .filter(([name, recorded]) => !seen.has(name) && recorded.some(isExpected))
    .map(([name]) => name);
  await Promise.all([...new Set([...doubtful, ...absent])].map((name) => confirm(scan, ledger, name)));
  for (const name of [...ledger.pending.keys()]) ledger.pass(name);
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
    owner,
    hourlyCostChange,
  });
}

/**
 * No verdict rests on a list alone: it may be older than the object, and shows no tombstones.
 */
async function confirm(scan: CollectionScan, ledger: CollectionLedger, name: string): Promise<void> {
  const { client, spec } = scan;
  try {
    const live = await find(scan, name);
    if (live && !client.catalogue.find(spec.kind, "list")) ledger.noteRead(1);
    recordVerdict(ledger, name, verdictOf(scan, name, ledger.pending.get(name) ?? [], live), live);
  } catch (error) {
    if (scan.signal.aborted) throw error;
    ledger.judge(name, isReadable(scan) ? failedJudgement(error) : createJudgement("unverifiable", reasonOf(error)));
  }
}

const isReadable = ({ client, spec }: CollectionScan): boolean =>
  ["get", "list"].some((verb) => client.catalogue.find(spec.kind, verb));

function recordUnmanaged(scan: CollectionScan, ledger: CollectionLedger, live: Values): void {
  ledger.noteLive(live, []);
  if (scan.wanted?.has(scan.spec, live) === false) ledger.omit("unmanaged");
  else ledger.judge(String(live["name"]), unmanagedJudgement(scan, live));
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
  { spec, costs }: CollectionScan,
  name: string,
  recorded: readonly RecordedObject[],
  live: Values | undefined,
): Judgement | undefined {
  const judged = strongestJudgement(recorded.flatMap((object) => judge(object, live) ?? []));
  const [first] = recorded;
  if (!judged || !costs || !first || !costedVerdicts.has(judged.verdict)) return judged;
  const present = isPresent(spec, live) ? live : undefined;
  const recordedValues = { ...first.inputs, ...first.outputs };
  return { ...judged, hourlyCostChange: costs.changeOf(spec, name, { recorded: recordedValues, live: present }) };
}

/** Verdicts that say of an object that it is not as recorded. */
const costedVerdicts: ReadonlySet<Verdict> = new Set<Verdict>(["changed", "missing"]);

/** The object, or undefined where it is gone: for sure (A093), where that matters. */
async function find({ client, spec, as, deadline, signal }: CollectionScan, name: string): Promise<Values | undefined> {
  return (await findObject(client, { spec, name }, { as, deadline, signal })) as Values | undefined;
}

/** What nobody has recorded is no loss where the key does not see it: a refused read is enough. */
async function findUnrecorded(
  { client, spec, as, deadline, signal }: CollectionScan,
  name: string,
): Promise<Values | undefined> {
  const get = client.catalogue.require(spec.kind, "get").name;
  try {
    return (await client.call(get, { as, deadline, signal, parameters: { name } })).value;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Kinds that exist once per account have no list. */
async function readSettings(scan: CollectionScan, ledger: CollectionLedger): Promise<void> {
  const { spec, place } = scan;
  const name = fillTemplate(spec.name, { account: place.account });
  const recorded = ledger.pending.get(name);
  const live = await (recorded ? find(scan, name) : findUnrecorded(scan, name));
  ledger.noteRead(live ? 1 : 0);
  if (live) ledger.noteReferences({ ...live, name });
  if (recorded) recordVerdict(ledger, name, verdictOf(scan, name, recorded, live), live && { ...live, name });
  else if (live && isUnmanaged(scan, live)) recordUnmanaged(scan, ledger, { ...live, name });
}
