import { memoizeByKey } from "../provider/core/values/once";
import { createDialect, type Dialect } from "../provider/core/wire/dialect";
import type { DialectTable } from "../provider/core/wire/vocabulary";
import { allSpecs } from "../provider/resources/index";
import { authorize, callerOf } from "./access";
import { inForm } from "./answers";
import { create, get, list, loadObject, remove, renderObject, update } from "./methods";
import { invalidField, invalidRequest, refusedBy, unimplemented, type Violation } from "./refusals";
import { findOperation, nameOf, type RoutedOperation, type RouteMatch } from "./routes";
import type { ServiceCall } from "./services/service";
import { serviceOf } from "./services/table";
import {
  ApiError,
  type ApiRequest,
  type ApiResponse,
  type Caller,
  type Fields,
  type Settings,
  type World,
} from "./types";

/** Answers a request; never throws for client errors. `caller` saves the key lookup if the edge has done it. */
export type App = (request: ApiRequest, caller?: Caller) => ApiResponse;

const handlers: Readonly<Record<string, (call: ServiceCall, operation: RoutedOperation) => Fields>> = {
  get,
  list,
  create,
  update,
  delete: remove,
};

export function createApp(world: World): App {
  return (request, caller) => {
    try {
      const match = matchOf(request);
      const routed = { request, match, caller: caller ?? callerOf(world, request) };
      const body = respondInDialect(world, routed);
      const { emptyWrites } = world.settingsOf(accountIn(request.path));
      if (emptyWrites === "object" || !["create", "update"].includes(match.operation.verb))
        return { status: 200, body };
      return emptyWrites === 204 ? { status: 204, body: undefined } : { status: 200, body: {} };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return refusedBy(error, world.settingsOf(accountIn(request.path)));
    }
  };
}

/** A request with its operation and caller. */
interface RoutedRequest {
  request: ApiRequest;
  match: RouteMatch;
  caller: Caller;
}

function matchOf({ method, path }: ApiRequest): RouteMatch {
  const match = findOperation(method, path);
  if (match === "unknown path") throw new ApiError(404, 5, "Not Found");
  if (match === "unregistered method") throw new ApiError(501, 12, "Method Not Allowed");
  return match;
}

/** The account in the path, before anything is checked; it decides the style of a refusal. */
const accountIn = (path: string): string => /^\/v1\/accounts\/([^/]+)/.exec(path)?.[1] ?? "";

/** The body of an answer, in the account's dialect (A100). */
function respondInDialect(world: World, routed: RoutedRequest): unknown {
  const { request, match, caller } = routed;
  const settings = world.settingsOf(match.parameters["account"] ?? caller.account);
  const dialect = dialectIn(settings);
  if (!dialect) return inForm(match.operation, dispatch(world, routed), settings);
  try {
    const answer = dispatch(world, { ...routed, request: decodeRequest(dialect, match, request) });
    return dialect.theirs.answer(match.operation, inForm(match.operation, answer, settings));
  } catch (error) {
    throw error instanceof ApiError ? translateError(dialect, match, error) : error;
  }
}

function dispatch(world: World, { request, match, caller }: RoutedRequest): Fields {
  const { operation, parameters: encoded } = match;
  const { spec, verb } = operation;
  const parameters = decodeParameters(encoded, operation);
  const account = parameters["account"] ?? caller.account;
  const settings = world.settingsOf(account);
  authorize(caller, operation, account, settings);
  rejectDisabled(operation, settings);
  const call: ServiceCall = {
    world,
    request,
    caller,
    spec,
    parameters,
    account,
    name: nameOf(spec, parameters),
    settings,
    now: world.clock.now(),
  };
  const handler = handlers[verb];
  return handler ? handler(call, operation) : customVerb(call, verb);
}

/** Refuses reads that the account's settings turn off. */
function rejectDisabled({ spec, verb }: RoutedOperation, { listOff, getOff }: Settings): void {
  const off = { list: listOff, get: getOff }[verb];
  if (off?.includes(spec.collection)) throw unimplemented("Method Not Allowed");
}

/** A custom verb of the kind's service. */
function customVerb(call: ServiceCall, verb: string): Fields {
  const service = serviceOf(call.spec.kind);
  const onCollection = service.collectionVerbs?.[verb];
  if (onCollection) return onCollection(call);
  return service.verbs![verb]!(loadObject(call), call) ?? renderObject(call.world.get(call.name)!, call);
}

/** The path's parameters in plain text. `-` means all, and only in lists of nested objects (A003). */
function decodeParameters(
  encoded: Readonly<Record<string, string>>,
  operation: RoutedOperation,
): Readonly<Record<string, string>> {
  let parameters = encoded;
  for (const name of Object.keys(encoded)) {
    const text = encoded[name]!;
    if (text === "-" && !acceptsWildcard(operation, name))
      throw invalidField(name, "`-` is not allowed here; name one");
    if (text.includes("%")) parameters = { ...parameters, [name]: decodeParameter(name, text) };
  }
  return parameters;
}

const acceptsWildcard = ({ verb, spec }: RoutedOperation, parameter: string): boolean =>
  verb === "list" && (spec.name.match(/\{/g)?.length ?? 0) > 2 && spec.name.includes(`{${parameter}}`);

function decodeParameter(name: string, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidField(name, "is not percent-encoded text");
  }
}

const dialectOf = memoizeByKey((table: DialectTable): Dialect => createDialect(table, allSpecs));

/** The dialect of an account (A100); undefined for the default one. */
export function dialectIn({ dialect }: Pick<Settings, "dialect">): Dialect | undefined {
  if (Object.keys(dialect.fields).length + Object.keys(dialect.values).length === 0) return undefined;
  return dialectOf(dialect);
}

/** The request in default terms. */
function decodeRequest({ ours }: Dialect, { operation }: RouteMatch, request: ApiRequest): ApiRequest {
  const query = new Map([...request.query].map(([name, value]) => ours.parameter(operation, name, value)));
  return { ...request, query, body: ours.request(operation, request.body) };
}

/** The refusal in the dialect's terms: its fields in details and in backticks. */
function translateError({ theirs }: Dialect, { operation }: RouteMatch, refusal: ApiError): ApiError {
  const { status, code, details } = refusal;
  const toServiceSpelling = (text: string): string =>
    text.replace(/`(\w+(?:\.\w+)*)`/g, (_, place: string) => `\`${theirs.place(operation, place)}\``);
  const violations = refusal.details.flatMap(
    (detail) => (detail as { fieldViolations?: readonly Violation[] }).fieldViolations ?? [],
  );
  if (violations.length === 0) return new ApiError(status, code, toServiceSpelling(refusal.message), { details });
  return invalidRequest(
    violations.map(({ field, description }) => ({
      field: theirs.place(operation, field),
      description: toServiceSpelling(description),
    })),
  );
}
