import { ConfigurationError } from "../../core/errors";
import { parametersOf } from "../../core/values/names";
import type { ApiOperation, Override } from "../types";

export function applyOverride(operation: ApiOperation, override: Override | undefined): ApiOperation[] {
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

/** Objects have two reads, by name and by list: the rules of "gone" (A093) do with one of them. */
function isDispensable({ verb, spec }: ApiOperation): boolean {
  const other = { get: "list", list: "get" }[verb];
  return other !== undefined && spec.operations[other as "get" | "list"] !== undefined;
}

/** A create whose message goes into a member of the body, and its id beside it (A014). */
function withWrapper(operation: ApiOperation, message: string, idParam: string | undefined): ApiOperation {
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
 * (A012, A014). The name is a convention also where the operation is listed.
 */
function withIdParam(operation: ApiOperation, serviceName: string): ApiOperation {
  const ours = operation.spec.fields.resourceId?.name;
  if (ours === undefined || operation.verb !== "create") {
    throw new ConfigurationError(
      `the setting \`operations\` gives \`${operation.name}\` an \`idParam\`, but it is no create with an id`,
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
