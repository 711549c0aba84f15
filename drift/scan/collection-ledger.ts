import { unusableIn } from "../../provider/api/unusable-values";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { isDeleted } from "../../provider/core/declaration/states";
import { isForbidden, isModelPlatformError, type ModelPlatformError, messageOf } from "../../provider/core/errors";
import { accountOf } from "../../provider/core/values/names";
import type { Values } from "../../provider/core/values/values";
import { assertSameEndpoint } from "../../provider/lifecycle/memory/identity";
import { neededToRead } from "../../provider/lifecycle/operation";
import { isNone } from "../../provider/lifecycle/read";
import type { CollectionResult, CollectionScan } from "./collection-scan";
import { findingOf, maskedFinding } from "./finding";
import type { Finding, Verdict } from "./finding-document";
import { namesIn, type RecordedObject, serviceAccount } from "./recorded-object";
import { type Lineage, noteLineage } from "./retirements";
import { createJudgement, isPresent, type Judgement } from "./verdict";

/** Keeps the verdicts of a collection, one per object. */
export class CollectionLedger {
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

/**
 * The value that keeps an object from being judged: of what a stack manages of it, and its state; for whoever is shown
 * objects, any. Nobody's object has none.
 */
export function unusableOf(
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

export const failedJudgement = (error: unknown): Judgement => createJudgement(failureOf(error), reasonOf(error));

/** Without an answer, the request says nothing: a service that cannot be reached is one reason for whatever it has. */
export function reasonOf(error: unknown): string {
  const message = messageOf(error);
  if (!isModelPlatformError(error) || error.status !== undefined) return message;
  const request = `${error.operation} (${error.method} ${error.path}) `;
  return message.startsWith(request) ? message.slice(request.length) : message;
}
