import { type Guest, hostCollection, type ResourceSpec } from "../../core/declaration/resource";
import { phaseOf } from "../../core/declaration/states";
import {
  isModelPlatformError,
  isUnsupportedOperation,
  ModelPlatformError,
  messageOf,
  problemOf,
} from "../../core/errors";
import { accountOf } from "../../core/values/names";
import { beginOperation, type ResourceOperation, requestOptions, titleOf } from "../operation/operation";
import { waitUntilDesired } from "../operation/waits";
import { historyFor, identityOf, slotOf } from "../ownership/facts";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";
import { applyChanges } from "./apply";

/** An object that serves from a host, and its kind. */
export interface Hosted {
  guest: Guest;
  /** The guest as the service has it. */
  object: LiveObject;
}

/** The kinds whose objects serve from objects of this kind. */
export const guestsOf = (specs: readonly ResourceSpec[], host: ResourceSpec): readonly Guest[] =>
  specs.filter((spec): spec is Guest => hostCollection(spec) === host.collection);

/** Everything that serves from the object of that name, including what is leaving. */
export async function guestsOn(operation: ResourceOperation, name: string): Promise<Hosted[]> {
  const { ports, spec } = operation;
  const found: Hosted[] = [];
  for (const guest of guestsOf(ports.specs, spec)) {
    const objects = ports.objects(guest.kind, accountOf(name) ?? operation.objects.account);
    for await (const object of objects.list(requestOptions(operation)))
      if (object[guest.host.field] === name) found.push({ guest, object });
  }
  return found;
}

/**
 * What neither this stack nor the service itself has loaded onto a host: a stack's own are in its journal, and
 * the service loads a host's own content along with it (A081).
 */
export async function strangersOn(operation: ResourceOperation, host: LiveObject, recorded: Values): Promise<Hosted[]> {
  const { ports, spec, objects } = operation;
  const found: Hosted[] = [];
  for (const guest of guestsOf(ports.specs, spec)) {
    const account = accountOf(host.name) ?? objects.account;
    const own = beginOperation({ ...operation, spec: guest }, { account, verb: "delete", values: {} });
    for (const object of await guestObjects(own, host)) {
      const hosted = { guest, object };
      if (object[guest.host.field] !== host.name || isLeaving(hosted) || isItsOwn(hosted, host, recorded)) continue;
      const history = await historyFor(own);
      const { maker, holder } = history.object(identityOf(object)) ?? {};
      const isOwn = maker !== undefined || holder !== undefined || history.openAt(slotOf(own, object)).length > 0;
      if (!isOwn) found.push(hosted);
    }
  }
  return found;
}

/**
 * All guests of the account. Where they cannot be listed, a warning says that the host might serve one of them: what is
 * paid for can always be deleted. Rejects where the same request may succeed later.
 */
async function guestObjects(own: ResourceOperation, host: LiveObject): Promise<Iterable<LiveObject>> {
  const recent = await own.objects.recent(requestOptions(own));
  if (recent) return recent;
  const listed: LiveObject[] = [];
  try {
    for await (const object of own.objects.list(requestOptions(own))) listed.push(object);
    return listed;
  } catch (cause) {
    if (isLasting(cause)) {
      const { kind } = own.spec;
      own.call.reporter.warn(
        `${host.name} may serve objects of kind ${kind} that this stack has not loaded: they cannot be listed (${problemOf(cause)}). It is deleted nevertheless.`,
      );
      return [];
    }
    throw new ModelPlatformError(`${host.name} is not deleted: what it serves could not be read: ${messageOf(cause)}`, {
      advice: `Give the key the right to list objects of kind ${own.spec.kind}, or run the same command again.`,
      cause,
    });
  }
}

/** The service will answer the same the next time. */
const isLasting = (error: unknown): boolean =>
  isUnsupportedOperation(error) ||
  (isModelPlatformError(error) &&
    error.status !== undefined &&
    error.status < 500 &&
    ![408, 429].includes(error.status));

/** The host's own content, which the service loads; where it was told not to, only what came along with the host. */
const isItsOwn = (hosted: Hosted, host: LiveObject, recorded: Values): boolean =>
  recorded[hosted.guest.host.unless] === true
    ? isMadeAlong(hosted, host)
    : host[hosted.guest.host.own] === hosted.object[hosted.guest.host.content];

export const isLeaving = ({ guest, object }: Hosted): boolean => phaseOf(guest.lifecycle, object) === "gone";

/**
 * Moves what is still on a host to its successor in place, without an interruption: undeclared objects, such as those
 * that the service put there. Content that only the old host can serve is deleted with it. Ends when everything on the
 * successor serves.
 */
export async function handOver(operation: ResourceOperation, host: LiveObject, successor: LiveObject): Promise<void> {
  const [oldName, newName] = [host.name, successor.name];
  const there = (await guestsOn(operation, newName)).filter((hosted) => !isLeaving(hosted));
  for (const hosted of there) await waitUntilServing(operation, hosted);
  for (const { guest, object } of await guestsOn(operation, oldName)) {
    if (["gone", "failed"].includes(phaseOf(guest.lifecycle, object))) continue;
    const { content, own, claim, field } = guest.host;
    const twin = there.find((other) => other.guest === guest && other.object[content] === object[content]);
    if (twin && object[claim] === true && twin.object[claim] !== true)
      await changeGuest(operation, guest, twin.object, { [claim]: true });
    else if (!twin && (host[own] === successor[own] || object[content] === successor[own]))
      await changeGuest(operation, guest, object, { [field]: newName });
    else continue;
    operation.call.reporter.info(`${String(object[content])} is now served from ${newName}.`);
  }
}

/** Waits until a guest serves or has failed; the resource that declares it reports a failure. */
async function waitUntilServing(operation: ResourceOperation, { guest, object }: Hosted): Promise<void> {
  const { account } = operation.objects;
  const own = beginOperation({ ...operation, spec: guest }, { account, verb: "update", values: {} });
  const end = await waitUntilDesired(own, {}, object);
  if (end.how !== "timeout" && end.how !== "aborted") return;
  throw new ModelPlatformError(`${titleOf(own, object.name)} does not serve yet: ${end.detail}`, {
    advice: "Run `up` again: what it replaces stays until then.",
  });
}

async function changeGuest(
  operation: ResourceOperation,
  guest: Guest,
  object: LiveObject,
  wanted: Values,
): Promise<void> {
  const { account } = operation.objects;
  const own = beginOperation({ ...operation, spec: guest }, { account, verb: "update", values: {} });
  await applyChanges(own, object, wanted, { accountId: account });
}

/** The host that the inputs of a guest name; undefined where they name none, or it is gone. */
async function hostOf(operation: ResourceOperation, inputs: Values): Promise<LiveObject | undefined> {
  const { ports, spec, objects } = operation;
  const name = spec.host && inputs[spec.host.field];
  const collection = hostCollection(spec);
  if (collection === undefined || typeof name !== "string") return undefined;
  const { kind } = ports.specs.find((each) => each.collection === collection)!;
  const hosts = ports.objects(kind, objects.account);
  return hosts.find(name, requestOptions(operation));
}

/** What the service creates along with a host appears within this time, by the service's own clock. */
const alongMs = 60_000;

/**
 * The host that the program declares, where the service created the found guest along with it: it puts a host's own
 * content onto it, and nothing else (A081). What a declaration of this run has is no such guest.
 */
export async function hostCreatedAlong(
  operation: ResourceOperation,
  found: LiveObject,
  inputs: Values,
): Promise<LiveObject | undefined> {
  const { ports, spec, call } = operation;
  const host = await hostOf(operation, inputs);
  if (host === undefined || spec.host === undefined) return undefined;
  const isHeld = ports.claims.holderOf(found.name, call.hidden.urn) !== undefined;
  return isMadeAlong({ guest: spec as Guest, object: found }, host) && !isHeld ? host : undefined;
}

function isMadeAlong({ guest, object }: Hosted, host: LiveObject): boolean {
  const later = Date.parse(String(object["createTime"])) - Date.parse(String(host["createTime"]));
  return host[guest.host.own] === object[guest.host.content] && later >= 0 && later <= alongMs;
}
