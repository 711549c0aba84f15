import type { Client } from "../../provider/api/types";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { isAborted, isModelPlatformError } from "../../provider/core/errors";
import { conflictsWith, modelIn } from "../../provider/core/rules/preflight";
import { memoize } from "../../provider/core/values/once";
import { valueAt } from "../../provider/core/values/paths";
import { containsUnknown } from "../../provider/core/values/unknowns";
import { isObject, type Values } from "../../provider/core/values/values";
import {
  type AccountCatalogue,
  createReader,
  lineageOf,
  type ShapeRules,
} from "../../provider/lifecycle/checks/catalogue-reader";
import { allSpecs } from "../../provider/resources/index";
import type { CostCatalogue, ShapeCandidate } from "./subject";

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
    if (field?.markers.serverChoice !== input) {
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
