import type { Client } from "../../provider/api/types";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { isForbidden, isModelPlatformError, messageOf } from "../../provider/core/errors";
import { accountOf } from "../../provider/core/values/names";
import type { Values } from "../../provider/core/values/values";
import { assertSameEndpoint } from "../../provider/lifecycle/identity";
import { serviceAccount } from "./accounts";
import { namesIn } from "./dependents";
import type { CollectionReport } from "./document";
import { findingOf, type ObjectLocation } from "./finding";
import type { Finding, Verdict } from "./finding-schema";
import type { RecordedObject } from "./recorded-object";
import { type Lineage, noteLineage } from "./retirements";
import type { KnownObjects, ObjectSelection } from "./unmanaged";
import { createJudgement, isPresent, type Judgement } from "./verdict";

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
  known: KnownObjects;
  isListed(verdict: Verdict): boolean;
  allowEndpointChange: boolean;
  /** Milliseconds since 1970. */
  deadline: number;
  signal: AbortSignal;
  costs?: CostComparison | undefined;
  /** Of the unmanaged objects, only these are listed. */
  wanted?: ObjectSelection | undefined;
  /** Sees each live object that is managed or should be, with the resources that record it. */
  onObject?: ((spec: ResourceSpec, live: Values, records: readonly RecordedObject[]) => void) | undefined;
  /** Called with how many live objects have been read. */
  onRead(count: number): void;
}

/** The result for one collection of one account. Plain JSON: an interrupted scan keeps it on disk. */
export interface CollectionResult extends CollectionReport {
  status: "read" | "forbidden" | "error";
  counts: Partial<Record<Verdict, number>>;
  /** Of the verdicts that are listed. */
  findings: Finding[];
  /** Unmanaged objects that are counted, and not wanted in the list. */
  leftOut?: number | undefined;
  /** Names of live objects, each with the name of another object that it names. */
  references: [from: string, to: string][];
  lineage: Lineage;
}

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
      this.#findings.push(client.redactor.value(findingOf({ ...place, spec, name }, recorded, judged)));
    this.#pending.delete(name);
  }

  /** Shows a live object; `records` is undefined for one that is neither managed nor should be. */
  noteLive(live: Values, records: readonly RecordedObject[] | undefined): void {
    const { spec, onObject } = this.#scan;
    if (!isPresent(spec, live)) return;
    noteLineage(this.#lineage, spec, live, records);
    if (records) onObject?.(spec, live, records);
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
