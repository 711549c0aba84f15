import { accountOf, lastSegment, matchTemplate, parametersOf } from "../core/names";
import { denied, isOwn, mayRead, platform } from "./access";
import { type Rendering, render } from "./answers";
import { masked, page } from "./lists/lists";
import { notFound } from "./refusals";
import type { Operation } from "./routes";
import type { Call } from "./services/service";
import { serviceOf } from "./services/table";
import type { Fields, StoredObject } from "./types";
import { flag } from "./validate";
import { isTombstone } from "./world/transitions";

/** The object that the path names, for a caller who may see it. */
export function found(call: Call): StoredObject {
  const { world, spec, name, caller, parameters, settings } = call;
  const object = world.get(name);
  const owner = parameters["account"] ?? object?.notes?.["account"] ?? caller.account;
  if (!mayRead(caller, String(owner), object)) throw denied(name, settings);
  const service = serviceOf(spec.kind);
  if (!object || object.kind !== spec.kind || service.hides?.(object)) throw service.missing?.(call) ?? notFound(name);
  return object;
}

/** The object's message for an answer about it alone. */
export function answered(object: StoredObject, call: Call): Fields {
  const service = serviceOf(object.kind);
  const fields = service.view?.(object, call.world, call.now) ?? object.fields;
  return render(call.spec, service.detail?.(object, fields, call) ?? fields, renderingFor(call));
}

const renderingFor = ({ settings, caller }: Call): Rendering => ({
  emitUnset: settings.emitUnset,
  allKeys: caller.role === "superuser",
});

export function get(call: Call, operation: Operation): Fields {
  const answer = answered(found(call), call);
  return operation.query.includes("readMask") ? masked(call.spec, answer, call.request.query.get("readMask")) : answer;
}

export function list(call: Call, operation: Operation): Fields {
  const { world, spec, caller, parameters, request, now } = call;
  const account = parameters["account"];
  if (account !== undefined && account !== "-" && !mayRead(caller, account, undefined))
    throw denied(`accounts/${account}`, call.settings);
  const deleted = operation.query.includes("showDeleted") && flag(request.query, "showDeleted");
  const inside = parentFilter(call);
  const objects = world
    .list(spec.kind, account === "-" ? undefined : account)
    .filter((object) => (deleted || !isTombstone(spec, object)) && inside(object) && isFor(object, caller, account));
  const view = serviceOf(spec.kind).view;
  return page({
    spec,
    objects: objects.map((object) => view?.(object, world, now) ?? object.fields),
    query: request.query,
    parameters: operation.query,
    scope: `${request.path} ${caller.key}`,
    render: (fields) => render(spec, fields, renderingFor(call)),
  });
}

/** A list of accounts has the caller's own; one over all accounts what is the caller's or public (A003). */
function isFor(object: StoredObject, caller: Call["caller"], account: string | undefined): boolean {
  if (account === undefined) return isOwn(caller, lastSegment(object.name)) && lastSegment(object.name) !== platform;
  return account !== "-" || mayRead(caller, accountOf(object.name)!, object);
}

/** Of a collection inside another object, whether an object is in the one that the path names; `-` is any. */
function parentFilter({ spec, parameters }: Call): (object: StoredObject) => boolean {
  const parents = parametersOf(spec.name).filter(
    (name) => name !== "account" && parameters[name] !== undefined && parameters[name] !== "-",
  );
  if (parents.length === 0) return () => true;
  return (object) => {
    const own = matchTemplate(spec.name, object.name);
    return own !== undefined && parents.every((name) => own[name] === parameters[name]);
  };
}
