import { restricted } from "../../api/client";
import { items } from "../../api/paginate";
import type { Client } from "../../api/types";
import { desiredFields, managedFields } from "../../core/comparison/desired";
import { isNew } from "../../core/declaration/own-records";
import type { ResourceSpec } from "../../core/declaration/resource";
import { isConfigurationError, isModelPlatformError, isNotFound } from "../../core/errors";
import {
  modelIn,
  type NamedModel,
  type Preflight,
  policyFailures,
  shapeFailures,
  tuningFailures,
} from "../../core/rules/preflight";
import type { RuleFailure } from "../../core/rules/rules";
import { accountOf, matchTemplate, parametersOf, snakeCase } from "../../core/values/names";
import { valueAt } from "../../core/values/paths";
import { isUnknown } from "../../core/values/unknowns";
import type { Preflighter, Subject } from "../ports/ports";
import type { Values } from "../types";

type Found = { value?: Values; values?: readonly Values[]; refused?: string };

/**
 * Checks before the first write: reads policy, models and shapes, and judges by them. Rejects if the service cannot be
 * reached.
 */
export function createPreflight(client: Client, specs: readonly ResourceSpec[]): Preflighter {
  const reader = createReader(client, specs);
  const governance = specs.find((spec) => spec.loosening)!;
  /** Policies that the program itself declares; resources that depend on one are judged by it. */
  const declared = new Map<string, Subject>();

  async function policyOf(look: Look, account: string): Promise<Values> {
    const live = (await look.get(governance.kind, governance.name.replace("{account}", account))) ?? {};
    const own = declared.get(account);
    return own ? { ...live, ...desiredFields(governance, own.inputs, managedFields(governance, own.olds)) } : live;
  }

  async function judgeNew(look: Look, { account, inputs }: Subject, rules: Preflight): Promise<RuleFailure[]> {
    const forbidden = policyFailures(rules, governance.loosening!, await policyOf(look, account), inputs);
    const model = modelIn(rules, inputs);
    if (!model) return forbidden;
    const { line, whole } = await lineageOf(look, rules, model);
    if (line.length === 0 && (await look.isMissing(rules.model.kind, model.name)))
      look.warnings.push(
        `\`${model.path}\`: preflight finds no model ${model.name}; unless this run makes it, the service refuses it`,
      );
    return [...forbidden, ...(whole ? tuningFailures(rules, model, line.at(-1)!, inputs) : [])];
  }

  async function judgeShape(look: Look, { spec, account, inputs }: Subject, rules: Preflight): Promise<RuleFailure[]> {
    const { shape } = rules;
    const model = modelIn(rules, inputs);
    const input = shape && inputs[shape.at];
    if (!shape || !model || typeof input !== "string" || input === "" || isUnknown(input)) return [];
    const fields = [...spec.fields.message, ...spec.fields.directives];
    const owned = fields.filter((field) => field.markers.ownedBy?.field === shape.at);
    const isAny = fields.find((field) => field.name === shape.at)?.markers.anyValue === input;
    const named = isAny ? undefined : await look.version(shape, input, account);
    if (!isAny && !named) {
      if (!look.isPartial())
        look.warnings.push(
          `\`${shape.at}\`: preflight finds no validated version of the shape ${input}; the service may refuse it`,
        );
      return [];
    }
    const { line } = await lineageOf(look, rules, model);
    const models = line.length === 0 ? [model.name] : line.map((each) => String(each["name"]));
    if (named) look.warnings.push(...anothers(shape, named, models));
    if (named && shapeFailures(shape, owned, inputs, { named, compatible: [] }).length === 0) return [];
    const compatible = await look.compatible(shape, models);
    return shapeFailures(shape, owned, inputs, { compatible, ...(named && { named }) });
  }

  return {
    async judge(subject) {
      const { spec, account, olds, inputs, signal } = subject;
      if (spec === governance) declared.set(account, subject);
      const rules = spec.preflight;
      if (!rules) return { failures: [], warnings: [] };
      const look = reader(account, signal);
      const creates = isNew(olds);
      const isReshaped = rules.shape !== undefined && olds[rules.shape.at] !== inputs[rules.shape.at];
      const failures = [
        ...(creates ? await judgeNew(look, subject, rules) : []),
        ...(creates || isReshaped ? await judgeShape(look, subject, rules) : []),
      ];
      return {
        failures: failures.map(({ path, reason }) => ({ property: path, reason: `${reason} (preflight)` })),
        warnings: look.warnings,
      };
    },
  };
}

/** The model and what it is an addon of, base last; `whole` where the base was found. */
async function lineageOf(
  look: Look,
  { model: { kind, base } }: Preflight,
  { name }: NamedModel,
): Promise<{ line: Values[]; whole: boolean }> {
  const line: Values[] = [];
  let next: unknown = name;
  while (typeof next === "string" && next !== "" && !line.some((each) => each["name"] === next)) {
    const model = await look.get(kind, next);
    if (!model) return { line, whole: false };
    line.push({ ...model, name: next });
    next = valueAt(model, base);
  }
  return { line, whole: true };
}

type Shape = NonNullable<Preflight["shape"]>;

/** A shape serves the model that it is made for, and addons of that model. */
function anothers(shape: Shape, version: Values, models: readonly string[]): string[] {
  const own = valueAt(version, shape.model);
  if (typeof own !== "string" || own === "" || models.includes(own)) return [];
  return [
    `\`${shape.at}\`: ${String(version["name"])} is a shape for ${own}, not for ${models[0]!}; the service may refuse it`,
  ];
}

/** Reads with one account's key. Missing or unreadable objects are undefined or empty. */
interface Look {
  warnings: string[];
  get(kind: string, name: string): Promise<Values | undefined>;
  /** Whether the service has refused to say something so far. */
  isPartial(): boolean;
  /** Whether the service says that there is no such object, or none that this key may see. */
  isMissing(kind: string, name: string): Promise<boolean>;
  /** The latest validated versions of the shapes for the first of `models` that has any. */
  compatible(shape: Shape, models: readonly string[]): Promise<readonly Values[]>;
  /** The version that a shape's name, a version's name or a shape's id stands for. */
  version(shape: Shape, input: string, account: string): Promise<Values | undefined>;
}

/** Every read is sent once per process and account; a refusal is reported to the first caller only. */
function createReader(client: Client, specs: readonly ResourceSpec[]): (account: string, signal: AbortSignal) => Look {
  const reading = restricted(client, ["read"]);
  const known = new Map<string, Promise<Found>>();
  const specOf = (kind: string): ResourceSpec => specs.find((spec) => spec.kind === kind)!;

  return (account, signal) => {
    const warnings: string[] = [];
    let isPartial = false;

    async function once(what: string, read: () => Promise<Found>): Promise<Found> {
      const key = `${account} ${what}`;
      const asked = known.get(key);
      const found = asked ?? read().catch((error: unknown) => unread(error));
      known.set(key, found);
      const { refused } = await found;
      isPartial ||= refused !== undefined;
      if (refused !== undefined && !asked)
        warnings.push(`preflight could not read ${what}, and continues without it: ${refused}`);
      return found;
    }

    async function find(kind: string, name: string): Promise<Found | undefined> {
      if (!matchTemplate(specOf(kind).name, name)) return undefined;
      const read = async (): Promise<Found> => ({
        value: (
          await reading.call(client.catalogue.require(kind, "get").name, { parameters: { name }, as: account, signal })
        ).value,
      });
      return once(name, read);
    }

    const get = async (kind: string, name: string): Promise<Values | undefined> => (await find(kind, name))?.value;

    async function isMissing(kind: string, name: string): Promise<boolean> {
      const found = await find(kind, name);
      return found !== undefined && found.value === undefined && found.refused === undefined;
    }

    async function versions(
      { kind, latest }: Shape,
      of: { parameters: Record<string, string>; filter?: string },
    ): Promise<readonly Values[]> {
      const filter = [...(of.filter === undefined ? [] : [of.filter]), `${snakeCase(latest)}=true`].join(" AND ");
      const read = async (): Promise<Found> => {
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
    const parentOf = ({ kind }: Shape): string => specOf(kind).name.replace(/\/[^/]+\/\{\w+\}$/, "");
    const anywhere = (shape: Shape): Record<string, string> =>
      Object.fromEntries(parametersOf(parentOf(shape)).map((parameter) => [parameter, "-"]));

    return {
      warnings,
      get,
      isMissing,
      isPartial: () => isPartial,
      async compatible(shape, models) {
        for (const model of models) {
          const found = await versions(shape, {
            parameters: anywhere(shape),
            filter: `${snakeCase(shape.model)}=${JSON.stringify(model)}`,
          });
          if (found.length > 0) return found;
        }
        return [];
      },
      async version(shape, input, own) {
        if (matchTemplate(specOf(shape.kind).name, input)) return get(shape.kind, input);
        if (input.includes("/")) {
          const parameters = matchTemplate(parentOf(shape), input);
          return parameters ? (await versions(shape, { parameters }))[0] : undefined;
        }
        const found = await versions(shape, {
          parameters: { ...anywhere(shape), [parametersOf(parentOf(shape)).at(-1)!]: input },
        });
        return found.length === 1 ? found[0] : found.find((version) => accountOf(String(version["name"])) === own);
      },
    };
  };
}

/** Treats an answer without an object as "none, or not visible". No answer at all is an error. */
function unread(error: unknown): Found {
  if (isNotFound(error)) return {};
  if (!isModelPlatformError(error) || isConfigurationError(error) || error.status === undefined || error.status === 401)
    throw error;
  return { refused: error.message };
}
