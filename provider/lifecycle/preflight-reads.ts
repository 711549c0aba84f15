import { restrictTo } from "../api/client";
import { items, pages } from "../api/paginate";
import type { Client } from "../api/types";
import type { NamedModel, Preflight } from "../core/declaration/preflight";
import type { ResourceSpec } from "../core/declaration/resource";
import { isConfigurationError, isModelPlatformError, isNotFound } from "../core/errors";
import { accountOf, matchTemplate, parametersOf, snakeCase } from "../core/values/names";
import { valueAt } from "../core/values/values";
import type { ReadEntries, ReadEntry } from "./memory/known-reads";
import type { Values } from "./types";

export type ShapeRules = NonNullable<Preflight["shape"]>;

/** Reads with one account's key. Missing or unreadable objects are undefined or empty. */
export interface AccountCatalogue {
  warnings: string[];
  /** What the service has rejected so far, in its words. */
  readErrors: readonly string[];
  get(kind: string, name: string): Promise<Values | undefined>;
  /** Whether the service has rejected a read so far. */
  isPartial(): boolean;
  /** Whether the service reports that the object does not exist, or is not visible to this key. */
  isMissing(kind: string, name: string): Promise<boolean>;
  /** The latest validated versions of the shapes for the first of `models` with validated shapes. */
  compatible(shape: ShapeRules, models: readonly string[]): Promise<readonly Values[]>;
  /** The versions with which the service could create the object, by these fields only; or its rejection. */
  matching(
    shape: ShapeRules,
    account: string,
    fields: Values,
  ): Promise<{ versions: readonly Values[] } | { refused: string }>;
  /** The version that a shape's name, a version's name or a shape's id refers to. */
  version(shape: ShapeRules, input: string, account: string): Promise<Values | undefined>;
}

/** From this many objects of a collection on, or models with shapes, a list costs less than their reads. */
const listFrom = 3;

/**
 * The objects of one collection, by name: the first few are read on their own, the others from pages of its list, as
 * long as there are fewer pages than reads. A list that fails proves nothing.
 */
class CollectionReads {
  private readonly listed = new Map<string, Values>();
  private asked = 0;
  private pagesRead = 0;
  private isOver = false;
  private turn: Promise<void> = Promise.resolve();

  constructor(
    private readonly list: AsyncIterator<readonly Values[]>,
    private readonly get: (name: string) => Promise<Values>,
  ) {}

  async find(name: string): Promise<Values> {
    this.asked += 1;
    if (this.asked >= listFrom) await (this.turn = this.turn.then(() => this.readUntil(name)));
    return this.listed.get(name) ?? this.get(name);
  }

  private async readUntil(name: string): Promise<void> {
    while (!this.isOver && !this.listed.has(name) && this.pagesRead < this.asked) {
      const page = await this.list.next().catch(() => undefined);
      this.isOver = page === undefined || page.done === true;
      this.pagesRead += 1;
      for (const object of page?.value ?? []) this.listed.set(String(object["name"]), object);
    }
  }
}

/** A list of versions of shapes, which may be those of any account and shape. */
interface VersionList {
  kind: string;
  parameters: Record<string, string>;
  filter: string;
}

const latestOf = ({ kind, latest }: ShapeRules, parameters: Record<string, string>): VersionList => ({
  ...{ kind, parameters },
  filter: `${snakeCase(latest)}=true`,
});

const titleOf = ({ kind, parameters, filter }: VersionList): string =>
  `${kind} ${Object.values(parameters).join("/")} with ${filter}`;

/** The account's reads so far in this process. */
class AccountReads {
  readonly collections = new Map<string, CollectionReads>();
  /** Models whose shapes have been listed one by one. */
  readonly modelsWithShapes = new Set<string>();
  /** A rejection has been reported: the others have the same cause, the rights of the key. */
  isRejectionReported = false;
}

/** Sends every read once per account, and less than one per object; reports the first rejection of an account. */
export function createReader(
  client: Client,
  specs: readonly ResourceSpec[],
  known: ReadEntries = new Map(),
): (account: string, signal: AbortSignal) => AccountCatalogue {
  // A list that hides some of what it counts is no news: what is asked for is read on its own.
  const { remark: _, ...reading } = restrictTo(client, ["read"]);
  const asking = restrictTo(client, ["read", "readViaPost"]);
  const readsByAccount = new Map<string, AccountReads>();
  const specOf = (kind: string): ResourceSpec => specs.find((spec) => spec.kind === kind)!;
  /** Template of what an object belongs to, which determines the parameters of its list. */
  const parentOf = (kind: string): string => specOf(kind).name.replace(/\/[^/]+\/\{\w+\}$/, "");

  return (account, signal) => {
    const warnings: string[] = [];
    const readErrors: string[] = [];
    let isPartial = false;
    const reads = readsByAccount.get(account) ?? new AccountReads();
    readsByAccount.set(account, reads);

    const keyOf = (what: string): string => `${account} ${what}`;

    async function once(what: string, read: () => Promise<ReadEntry>): Promise<ReadEntry> {
      const key = keyOf(what);
      const earlier = known.get(key);
      const pending = earlier ?? read().catch((error: unknown) => unreadableEntry(error));
      known.set(key, pending);
      const { readError } = await pending;
      isPartial ||= readError !== undefined;
      if (readError !== undefined) readErrors.push(readError);
      if (readError !== undefined && !earlier && !reads.isRejectionReported) {
        reads.isRejectionReported = true;
        warnings.push(
          `preflight could not read ${what}; it skips the checks that need this, or anything else that this key may not read in account ${account}: ${readError}`,
        );
      }
      return pending;
    }

    function collectionOf(kind: string, member: string): CollectionReads {
      const collection = `${kind} in ${member.slice(0, member.lastIndexOf("/"))}`;
      const collected = reads.collections.get(collection) ?? createCollection(kind, member);
      reads.collections.set(collection, collected);
      return collected;
    }

    function createCollection(kind: string, member: string): CollectionReads {
      const get = async (name: string): Promise<Values> =>
        (await reading.call(client.catalogue.require(kind, "get").name, { parameters: { name }, as: account, signal }))
          .value;
      return new CollectionReads(membersBeside(kind, member), get);
    }

    /** Page by page, the list of the collection that contains the object. */
    async function* membersBeside(kind: string, member: string): AsyncGenerator<readonly Values[]> {
      const list = client.catalogue.find(kind, "list");
      if (!list) return;
      const template = parentOf(kind);
      const parameters = matchTemplate(template, member.split("/").slice(0, template.split("/").length).join("/"));
      for await (const page of pages(reading, list.name, { parameters, as: account, signal })) yield page.items;
    }

    async function find(kind: string, name: string): Promise<ReadEntry | undefined> {
      if (!matchTemplate(specOf(kind).name, name)) return undefined;
      const read = async (): Promise<ReadEntry> => ({ value: await collectionOf(kind, name).find(name) });
      return once(name, read);
    }

    const get = async (kind: string, name: string): Promise<Values | undefined> => (await find(kind, name))?.value;

    async function isMissing(kind: string, name: string): Promise<boolean> {
      const entry = await find(kind, name);
      return entry !== undefined && entry.value === undefined && entry.readError === undefined;
    }

    async function versions(list: VersionList): Promise<readonly Values[]> {
      const read = async (): Promise<ReadEntry> => {
        const { kind, parameters, filter } = list;
        const { name } = client.catalogue.require(kind, "list");
        const values: Values[] = [];
        for await (const version of items(reading, name, { parameters, query: { filter }, as: account, signal }))
          values.push(version);
        return { values };
      };
      return (await once(titleOf(list), read)).values ?? [];
    }

    const anywhere = ({ kind }: ShapeRules): Record<string, string> =>
      Object.fromEntries(parametersOf(parentOf(kind)).map((parameter) => [parameter, "-"]));

    /** The latest validated versions for the model, on their own while few models are asked about. */
    async function versionsFor(shape: ShapeRules, model: string): Promise<readonly Values[]> {
      reads.modelsWithShapes.add(model);
      const ofAll = latestOf(shape, anywhere(shape));
      const isListed = known.has(keyOf(titleOf(ofAll)));
      if (reads.modelsWithShapes.size < listFrom && !isListed)
        return versions({ ...ofAll, filter: `${snakeCase(shape.model)}=${JSON.stringify(model)} AND ${ofAll.filter}` });
      const all = await versions(ofAll);
      return all.filter((version) => valueAt(version, shape.model) === model);
    }

    return {
      warnings,
      readErrors,
      get,
      isMissing,
      isPartial: () => isPartial,
      async compatible(shape, models) {
        for (const model of models) {
          const entry = await versionsFor(shape, model);
          if (entry.length > 0) return entry;
        }
        return [];
      },
      async matching({ kind }, own, fields) {
        const { path = [] } = specOf(kind).operations["match"]?.body?.within ?? {};
        const body = path.reduceRight<Values>((inner, name) => ({ [name]: inner }), fields);
        const read = async (): Promise<ReadEntry> => {
          const operation = client.catalogue.require(kind, "match");
          const response = await asking.call(operation.name, {
            parameters: { account: own },
            body,
            as: account,
            signal,
          });
          const versions = response.value[operation.spec.collection];
          return { values: Array.isArray(versions) ? (versions as Values[]) : [] };
        };
        const { values, readError = "it knows none" } = await once(`shapes that match ${JSON.stringify(fields)}`, read);
        return values ? { versions: values } : { refused: readError };
      },
      async version(shape, input, own) {
        if (matchTemplate(specOf(shape.kind).name, input)) return get(shape.kind, input);
        if (input.includes("/")) {
          const parameters = matchTemplate(parentOf(shape.kind), input);
          return parameters ? (await versions(latestOf(shape, parameters)))[0] : undefined;
        }
        const id = { [parametersOf(parentOf(shape.kind)).at(-1)!]: input };
        const entry = await versions(latestOf(shape, { ...anywhere(shape), ...id }));
        return entry.length === 1 ? entry[0] : entry.find((version) => accountOf(String(version["name"])) === own);
      },
    };
  };
}

/**
 * Treats a response without an object as "none, or not visible". No response at all is an error, and so is a key that
 * the service does not know. A command that prints no key here may print one where `up` runs.
 */
function unreadableEntry(error: unknown): ReadEntry {
  if (isNotFound(error)) return {};
  if (isConfigurationError(error)) return { readError: error.message };
  if (!isModelPlatformError(error) || error.status === undefined || error.status === 401) throw error;
  return { readError: error.message };
}

/** The model and those it is an addon of, base last; `whole` if the chain reaches the base. */
export async function lineageOf(
  catalogue: AccountCatalogue,
  { model: { kind, base } }: Preflight,
  { name }: NamedModel,
): Promise<{ line: Values[]; whole: boolean }> {
  const line: Values[] = [];
  let next: unknown = name;
  while (typeof next === "string" && next !== "" && !line.some((each) => each["name"] === next)) {
    const model = await catalogue.get(kind, next);
    if (!model) return { line, whole: false };
    line.push({ ...model, name: next });
    next = valueAt(model, base);
  }
  return { line, whole: true };
}
