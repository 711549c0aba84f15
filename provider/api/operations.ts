import { identifyOperation, type OperationSpec, type ResourceSpec } from "../core/declaration/resource";
import { ConfigurationError, ModelPlatformError, UnsupportedOperationError } from "../core/errors";
import { hint } from "../core/values/did-you-mean";
import { camelCase, fillTemplate, matchTemplate, type Parameters, parametersOf } from "../core/values/names";
import { memoizeByKey } from "../core/values/once";
import type { Dialect } from "../core/wire/dialect";
import { accountIdOf } from "./settings/credentials";
import type { ApiOperation, CallOptions, Catalogue, ClientSettings, Override, Overrides } from "./types";

function applyOverride(operation: ApiOperation, override: Override | undefined): ApiOperation[] {
  if (override === undefined) return [operation];
  if (override === "off") {
    if (operation.provenance === "listed" && !isDispensable(operation))
      throw fixedPartError(operation, "cannot be turned off");
    return [];
  }
  const { path, method, wrap, idParam } = override;
  if (method !== undefined && operation.provenance === "listed")
    throw fixedPartError(operation, "has a method that cannot be changed");
  const placed = {
    ...operation,
    path: path === undefined ? operation.path : checkedPath(operation, path),
    method: method ?? operation.method,
  };
  if (wrap !== undefined) return [withWrapper(placed, wrap, idParam)];
  return [Object.freeze(idParam === undefined ? placed : withIdParam(placed, idParam))];
}

/** Objects have two reads, by name and by list: one is enough for the rules of "gone" (A093). */
function isDispensable({ verb, spec }: ApiOperation): boolean {
  const other = { get: "list", list: "get" }[verb];
  return other !== undefined && spec.operations[other as "get" | "list"] !== undefined;
}

/** A create whose message goes into a member of the body, and its id beside it (A014). */
function withWrapper(operation: ApiOperation, message: string, idParam: string | undefined): ApiOperation {
  const own = operation.spec.fields.resourceId?.name;
  if (operation.verb !== "create" || own === undefined)
    throw new ConfigurationError(
      `the setting \`operations\` gives \`${operation.name}\` a \`wrap\`, but it is not a create with an id`,
      { advice: "Remove the `wrap`." },
    );
  const id = idParam ?? own;
  if (![message, id].every((name) => /^\w+$/.test(name)))
    throw new ConfigurationError(
      `the \`wrap\` or \`idParam\` of \`${operation.name}\` in the setting \`operations\` is not a member's name`,
      { advice: "Give letters, digits and underscores." },
    );
  return Object.freeze({
    ...operation,
    query: operation.query.filter((name) => name !== own),
    body: { wrap: { id, message } },
  });
}

function checkedPath(operation: ApiOperation, path: string): string {
  if (operation.provenance === "listed" && !operation.assumedPath)
    throw fixedPartError(operation, "has a path that cannot be changed");
  const needed = parametersOf(operation.path);
  const pathParameters = parametersOf(path);
  const same =
    needed.length === pathParameters.length && needed.every((parameter) => pathParameters.includes(parameter));
  if (same && /^\/[^\s?#\\]*$/.test(path) && !path.split("/").some((segment) => segment === "." || segment === ".."))
    return path;
  throw new ConfigurationError(`the path of \`${operation.name}\` in the setting \`operations\` does not fit`, {
    advice: `Give a path that starts with a slash, has no query and holds ${needed.map((parameter) => `\`{${parameter}}\``).join(", ")}, such as \`${operation.path}\`.`,
  });
}

/**
 * A create that takes its id by a query parameter of this name, whether its own id goes there (A011) or into the body
 * (A012, A014). The name is a convention even if the operation is listed.
 */
function withIdParam(operation: ApiOperation, serviceName: string): ApiOperation {
  const ours = operation.spec.fields.resourceId?.name;
  if (ours === undefined || operation.verb !== "create") {
    throw new ConfigurationError(
      `the setting \`operations\` gives \`${operation.name}\` an \`idParam\`, but it is not a create with an id`,
      { advice: "Remove the `idParam`." },
    );
  }
  if (operation.convention === undefined) throw fixedPartError(operation, "has an id parameter that cannot be changed");
  if (!/^\w+$/.test(serviceName))
    throw new ConfigurationError(
      `the \`idParam\` of \`${operation.name}\` in the setting \`operations\` is not a parameter name`,
      { advice: "Give letters, digits and underscores." },
    );
  const query = operation.query.includes(ours) ? operation.query : [...operation.query, ours];
  return { ...operation, query, body: undefined, idParam: { ours, theirs: serviceName } };
}
const fixedPartError = (operation: ApiOperation, what: string): ConfigurationError =>
  new ConfigurationError(`\`${operation.name}\` is an operation that the API's description lists, so it ${what}`, {
    advice: "Remove it from the setting `operations`; only conventional operations can be changed there.",
  });

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

/** Declarations stay the same, and each function of a program needs its own catalogue. */
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
    ofAnyAccount: operation.ofAnyAccount === true,
    answersMessage: operation.answer !== undefined,
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
 * or because a field needs it (A046).
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

/** Either the operation is turned off, or the name is unknown. */
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
  return near === undefined ? "`npx pulumi-modelplatform call --list` lists them all." : `Did you mean \`${near}\`?`;
}

/** Path parameters, including those from a whole resource name, and the default account if none is set. */
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
 * Path and query as they are sent. Rejects a segment that would change the path's shape before anything is sent (A017).
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

/** A collection of an account, or an object of one: no verb, no query, nothing outside the account. */
const place = /^\/v\d\w*\/accounts\/\{account\}(\/([A-Za-z][\w-]*|\{\w+\}))+$/;

/**
 * The part of the setting `operations` that is harmless from any author: paths of reads of an account's own
 * collections, below the user's base URL. A response of another kind or account is rejected in any case.
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
