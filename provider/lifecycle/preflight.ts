import { restrictTo } from "../api/client";
import { items } from "../api/paginate";
import type { Client } from "../api/types";
import { desiredFields, managedFields } from "../core/comparison/desired";
import { isNew } from "../core/declaration/own-fields";
import {
  modelIn,
  type NamedModel,
  type Preflight,
  shapeFailures,
  tuningFailures,
  unvalidatedHardware,
} from "../core/declaration/preflight";
import type { ResourceSpec } from "../core/declaration/resource";
import { modelFacts, retirementOf, retirementText, urgencyOf } from "../core/declaration/retirement";
import type { RuleFailure } from "../core/declaration/rules";
import { isConfigurationError, isModelPlatformError, isNotFound } from "../core/errors";
import { dayOf } from "../core/values/grouping";
import { accountOf, matchTemplate, parametersOf, snakeCase } from "../core/values/names";
import { isUnknown, valueAt } from "../core/values/values";
import { hooksOf } from "../kinds/index";
import type { Ports, PreflightSubject } from "./ports";
import type { Values } from "./types";

type CatalogueEntry = { value?: Values; values?: readonly Values[]; readError?: string };

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

/** Sends every read once per process and account; reports a rejection to the first caller only. */
export function createReader(
  client: Client,
  specs: readonly ResourceSpec[],
): (account: string, signal: AbortSignal) => AccountCatalogue {
  const reading = restrictTo(client, ["read"]);
  const asking = restrictTo(client, ["read", "readViaPost"]);
  const known = new Map<string, Promise<CatalogueEntry>>();
  const specOf = (kind: string): ResourceSpec => specs.find((spec) => spec.kind === kind)!;

  return (account, signal) => {
    const warnings: string[] = [];
    const readErrors: string[] = [];
    let isPartial = false;

    async function once(what: string, read: () => Promise<CatalogueEntry>): Promise<CatalogueEntry> {
      const key = `${account} ${what}`;
      const earlier = known.get(key);
      const pending = earlier ?? read().catch((error: unknown) => unreadableEntry(error));
      known.set(key, pending);
      const { readError } = await pending;
      isPartial ||= readError !== undefined;
      if (readError !== undefined) readErrors.push(readError);
      if (readError !== undefined && !earlier)
        warnings.push(`preflight could not read ${what}, and continues without it: ${readError}`);
      return pending;
    }

    async function find(kind: string, name: string): Promise<CatalogueEntry | undefined> {
      if (!matchTemplate(specOf(kind).name, name)) return undefined;
      const read = async (): Promise<CatalogueEntry> => ({
        value: (
          await reading.call(client.catalogue.require(kind, "get").name, { parameters: { name }, as: account, signal })
        ).value,
      });
      return once(name, read);
    }

    const get = async (kind: string, name: string): Promise<Values | undefined> => (await find(kind, name))?.value;

    async function isMissing(kind: string, name: string): Promise<boolean> {
      const entry = await find(kind, name);
      return entry !== undefined && entry.value === undefined && entry.readError === undefined;
    }

    async function versions(
      { kind, latest }: ShapeRules,
      of: { parameters: Record<string, string>; filter?: string },
    ): Promise<readonly Values[]> {
      const filter = [...(of.filter === undefined ? [] : [of.filter]), `${snakeCase(latest)}=true`].join(" AND ");
      const read = async (): Promise<CatalogueEntry> => {
        const values: Values[] = [];
        for await (const version of items(reading, client.catalogue.require(kind, "list").name, {
          parameters: of.parameters,
          query: { filter },
          as: account,
          signal,
        }))
          values.push(version);
        return { values };
      };
      return (await once(`${kind} ${Object.values(of.parameters).join("/")} with ${filter}`, read)).values ?? [];
    }

    /** Template of the shape that a version belongs to, which determines the parameters of the list. */
    const parentOf = ({ kind }: ShapeRules): string => specOf(kind).name.replace(/\/[^/]+\/\{\w+\}$/, "");
    const anywhere = (shape: ShapeRules): Record<string, string> =>
      Object.fromEntries(parametersOf(parentOf(shape)).map((parameter) => [parameter, "-"]));

    return {
      warnings,
      readErrors,
      get,
      isMissing,
      isPartial: () => isPartial,
      async compatible(shape, models) {
        for (const model of models) {
          const entry = await versions(shape, {
            parameters: anywhere(shape),
            filter: `${snakeCase(shape.model)}=${JSON.stringify(model)}`,
          });
          if (entry.length > 0) return entry;
        }
        return [];
      },
      async matching({ kind }, own, fields) {
        const { path = [] } = specOf(kind).operations["match"]?.body?.within ?? {};
        const body = path.reduceRight<Values>((inner, name) => ({ [name]: inner }), fields);
        const read = async (): Promise<CatalogueEntry> => {
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
          const parameters = matchTemplate(parentOf(shape), input);
          return parameters ? (await versions(shape, { parameters }))[0] : undefined;
        }
        const entry = await versions(shape, {
          parameters: { ...anywhere(shape), [parametersOf(parentOf(shape)).at(-1)!]: input },
        });
        return entry.length === 1 ? entry[0] : entry.find((version) => accountOf(String(version["name"])) === own);
      },
    };
  };
}

/** Treats a response without an object as "none, or not visible". No response at all is an error. */
function unreadableEntry(error: unknown): CatalogueEntry {
  if (isNotFound(error)) return {};
  if (!isModelPlatformError(error) || isConfigurationError(error) || error.status === undefined || error.status === 401)
    throw error;
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

/**
 * Checks before the first write: reads policy, models and shapes, and judges by them. Rejects if the service cannot be
 * reached.
 */
export function createPreflight(client: Client, specs: readonly ResourceSpec[], now: () => number): Ports["preflight"] {
  const reader = createReader(client, specs);
  const governance = specs.find((spec) => hooksOf(spec).policyViolations)!;
  /** Policies that the program itself declares; resources that depend on one are judged by it. */
  const declared = new Map<string, PreflightSubject>();

  async function policyOf(catalogue: AccountCatalogue, account: string): Promise<Values> {
    const live = (await catalogue.get(governance.kind, governance.name.replace("{account}", account))) ?? {};
    const own = declared.get(account);
    return own ? { ...live, ...desiredFields(governance, own.inputs, managedFields(governance, own.olds)) } : live;
  }

  async function judgeNew(
    catalogue: AccountCatalogue,
    { account, inputs }: PreflightSubject,
    rules: Preflight,
  ): Promise<RuleFailure[]> {
    const forbidden = hooksOf(governance).policyViolations!(await policyOf(catalogue, account), rules, inputs);
    const model = modelIn(rules, inputs);
    if (!model) return forbidden;
    const { line, whole } = await lineageOf(catalogue, rules, model);
    if (line.length === 0 && (await catalogue.isMissing(rules.model.kind, model.name)))
      catalogue.warnings.push(
        `\`${model.path}\`: preflight finds no model ${model.name}; unless this run makes it, the service refuses it`,
      );
    return [
      ...forbidden,
      ...(whole ? tuningFailures(rules, model, line.at(-1)!, inputs) : []),
      ...retirementFailures(catalogue, model, line),
    ];
  }

  /** By the models that are read anyway. A warning until it is an error. */
  function retirementFailures(
    catalogue: AccountCatalogue,
    { path, name }: NamedModel,
    line: readonly Values[],
  ): RuleFailure[] {
    const spec = specs.find(({ retires }) => retires !== undefined)!;
    const facts = new Map(line.map((model) => [String(model["name"]), modelFacts(spec, model)]));
    const today = dayOf(now());
    const retirement = retirementOf(name, (model) => facts.get(model));
    const urgency = retirement && urgencyOf(retirement.day, today, client.settings.retirementNotice);
    if (!retirement || !urgency) return [];
    const reason = `${retirementText(retirement, today)}. Choose another model`;
    if (urgency === "error") return [{ path, reason }];
    catalogue.warnings.push(`\`${path}\`: ${reason}`);
    return [];
  }

  async function judgeShape(
    catalogue: AccountCatalogue,
    { spec, account, inputs }: PreflightSubject,
    rules: Preflight,
  ): Promise<RuleFailure[]> {
    const { shape } = rules;
    const model = modelIn(rules, inputs);
    const input = shape && inputs[shape.at];
    if (!shape || !model || typeof input !== "string" || input === "" || isUnknown(input)) return [];
    const fields = [...spec.fields.message, ...spec.fields.directives];
    const owned = fields.filter((field) => field.markers.ownedBy?.field === shape.at);
    const isAny = fields.find((field) => field.name === shape.at)?.markers.anyValue === input;
    const named = isAny ? undefined : await catalogue.version(shape, input, account);
    if (!isAny && !named) {
      if (!catalogue.isPartial())
        catalogue.warnings.push(
          `\`${shape.at}\`: preflight finds no validated version of the shape ${input}; the service may refuse it`,
        );
      return [];
    }
    const { line } = await lineageOf(catalogue, rules, model);
    const models = line.length === 0 ? [model.name] : line.map((each) => String(each["name"]));
    if (named) catalogue.warnings.push(...warningsOfForeign(shape, named, models));
    if (named && shapeFailures(shape, owned, inputs, { named, compatible: [] }).length === 0) return [];
    const compatible = await catalogue.compatible(shape, models);
    return shapeFailures(shape, owned, inputs, { compatible, named });
  }

  /** The service rejects such a combination late, and without a reason. */
  async function judgeHardware(
    catalogue: AccountCatalogue,
    { inputs }: PreflightSubject,
    rules: Preflight,
  ): Promise<void> {
    const { shape } = rules;
    const model = modelIn(rules, inputs);
    if (!shape || !model || !shape.hardware.some((name) => inputs[name] !== undefined)) return;
    const { line } = await lineageOf(catalogue, rules, model);
    const models = line.length === 0 ? [model.name] : line.map((each) => String(each["name"]));
    const mismatch = unvalidatedHardware(shape, await catalogue.compatible(shape, models), inputs);
    if (mismatch)
      catalogue.warnings.push(
        `${mismatch.requested}: preflight finds no validated shape for ${models[0]!} that has this, and without one a deployment typically fails. There is ${mismatch.validated}`,
      );
  }

  return async (subject) => {
    const { spec, account, olds, inputs, signal } = subject;
    if (spec === governance) declared.set(account, subject);
    const rules = spec.preflight;
    if (!rules) return { failures: [], warnings: [] };
    const catalogue = reader(account, signal);
    const creates = isNew(olds);
    const isReshaped = rules.shape !== undefined && olds[rules.shape.at] !== inputs[rules.shape.at];
    const failures = [
      ...(creates ? await judgeNew(catalogue, subject, rules) : []),
      ...(creates || isReshaped ? await judgeShape(catalogue, subject, rules) : []),
    ];
    if (creates) await judgeHardware(catalogue, subject, rules);
    return {
      failures: failures.map(({ path, reason }) => ({ property: path, reason: `${reason} (preflight)` })),
      warnings: catalogue.warnings,
    };
  };
}

/** A shape serves the model that it is made for, and addons of that model. */
function warningsOfForeign(shape: ShapeRules, version: Values, models: readonly string[]): string[] {
  const own = valueAt(version, shape.model);
  if (typeof own !== "string" || own === "" || models.includes(own)) return [];
  return [
    `\`${shape.at}\`: ${String(version["name"])} is a shape for ${own}, not for ${models[0]!}; the service may refuse it`,
  ];
}
