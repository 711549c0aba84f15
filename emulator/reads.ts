import { accountOf, lastSegment, matchTemplate, parametersOf } from "../provider/core/values/names";
import { canRead, deniedError, isOwn, platform } from "./access";
import { type Rendering, render } from "./answers";
import { page } from "./lists/lists";
import { applyReadMask } from "./lists/read-mask";
import { withHiddenValues } from "./patch";
import { notFound } from "./refusals";
import { flag, type RoutedOperation } from "./routes";
import type { ServiceCall } from "./services/service";
import { serviceOf } from "./services/table";
import { isTombstone } from "./transitions";
import type { Fields, StoredObject, World } from "./types";

/** The object that the path names, for a caller who may see it. */
export function loadObject(call: ServiceCall): StoredObject {
  const { world, spec, name, caller, parameters, settings } = call;
  const object = world.get(name);
  const owner = parameters["account"] ?? (object ? ownerOf(object, world) : caller.account);
  if (!canRead(caller, owner, object)) throw deniedError(name, settings);
  const service = serviceOf(spec.kind);
  if (!object || object.kind !== spec.kind || service.isHidden?.(object))
    throw service.missing?.(call) ?? notFound(name);
  return object;
}

/** The account of an object without one in its name: the noted one, else the only one. */
function ownerOf({ notes }: StoredObject, world: World): string {
  if (notes?.["account"] !== undefined) return String(notes["account"]);
  const [only = "", ...others] = world
    .list("Account")
    .flatMap(({ name }) => (lastSegment(name) === platform ? [] : [lastSegment(name)]));
  return others.length === 0 ? only : "";
}

/** The object's message for an answer about it alone. */
export const renderObject = (object: StoredObject, call: ServiceCall): Fields =>
  render(call.spec, withView(object, call), renderingFor(call));

/** The current message, with input-only values if the settings reveal them (A054). */
function withView(object: StoredObject, { world, settings, now }: ServiceCall): Fields {
  const fields = serviceOf(object.kind).view?.(object, world, now) ?? object.fields;
  return settings.inputOnly === "answered" ? withHiddenValues(object, fields) : fields;
}

const renderingFor = ({ settings, caller }: ServiceCall): Rendering => ({
  emitUnset: settings.emitUnset,
  allKeys: caller.role === "superuser",
});

export function get(call: ServiceCall, operation: RoutedOperation): Fields {
  const object = loadObject(call);
  const fields = withView(object, call);
  const detailed = serviceOf(object.kind).detail?.(object, fields, call) ?? fields;
  const answer = render(call.spec, detailed, renderingFor(call));
  return operation.query.includes("readMask")
    ? applyReadMask(call.spec, answer, call.request.query.get("readMask"))
    : answer;
}

export function list(call: ServiceCall, operation: RoutedOperation): Fields {
  const { world, spec, caller, parameters, request } = call;
  const account = parameters["account"];
  if (account !== undefined && account !== "-" && !canRead(caller, account, undefined))
    throw deniedError(`accounts/${account}`, call.settings);
  const deleted = operation.query.includes("showDeleted") && flag(request.query, "showDeleted");
  const inside = parentFilter(call);
  const objects = world
    .list(spec.kind, account === "-" ? undefined : account)
    .filter((object) => (deleted || !isTombstone(spec, object)) && inside(object) && isFor(object, caller, account));
  return page({
    spec,
    objects: objects.map((object) => withView(object, call)),
    query: request.query,
    parameters: operation.query,
    scope: `${request.path} ${caller.key}`,
    render: (fields) => render(spec, fields, renderingFor(call)),
  });
}

/** A list of accounts has the caller's own; one over all accounts what is the caller's or public (A003). */
function isFor(object: StoredObject, caller: ServiceCall["caller"], account: string | undefined): boolean {
  if (account === undefined) return isOwn(caller, lastSegment(object.name)) && lastSegment(object.name) !== platform;
  return account !== "-" || canRead(caller, accountOf(object.name)!, object);
}

/** Of a collection inside another object, whether an object is in the one that the path names; `-` is any. */
function parentFilter({ spec, parameters }: ServiceCall): (object: StoredObject) => boolean {
  const parents = parametersOf(spec.name).filter(
    (name) => name !== "account" && parameters[name] !== undefined && parameters[name] !== "-",
  );
  if (parents.length === 0) return () => true;
  return (object) => {
    const own = matchTemplate(spec.name, object.name);
    return own !== undefined && parents.every((name) => own[name] === parameters[name]);
  };
}
