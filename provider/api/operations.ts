import { identifyOperation, type OperationSpec } from "../core/declaration/operation";
import type { ResourceSpec } from "../core/declaration/resource";
import type { Dialect } from "../core/dialect/dialect";
import { ConfigurationError, ModelPlatformError, UnsupportedOperationError } from "../core/errors";
import { hint } from "../core/values/closest";
import { camelCase, fillTemplate, matchTemplate, type Parameters, parametersOf } from "../core/values/names";
import { memoizeByKey } from "../core/values/once";
import { accountIdOf } from "./settings/credentials";
import { applyOverride } from "./settings/operation-overrides";
import type { ApiOperation, CallOptions, Catalogue, ClientSettings, Override, Overrides } from "./types";

interface CatalogueOptions {
  /** The setting `operations`. */
  overrides?: Overrides;
}

/**
 * The operations that `specs` declare, by name (A001). Throws a `ConfigurationError` for an override of an operation
 * that does not exist, or that the API's description fixes.
 */
export function createCatalogue(specs: readonly ResourceSpec[], { overrides = {} }: CatalogueOptions = {}): Catalogue {
  const declared = declaredBy(specs);
  const names = declared.map((operation) => operation.name);
  for (const name of Object.keys(overrides)) {
    if (!names.includes(name))
      throw new ConfigurationError(`the setting \`operations\` names \`${name}\`, which is not an operation`, {
        advice: suggestion(name, names),
      });
  }
  const operations = Object.freeze(
    declared.flatMap((operation) => applyOverride(operation, overrides[operation.name])),
  );
  const byName = new Map(operations.map((operation) => [operation.name, operation]));
  const find = (kind: string, verb: string) =>
    operations.find((operation) => operation.kind === kind && operation.verb === verb);
  return Object.freeze({
    specs,
    operations,
    operation: (name: string): ApiOperation => byName.get(name) ?? throwUnknownOperation(name, declared),
    find,
    require: (kind: string, verb: string): ApiOperation =>
      find(kind, verb) ??
      throwUnknownOperation(
        declared.find((operation) => operation.kind === kind && operation.verb === verb)?.name ?? `${verb}${kind}`,
        declared,
      ),
  });
}

/** What declarations say stays the same, and each function of a program asks for a catalogue of its own. */
const declaredBy = memoizeByKey((specs: readonly ResourceSpec[]): readonly ApiOperation[] =>
  specs.flatMap((spec) => Object.entries(spec.operations).map(([verb, operation]) => describe(spec, verb, operation!))),
);

function describe(spec: ResourceSpec, verb: string, operation: OperationSpec): ApiOperation {
  const known = identifyOperation(spec, verb, operation);
  return Object.freeze({
    ...known,
    kind: spec.kind,
    verb,
    provenance: operation.provenance,
    spec,
    lists: verb === "list" || operation.lists === true,
    crossAccount: operation.crossAccount === true,
    responseIsMessage: operation.answer !== undefined,
    convention: operation.convention,
    assumedPath: operation.assumedPath,
    body: operation.body,
  });
}

const lifeCycleVerbs: ReadonlySet<string> = new Set([
  "create",
  "get",
  "list",
  "update",
  "delete",
  "cancel",
  "undelete",
]);

/**
 * Whether the life cycle of a declarable resource uses the operation: as one of the usual verbs, for its files (A080),
 * or because a field asks for it (A046).
 */
export function isLifecycleOperation({ spec, verb }: ApiOperation): boolean {
  const managed = spec.operations["create"] !== undefined || spec.singleton === true;
  const uploads = spec.uploads?.endpoint.verb === verb || spec.uploads?.validate === verb;
  return (
    managed &&
    (lifeCycleVerbs.has(verb) ||
      uploads ||
      spec.fields.message.some(
        ({ markers }) => markers.ownRequest?.set === verb || markers.ownRequest?.remove === verb,
      ))
  );
}

/** Either the operation is turned off, or there is none of that name. */
function throwUnknownOperation(name: string, declared: readonly ApiOperation[]): never {
  const known = declared.find((operation) => operation.name === name);
  if (!known)
    throw new ModelPlatformError(`\`${name}\` is not an operation`, {
      advice: suggestion(
        name,
        declared.map((operation) => operation.name),
      ),
    });
  throw new UnsupportedOperationError("is turned off", {
    operation: name,
    advice: `If the service does offer it, remove its \`off\` from the setting \`operations\`: it follows a convention (${known.convention ?? "A001"}).`,
    topic: "an-operation-at-another-path",
  });
}

function suggestion(name: string, names: readonly string[]): string {
  const near = hint(name, names);
  return near === undefined ? "`npx pulumi-modelplatform operations` lists them all." : `Did you mean \`${near}\`?`;
}

/** Path parameters with those that a whole resource name stands for, and the default account where none is given. */
export function parametersFor(
  operation: ApiOperation,
  settings: ClientSettings,
  requested: Parameters = {},
): Parameters {
  const { name, ...rest } = requested;
  const parts = name === undefined ? {} : matchTemplate(operation.spec.name, String(name));
  if (!parts)
    throw new ModelPlatformError(`${JSON.stringify(name)} is not the name of a ${operation.kind}`, {
      operation: operation.name,
      advice: `It has the form \`${operation.spec.name}\`.`,
    });
  const all: Record<string, Parameters[string]> = { ...rest, ...parts };
  const needed = parametersOf(operation.path);
  if (needed.includes("account") && all["account"] === undefined) all["account"] = accountIdOf(settings);
  const unknown = Object.keys(rest).find((parameter) => !needed.includes(parameter));
  if (unknown !== undefined)
    throw new ModelPlatformError(`takes no parameter \`${unknown}\` in its path`, {
      operation: operation.name,
      advice: `Its path is \`${operation.path}\`.`,
    });
  return all;
}

/** How the service spells names (A100) and masks (A031). */
interface Spelling extends Pick<ClientSettings, "updateMask"> {
  dialect: Dialect | undefined;
}

/**
 * Path and query as they are sent. A segment that would change the path's shape is refused before anything is sent
 * (A017).
 */
export function pathFor(
  operation: ApiOperation,
  parameters: Parameters,
  query: CallOptions["query"],
  { dialect, updateMask }: Spelling,
): string {
  if (query === undefined) return filledPath(operation, parameters);
  const unknown = Object.keys(query).find(
    (parameter) => query[parameter] !== undefined && !operation.query.includes(parameter),
  );
  if (unknown !== undefined)
    throw new ModelPlatformError(`takes no query parameter \`${unknown}\``, {
      operation: operation.name,
      advice:
        operation.query.length === 0
          ? "It takes none."
          : `It takes ${operation.query.map((parameter) => `\`${parameter}\``).join(", ")}.`,
    });
  const pairs = Object.entries(query).flatMap(([parameter, value]) => {
    if (value === undefined) return [];
    if (operation.idParam?.ours === parameter)
      return [`${operation.idParam.theirs}=${encodeURIComponent(String(value))}`];
    const [name, text] = dialect?.theirs.parameter(operation, parameter, String(value)) ?? [parameter, String(value)];
    const spelt = updateMask === "camel" && parameter === "updateMask" ? camelCase(text) : text;
    return [`${name}=${encodeURIComponent(spelt)}`];
  });
  return [filledPath(operation, parameters), ...(pairs.length === 0 ? [] : [pairs.join("&")])].join("?");
}

function filledPath(operation: ApiOperation, parameters: Parameters): string {
  try {
    return fillTemplate(operation.path, parameters);
  } catch (error) {
    throw new ModelPlatformError(`cannot be called: ${(error as Error).message}`, { operation: operation.name });
  }
}

/** A collection of an account, or an object of one: no verb, no query, nothing outside of the account. */
const place = /^\/v\d\w*\/accounts\/\{account\}(\/([A-Za-z][\w-]*|\{\w+\}))+$/;

/**
 * Of the setting `operations`, what does no harm whoever wrote it: where reads of an account's own collections are,
 * below the base URL that the user gave. An answer of another kind or account is refused wherever it comes from.
 */
export function harmlessOperations(specs: readonly ResourceSpec[], overrides: Overrides): Overrides {
  const { operations } = createCatalogue(specs);
  return Object.fromEntries(
    Object.entries(overrides).flatMap(([name, override]): [string, Override][] => {
      const operation = operations.find((candidate) => candidate.name === name);
      if (operation?.effect !== "read" || operation.method !== "GET") return [];
      if (override === "off") return [[name, override]];
      return override.path !== undefined && place.test(override.path) ? [[name, { path: override.path }]] : [];
    }),
  );
}
