import { restrictTo } from "../../api/client";
import { items } from "../../api/paginate";
import type { Client } from "../../api/types";
import type { ResourceSpec } from "../../core/declaration/resource";
import { isConfigurationError, isModelPlatformError, isNotFound } from "../../core/errors";
import type { NamedModel, Preflight } from "../../core/rules/preflight";
import { accountOf, matchTemplate, parametersOf, snakeCase } from "../../core/values/names";
import { valueAt } from "../../core/values/paths";
import type { Values } from "../types";

type CatalogueEntry = { value?: Values; values?: readonly Values[]; readError?: string };

export type ShapeRules = NonNullable<Preflight["shape"]>;

/** Reads with one account's key. Missing or unreadable objects are undefined or empty. */
export interface AccountCatalogue {
  warnings: string[];
  /** What the service has refused to say so far, in its words. */
  readErrors: readonly string[];
  get(kind: string, name: string): Promise<Values | undefined>;
  /** Whether the service has refused to say something so far. */
  isPartial(): boolean;
  /** Whether the service says that there is no such object, or none that this key may see. */
  isMissing(kind: string, name: string): Promise<boolean>;
  /** The latest validated versions of the shapes for the first of `models` that has any. */
  compatible(shape: ShapeRules, models: readonly string[]): Promise<readonly Values[]>;
  /** The versions with which the service could make the object, of which only these fields count; or its refusal. */
  matching(
    shape: ShapeRules,
    account: string,
    fields: Values,
  ): Promise<{ versions: readonly Values[] } | { refused: string }>;
  /** The version that a shape's name, a version's name or a shape's id stands for. */
  version(shape: ShapeRules, input: string, account: string): Promise<Values | undefined>;
}

/** Every read is sent once per process and account; a refusal is reported to the first caller only. */
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
          const answer = await asking.call(operation.name, { parameters: { account: own }, body, as: account, signal });
          const versions = answer.value[operation.spec.collection];
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

/** Treats an answer without an object as "none, or not visible". No answer at all is an error. */
function unreadableEntry(error: unknown): CatalogueEntry {
  if (isNotFound(error)) return {};
  if (!isModelPlatformError(error) || isConfigurationError(error) || error.status === undefined || error.status === 401)
    throw error;
  return { readError: error.message };
}

/** The model and what it is an addon of, base last; `whole` where the base was found. */
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
