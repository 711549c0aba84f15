import type { Client } from "../../provider/api/types";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { Values } from "../../provider/core/values/values";
import type { CollectionReport } from "./document";
import type { ObjectLocation } from "./finding";
import type { Finding, Verdict } from "./finding-document";
import type { RecordedObject } from "./recorded-object";
import type { Lineage } from "./retirements";
import type { ObjectSelection } from "./selection";
import type { KnownObjects } from "./unmanaged";

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
