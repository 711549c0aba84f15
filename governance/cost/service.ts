import { restrictTo } from "../../provider/api/client";
import { items } from "../../provider/api/paginate";
import type { Client } from "../../provider/api/types";
import { conflictsWith, modelIn } from "../../provider/core/declaration/preflight";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { phaseOf } from "../../provider/core/declaration/states";
import { isAborted, isModelPlatformError } from "../../provider/core/errors";
import { memoize } from "../../provider/core/values/once";
import { containsUnknown, isObject, type Values, valueAt } from "../../provider/core/values/values";
import {
  type AccountCatalogue,
  createReader,
  lineageOf,
  type ShapeRules,
} from "../../provider/lifecycle/preflight-reads";
import { allSpecs, managedSpecs } from "../../provider/resources/index";
import { annotationsIn, type CostCatalogue, type CostSubject, type ShapeCandidate } from "./subject";

/** Where a model says how many parameters it has, as digits. */
const parameterCount = "baseModelDetails.parameterCount";

/** Asks the service, with reads alone, each of them once. What it refuses to tell is not known. */
export function serviceCatalogue(client: Client, signal: AbortSignal): CostCatalogue {
  const reader = createReader(client, allSpecs);
  const catalogues = new Map<string, AccountCatalogue>();
  const catalogueOf = (account: string): AccountCatalogue => {
    const catalogue = catalogues.get(account) ?? reader(account, signal);
    catalogues.set(account, catalogue);
    return catalogue;
  };

  async function shapes(spec: ResourceSpec, account: string, values: Values) {
    const catalogue = catalogueOf(account);
    const rules = spec.preflight!;
    const shape = rules.shape!;
    const input = String(values[shape.at]);
    const field = spec.fields.message.find(({ name }) => name === shape.at);
    if (field?.markers.anyValue !== input) {
      const version = await catalogue.version(shape, input, account);
      return version
        ? [candidateOf(shape, version)]
        : { unknown: readFailure(catalogue, `the shape ${JSON.stringify(input)}`) };
    }
    const model = modelIn(rules, values);
    if (!model) return { unknown: "the model is known only once the program has run, and with it the shapes for it" };
    const owned = spec.fields.message.filter(({ markers }) => markers.ownedBy?.field === shape.at);
    const deciding = [...rules.model.at, shape.at, ...owned.map(({ name }) => name)];
    const fields = Object.fromEntries(
      Object.entries(values).filter(
        ([name, value]) => deciding.includes(name) && value != null && !containsUnknown(value),
      ),
    );
    const matched = await catalogue.matching(shape, account, fields);
    if ("versions" in matched) return matched.versions.map((version) => candidateOf(shape, version));
    // Matching is a convention (A020): a service without it still lists the versions for a model.
    const { line } = await lineageOf(catalogue, rules, model);
    const models = line.length === 0 ? [model.name] : line.map((each) => String(each["name"]));
    const listed = (await catalogue.compatible(shape, models)).map((version) => candidateOf(shape, version));
    if (listed.length === 0) return { unknown: readFailure(catalogue, `the shapes for ${model.name}`) };
    return listed.filter(({ snapshot }) => conflictsWith(owned, snapshot, fields).length === 0);
  }

  const baseModel: CostCatalogue["baseModel"] = async (spec, account, name) => {
    const catalogue = catalogueOf(account);
    const { line, whole } = await lineageOf(catalogue, spec.preflight!, { path: "", name });
    const base = line.at(-1);
    if (!base || !whole) return { unknown: readFailure(catalogue, `the model ${name}`) };
    const parameters = valueAt(base, parameterCount);
    const isCount = typeof parameters === "string" && /^\d{1,18}$/.test(parameters);
    return { name: String(base["name"]), parameters: isCount ? BigInt(parameters) : undefined };
  };

  return {
    shapes: (...args) => shapes(...args).catch(unreadableLookup),
    baseModel: (...args) => baseModel(...args).catch(unreadableLookup),
  };
}

/** One that is opened when something has to be looked up; undefined where nothing can be. */
export function lazyCatalogue(open: () => Promise<CostCatalogue | undefined>): CostCatalogue {
  const opened = memoize(open);
  const closed = { unknown: "it is read from the service, which takes an API key" };
  return {
    shapes: async (...args) => (await opened())?.shapes(...args) ?? closed,
    baseModel: async (...args) => (await opened())?.baseModel(...args) ?? closed,
  };
}

/** A missing key, or a service that cannot be reached, leaves a cost unknown; it does not end a preview. */
function unreadableLookup(error: unknown): { unknown: string } {
  if (!isModelPlatformError(error) || isAborted(error)) throw error;
  return { unknown: error.message.replace(/\.$/, "") };
}

const candidateOf = (shape: ShapeRules, version: Values): ShapeCandidate => {
  const snapshot = version[shape.snapshot];
  return { name: String(version["name"]), snapshot: isObject(snapshot) ? snapshot : {} };
};

const readFailure = ({ readErrors }: AccountCatalogue, what: string): string =>
  readErrors.length > 0
    ? `${what} cannot be read: ${readErrors.at(-1)!.replace(/\.$/, "")}`
    : `the service has no ${what.replace(/^the /, "")}`;

/** Everything that is paid for in the accounts, of all creators. Only reads leave the machine. */
export async function liveSubjects(
  client: Client,
  accounts: readonly string[],
  signal: AbortSignal,
): Promise<CostSubject[]> {
  const reading = restrictTo(client, ["read"]);
  const subjects: CostSubject[] = [];
  for (const account of accounts)
    for (const spec of managedSpecs.filter(({ billing }) => billing !== undefined))
      for await (const live of items(reading, reading.catalogue.require(spec.kind, "list").name, {
        parameters: { account },
        as: account,
        signal,
      }))
        if (isPaidFor(spec, live)) subjects.push(subjectOf(spec, account, live));
  return subjects;
}

/** Not what is being deleted, nor a run that is over, whose cost is spent. */
function isPaidFor(spec: ResourceSpec, live: Values): boolean {
  const phase = phaseOf(spec.lifecycle, live);
  return phase !== "gone" && !(spec.deletion === "forever" && ["ready", "failed"].includes(phase));
}

function subjectOf(spec: ResourceSpec, account: string, live: Values): CostSubject {
  const stack = stackIn(spec, live);
  return {
    spec,
    name: String(live["name"]),
    account,
    stack,
    after: live,
    isLive: true,
  };
}

/** The stack that an object says it belongs to. */
function stackIn(spec: ResourceSpec, live: Values): string | undefined {
  const mark = spec.fields.message.find(({ markers }) => markers.carriesOwner)?.markers.carriesOwner;
  return mark && annotationsIn(live)[mark.stack];
}
