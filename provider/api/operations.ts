import { identified, type OperationSpec } from "../core/declaration/operation";
import type { ResourceSpec } from "../core/declaration/resource";
import { ConfigurationError, ModelPlatformError, UnsupportedOperationError } from "../core/errors";
import { hint } from "../core/values/closest";
import { parametersOf } from "../core/values/names";
import { oncePer } from "../core/values/once";
import type { ApiOperation, Catalogue, Override, Overrides } from "./types";

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
  const operations = Object.freeze(declared.flatMap((operation) => overridden(operation, overrides[operation.name])));
  const find = (kind: string, verb: string) =>
    operations.find((operation) => operation.kind === kind && operation.verb === verb);
  return Object.freeze({
    specs,
    operations,
    operation: (name: string): ApiOperation =>
      operations.find((operation) => operation.name === name) ?? refuse(name, declared),
    find,
    require: (kind: string, verb: string): ApiOperation =>
      find(kind, verb) ??
      refuse(
        declared.find((operation) => operation.kind === kind && operation.verb === verb)?.name ?? `${verb}${kind}`,
        declared,
      ),
  });
}

/** What declarations say stays the same, and each function of a program asks for a catalogue of its own. */
const declaredBy = oncePer((specs: readonly ResourceSpec[]): readonly ApiOperation[] =>
  specs.flatMap((spec) => Object.entries(spec.operations).map(([verb, operation]) => describe(spec, verb, operation!))),
);

function describe(spec: ResourceSpec, verb: string, operation: OperationSpec): ApiOperation {
  const known = identified(spec, verb, operation);
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
 * or because a field asks for it (A046).
 */
export function isOfLifeCycle({ spec, verb }: ApiOperation): boolean {
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

function overridden(operation: ApiOperation, override: Override | undefined): ApiOperation[] {
  if (override === undefined) return [operation];
  if (override === "off") {
    if (operation.provenance === "listed") throw fixed(operation, "cannot be turned off");
    return [];
  }
  const { path, method, wrap, idParam } = override;
  if (method !== undefined && operation.provenance === "listed")
    throw fixed(operation, "has a method that cannot be changed");
  const placed = {
    ...operation,
    path: path === undefined ? operation.path : checkedPath(operation, path),
    method: method ?? operation.method,
  };
  if (wrap !== undefined) return [wrapped(placed, wrap, idParam)];
  return [Object.freeze(idParam === undefined ? placed : withIdParam(placed, idParam))];
}

/** A create whose message goes into a member of the body, and its id beside it (A014). */
function wrapped(operation: ApiOperation, message: string, idParam: string | undefined): ApiOperation {
  const own = operation.spec.fields.resourceId?.name;
  if (operation.verb !== "create" || own === undefined)
    throw new ConfigurationError(
      `the setting \`operations\` gives \`${operation.name}\` a \`wrap\`, but it is no create with an id`,
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
    throw fixed(operation, "has a path that cannot be changed");
  const needed = parametersOf(operation.path);
  const given = parametersOf(path);
  const same = needed.length === given.length && needed.every((parameter) => given.includes(parameter));
  if (same && /^\/[^\s?#\\]*$/.test(path) && !path.split("/").some((segment) => segment === "." || segment === ".."))
    return path;
  throw new ConfigurationError(`the path of \`${operation.name}\` in the setting \`operations\` does not fit`, {
    advice: `Give a path that starts with a slash, has no query and holds ${needed.map((parameter) => `\`{${parameter}}\``).join(", ")}, such as \`${operation.path}\`.`,
  });
}

/**
 * A create that takes its id by a query parameter of this name, whether its own id goes there (A011) or into the body
 * (A012, A014). The name is a convention also where the operation is listed.
 */
function withIdParam(operation: ApiOperation, theirs: string): ApiOperation {
  const ours = operation.spec.fields.resourceId?.name;
  if (ours === undefined || operation.verb !== "create") {
    throw new ConfigurationError(
      `the setting \`operations\` gives \`${operation.name}\` an \`idParam\`, but it is no create with an id`,
      { advice: "Remove the `idParam`." },
    );
  }
  if (operation.convention === undefined) throw fixed(operation, "has an id parameter that cannot be changed");
  if (!/^\w+$/.test(theirs))
    throw new ConfigurationError(
      `the \`idParam\` of \`${operation.name}\` in the setting \`operations\` is not a parameter name`,
      { advice: "Give letters, digits and underscores." },
    );
  const query = operation.query.includes(ours) ? operation.query : [...operation.query, ours];
  return { ...operation, query, body: undefined, idParam: { ours, theirs } };
}

const fixed = (operation: ApiOperation, what: string): ConfigurationError =>
  new ConfigurationError(`\`${operation.name}\` is an operation that the API's description lists, so it ${what}`, {
    advice: "Remove it from the setting `operations`; only conventional operations can be changed there.",
  });

/** Either the operation is turned off, or there is none of that name. */
function refuse(name: string, declared: readonly ApiOperation[]): never {
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
