import type { ResourceSpec } from "../provider/core/declaration/resource";
import type { Field } from "../provider/core/fields/fields";
import { accountOf, lastSegment, matchTemplate, parametersOf } from "../provider/core/values/names";
import { canRead, deniedError, isOwn, platform } from "./access";
import { applyReadMask, type Rendering, render } from "./answers";
import { page } from "./lists";
import {
  applyPatch,
  changedMembers,
  judgeChange,
  pathsOf,
  rejectImmutable,
  undefinedIfEmpty,
  withHiddenValues,
} from "./patch";
import { aborted, alreadyExists, failedPrecondition, invalidField, notFound } from "./refusals";
import { directivesOf, flag, idParameter, nameOf, type RoutedOperation } from "./routes";
import type { ServiceCall } from "./services/service";
import { serviceOf } from "./services/table";
import { timestamp, withUpdateTime } from "./timestamps";
import {
  declaredPath,
  inTransition,
  isGone,
  isTombstone,
  type Path,
  paceOf,
  retention,
  startPath,
  stateOf,
} from "./transitions";
import type { Fields, StoredObject, World } from "./types";
import { type JudgedBody, judgeId, judgeRules, parseBody } from "./validate";

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

export function create(call: ServiceCall, operation: RoutedOperation): Fields {
  const { world, spec, settings, account } = call;
  requireAccount(call);
  const parsed = parseCreate(call, operation);
  const message = parseBody(spec, parsed.message, { settings, update: false });
  const service = serviceOf(spec.kind);
  const requestedId = settings.ignoreId ? undefined : parsed.id;
  const id = requestedId ?? service.id?.(message.fields, call) ?? world.uuid();
  if (requestedId !== undefined) judgeId(spec, requestedId, parsed.idAt, settings);
  const own = requestedId !== undefined && spec.fields.resourceId ? { [spec.fields.resourceId.name]: requestedId } : {};
  judgeRules(spec, { ...message.fields, ...own, ...directivesOf(spec, call.request.query) });
  const name = nameOf(spec, { ...call.parameters, account, [idParameter(spec)]: id });
  const bare = newObject(spec, name, message, call);
  const object = service.create?.(bare, call) ?? bare;
  rejectDuplicate(object, call);
  const validates = operation.query.includes("validateOnly") && flag(call.request.query, "validateOnly");
  if (validates && settings.validateOnly === "honor") return renderObject(asValidated(object), call);
  world.put(object);
  service.created?.(object, call);
  return renderObject(world.get(name)!, call);
}

/** Superuser keys reach every account name, existing or not. */
function requireAccount({ world, account }: ServiceCall): void {
  if (!world.get(`accounts/${account}`)) throw notFound(`accounts/${account}`);
}

/** A create, independent of how the message travels. */
interface CreateRequest {
  id?: string | undefined;
  /** Where the request has the id. */
  idAt: string;
  message: unknown;
}

function parseCreate(call: ServiceCall, operation: RoutedOperation): CreateRequest {
  const { request, spec } = call;
  const shape = operation.declared.body;
  const body = (request.body ?? {}) as Fields;
  if (shape?.wrap) return unwrapBody(body, shape.wrap, call);
  if (shape?.name) return { id: idInName(body["name"], call), idAt: "name", message: request.body };
  const parameter = spec.fields.resourceId?.name;
  const id = parameter === undefined ? undefined : request.query.get(parameter);
  return { id: id || undefined, idAt: parameter ?? "", message: request.body };
}

/**
 * Members beside the wrapped message that only the service sets, such as a model's
 * `cluster`, are ignored like those in it (A004).
 */
function unwrapBody(
  body: Fields,
  wrap: { id: string; message: string },
  { spec, settings }: ServiceCall,
): CreateRequest {
  const known = [wrap.id, wrap.message, ...spec.fields.outputs.map(({ name }) => name)];
  const unknown = Object.keys(body).find((name) => !known.includes(name));
  if (unknown !== undefined && settings.unknownFields === "refuse")
    throw invalidField(unknown, `is not a field of the request; the message goes into \`${wrap.message}\``);
  const id = body[wrap.id];
  if (typeof id !== "string" || id === "") throw invalidField(wrap.id, "is required");
  return { id, idAt: wrap.id, message: body[wrap.message] ?? {} };
}

/** The id in a full name in the body (A012). */
function idInName(name: unknown, { spec, parameters, account }: ServiceCall): string {
  const prefix = nameOf(spec, { ...parameters, account, [idParameter(spec)]: "" });
  if (
    typeof name !== "string" ||
    !name.startsWith(prefix) ||
    name === prefix ||
    name.slice(prefix.length).includes("/")
  ) {
    throw invalidField("name", `must be \`${prefix}\` and an id`);
  }
  return name.slice(prefix.length);
}

function newObject(spec: ResourceSpec, name: string, { fields, hidden }: JudgedBody, call: ServiceCall): StoredObject {
  const outputs = new Set(spec.fields.outputs.map((field) => field.name));
  const [createTime, updateTime] = [timestamp(call.now), timestamp(call.now)];
  const usual = Object.entries({ createTime, updateTime, status: { code: "OK" } });
  const message = { name, ...fields, ...Object.fromEntries(usual.filter(([member]) => outputs.has(member))) };
  const object = { kind: spec.kind, name, fields: message, hidden: undefinedIfEmpty(hidden) };
  const path = declaredPath(spec, "create");
  return path ? startPath(object, path, call.now, paceOf(call.world, call.settings)) : object;
}

/**
 * An id that is taken, by a tombstone too, and a natural key that another object has: an email or a
 * `keyName` (A055), a model on a deployment (A081).
 */
function rejectDuplicate(object: StoredObject, call: ServiceCall): void {
  const taken = call.world.get(object.name);
  if (taken)
    throw alreadyExists(`${object.name} already exists${isGone(call.spec, taken) ? ` and is ${stateOf(taken)}` : ""}`);
  rejectDuplicateKey(object, call);
}

function rejectDuplicateKey(object: StoredObject, { world, spec, account }: ServiceCall): void {
  const keys = (spec.identity.naturalKey ?? []).map(
    (name) => spec.fields.message.find((field) => field.name === name)!,
  );
  if (keys.length === 0 || !keys.every((field) => holdsText(object.fields[field.name]))) return;
  const duplicate = world
    .list(spec.kind, account)
    .find(
      (other) =>
        other.name !== object.name &&
        !isGone(spec, other) &&
        keys.every((field) => sameText(field, object.fields[field.name], other.fields[field.name])),
    );
  if (duplicate)
    throw alreadyExists(`${duplicate.name} already has this ${keys.map((field) => `\`${field.name}\``).join(" and ")}`);
}

const holdsText = (value: unknown): boolean => typeof value === "string" && value !== "";

const sameText = (field: Field, one: unknown, other: unknown): boolean =>
  field.markers.sameAs === "letterCase" ? String(one).toLowerCase() === String(other).toLowerCase() : one === other;

/** The object that would be created, without state and times. */
function asValidated(object: StoredObject): StoredObject {
  const { state: _, createTime: __, updateTime: ___, ...fields } = object.fields;
  return { ...object, fields };
}

export function update(call: ServiceCall, operation: RoutedOperation): Fields {
  const { world, spec, name, settings, request, now } = call;
  if (spec.singleton) requireAccount(call);
  const stored = spec.singleton ? world.get(name) : loadObject(call);
  const before = stored ?? { kind: spec.kind, name, fields: { name } };
  rejectInTransition(spec, before);
  const body = (request.body ?? {}) as Fields;
  if (operation.declared.body?.name && Object.hasOwn(body, "name") && body["name"] !== name)
    throw invalidField("name", `must be \`${name}\`, as the path has it, or absent`);
  if (settings.fixedFields === "refuse") rejectImmutable(spec, body);
  const message = parseBody(spec, body, { settings, update: true });
  const paths = pathsOf(spec, { ...message.fields, ...message.hidden }, request.query.get("updateMask"), settings);
  const requested = applyPatch(before, message, paths);
  const service = serviceOf(spec.kind);
  const changedNames = changedMembers(before, requested);
  const after = service.update?.({ before, after: requested, changed: changedNames }, call) ?? requested;
  const changed = changedMembers(before, after);
  judgeChange(spec, { before, after, changed }, settings);
  judgeRules(
    spec,
    spec.fields.resourceId ? { ...after.fields, [spec.fields.resourceId.name]: lastSegment(name) } : after.fields,
    changed,
  );
  if (stored && changed.size === 0) return renderObject(before, call);
  if (spec.identity.naturalKey?.some((member) => changed.has(member))) rejectDuplicateKey(after, call);
  const touched = { ...after, fields: withUpdateTime(spec, after.fields, now) };
  const effective = new Set([...changedNames].filter((member) => changed.has(member)));
  const path =
    service.requiresRollout?.({ before, after, changed: effective }) === false
      ? undefined
      : declaredPath(spec, "update");
  world.put(path ? startPath(touched, path, now, paceOf(world, settings)) : touched);
  service.updated?.(world.get(name)!, call);
  return renderObject(world.get(name)!, call);
}

/** Refuses a change of an object that is on its way from one state to another, or deleted (A044). */
function rejectInTransition(spec: ResourceSpec, object: StoredObject): void {
  if (isGone(spec, object)) throw failedPrecondition(`${object.name} is ${stateOf(object)} and cannot be changed`);
  if (inTransition(spec, object))
    throw failedPrecondition(`${object.name} is ${stateOf(object)}; try again when that is over`);
}

export function remove(call: ServiceCall): Fields {
  const { world, spec, name, settings, request, now } = call;
  const object = loadObject(call);
  const soft = spec.deletion === "soft";
  const hard = soft && flag(request.query, "hard");
  if (isGone(spec, object)) {
    if (isTombstone(spec, object) && !hard) throw notFound(name);
    if (hard) world.remove(name);
    return {};
  }
  // A job may be deleted while it runs: that ends it.
  if (spec.deletion !== "forever" && inTransition(spec, object))
    throw aborted(`${name} is ${stateOf(object)}; try again when that is over`);
  const service = serviceOf(spec.kind);
  const going = service.delete?.(object, call) ?? object;
  const path = declaredPath(spec, "delete");
  if (!path || hard) world.remove(name);
  else if (soft && settings.softDelete) world.put(withTombstone(going, path, call));
  else
    world.put(
      startPath(
        { ...going, fields: withUpdateTime(spec, going.fields, now) },
        soft ? path.slice(0, -1) : path,
        now,
        paceOf(world, settings),
      ),
    );
  service.deleted?.(object, call);
  return {};
}

/** The object on its way to a tombstone, which is purged in the end (A042). */
function withTombstone(object: StoredObject, path: Path, { world, spec, settings, now }: ServiceCall): StoredObject {
  const last = path.at(-1)![0];
  const going = startPath(object, [...path.slice(0, -1), [last, retention]], now, paceOf(world, settings));
  const purge = going.plan!.at(-1)!.at;
  return {
    ...going,
    fields: { ...withUpdateTime(spec, going.fields, now), deleteTime: timestamp(now), purgeTime: timestamp(purge) },
  };
}
