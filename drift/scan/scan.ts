import { restrictTo } from "../../provider/api/client";
import type { Client } from "../../provider/api/types";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import {
  isConfigurationError,
  isForbidden,
  isModelPlatformError,
  type ModelPlatformError,
  messageOf,
} from "../../provider/core/errors";
import { accountOf } from "../../provider/core/values/names";
import { managedSpecs } from "../../provider/resources/index";
import type { ScanTarget } from "./accounts";
import { scanCollection } from "./collection";
import type { CollectionResult, CollectionScan, CostComparison } from "./collection-scan";
import type { Finding, Verdict } from "./finding-document";
import type { RecordedObject } from "./recorded-object";
import { ForeignModels, type ModelDates, modelDates } from "./retirements";
import type { ObjectSelection } from "./selection";
import { knownOf, producedObjects } from "./unmanaged";

/** The result for an account. */
export interface AccountResult {
  account: string;
  origin: string;
  collections: CollectionResult[];
  /** What is made from models that are taken down, and models of others of which that is not known. */
  models: ModelDates;
  /** What else the account contains. */
  findings: Finding[];
}

/** Sees what an account holds, and says what it finds in it. */
export interface AccountAuditor {
  onObject: NonNullable<CollectionScan["onObject"]>;
  /** Whether it says "none" of a kind, so that no object may go unseen. */
  needsAll(spec: ResourceSpec): boolean;
  /** Whether it is a finding that an account has no settings of a kind. */
  holdsAbsence(spec: ResourceSpec): boolean;
  /** Called for such settings, if the service is sure that there are none. */
  onAbsence: NonNullable<CollectionScan["onAbsence"]>;
  /** Called once everything is read. */
  findings(models: ModelDates): Finding[];
}

/** How far a scan of an account is. */
export interface Progress {
  account: string;
  /** Collections of the account that are over, of how many. */
  done: number;
  of: number;
  /** Live objects read so far. */
  objects: number;
  /** Why nothing of the account can be read. */
  problem?: string;
}

/** Collections that an interrupted scan has read, so that the next one need not. */
export interface Journal {
  find(scan: CollectionScan): Promise<CollectionResult | undefined>;
  /** Durable when it resolves. */
  write(scan: CollectionScan, result: CollectionResult): Promise<void>;
  /** The scan came to its end: what it kept is of no more use. */
  clear(): Promise<void>;
}

interface ScanOptions<Concluded> {
  client: Client;
  targets: readonly ScanTarget[];
  objectsOf(account: string): readonly RecordedObject[];
  /** Called as soon as an account is read: what it keeps of it is all that stays in memory. */
  conclude(result: AccountResult, objects: readonly RecordedObject[]): Promise<Concluded>;
  isListed(verdict: Verdict): boolean;
  /** Accounts that are read at once. */
  concurrency: number;
  /** Milliseconds since 1970. */
  deadline: number;
  signal: AbortSignal;
  journal?: Journal;
  costs?: CostComparison | undefined;
  wanted?: ObjectSelection | undefined;
  auditor?(target: ScanTarget): AccountAuditor;
  onProgress?(progress: Progress): void;
}

/** Kinds of objects that stacks manage and an account has a list of, or one of. */
export const scannedSpecs: readonly ResourceSpec[] = managedSpecs;

/**
 * Scans accounts side by side; what goes wrong in one costs only its own rows. Nothing but reads leaves the machine:
 * the client refuses anything else. Rejects with the reason of `signal` when that aborts.
 */
export async function scan<Concluded>(options: ScanOptions<Concluded>): Promise<Concluded[]> {
  const client = restrictTo(options.client, ["read"]);
  const waiting = options.targets.map((target, index) => ({ target, index }));
  const foreign = new ForeignModels(scannedSpecs.find(({ retires }) => retires !== undefined)!);
  const results: Concluded[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const objects = options.objectsOf(next.target.account);
      const result = await scanAccount({ ...options, client, objects }, next.target, foreign);
      results[next.index] = await options.conclude(result, objects);
    }
  };
  await Promise.all(Array.from({ length: Math.min(options.concurrency, waiting.length) }, work));
  return results;
}

interface AccountScan extends Omit<ScanOptions<unknown>, "objectsOf" | "conclude"> {
  objects: readonly RecordedObject[];
}

async function scanAccount(options: AccountScan, target: ScanTarget, foreign: ForeignModels): Promise<AccountResult> {
  const { client, objects, isListed, deadline, signal, journal, onProgress = () => {} } = options;
  const { account, origin, as, problem } = target;
  const known = knownOf(objects);
  const auditor = options.auditor?.(target);
  const progress: Progress = { account, done: 0, of: scannedSpecs.length, objects: 0 };
  onProgress({ ...progress });

  const readCollection = async (spec: ResourceSpec, reader: Client): Promise<CollectionResult> => {
    let before = 0;
    const onRead = (count: number): void => {
      progress.objects += count - before;
      before = count;
      onProgress({ ...progress });
    };
    const each: CollectionScan = {
      client: reader,
      specs: scannedSpecs,
      spec,
      place: { account, origin },
      objects: [...objects.filter((object) => object.spec === spec), ...producedObjects(objects, spec, account)],
      known,
      isListed,
      allowEndpointChange: client.settings.allowEndpointChange,
      deadline,
      signal,
      onRead,
      as,
      costs: options.costs,
      wanted: options.wanted,
      onObject: auditor?.onObject,
      needsAll: auditor?.needsAll(spec),
      onAbsence: auditor?.holdsAbsence(spec) ? auditor.onAbsence : undefined,
    };
    const kept = await journal?.find(each);
    if (kept) onRead(kept.read);
    const result = kept ?? (await scanCollection(each));
    if (!kept && result.status === "read") await journal?.write(each, result);
    progress.done += 1;
    onProgress({ ...progress });
    return result;
  };

  const access = problem === undefined ? accessOf(client, as) : closedAccess(client, problem);
  const [first, ...others] = scannedSpecs;
  const opened = await readCollection(first!, access.client);
  if (opened.status === "forbidden") access.close();
  if (access.problem() !== undefined) progress.problem = problemText(access.problem());
  const rest = await awaitAll(others.map((spec) => readCollection(spec, access.client)));
  const collections = [opened, ...rest];
  const lineages = collections.map(({ lineage }) => lineage);
  const models = await modelDates(lineages, foreign, { client: access.client, account, origin, as, deadline, signal });
  return {
    account,
    origin,
    collections: withNeededReferences(account, collections),
    models,
    findings: auditor?.findings(models) ?? [],
  };
}

/** Only references to what was found in the account, or is in another one: the others are of no more use. */
function withNeededReferences(account: string, collections: readonly CollectionResult[]): CollectionResult[] {
  const reportedNames = new Set(collections.flatMap(({ findings }) => findings.map(({ name }) => name)));
  return collections.map((collection) => ({
    ...collection,
    lineage: { models: {}, derived: [] },
    references: collection.references.filter(([, to]) => reportedNames.has(to) || accountOf(to) !== account),
  }));
}

/**
 * The way to an account's objects: closed for good once the service refuses the
 * key, so that no more requests are sent with it.
 */
interface AccountAccess {
  client: Client;
  /** Closes it because of the last refusal. */
  close(): void;
  problem(): unknown;
}

/**
 * An unknown key (401) can read nothing, and neither can one that is not there; one refused for a collection (403) may
 * still read others, unless that was the first.
 */
function accessOf(client: Client, as: string): AccountAccess {
  let refusal: unknown;
  let problem: unknown;
  const call: Client["call"] = async (...args) => {
    if (problem !== undefined) throw problem;
    try {
      return await client.call(...args);
    } catch (error) {
      if (isForbidden(error)) refusal = error;
      const isWithoutKey = isConfigurationError(error) && error.account === as;
      if (isWithoutKey || (isModelPlatformError(error) && error.status === 401)) problem = error;
      throw error;
    }
  };
  return { client: { ...client, call }, close: () => (problem ??= refusal), problem: () => problem };
}

/** Results of an account that cannot be read at all. */
const closedAccess = (client: Client, problem: unknown): AccountAccess => ({
  client: { ...client, call: () => Promise.reject(problem as Error) },
  close: () => {},
  problem: () => problem,
});

const problemText = (problem: unknown): string =>
  isForbidden(problem) ? `refused the key (${(problem as ModelPlatformError).status})` : messageOf(problem);

/** All results, or the first failure once nothing is under way any longer. */
async function awaitAll<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}
