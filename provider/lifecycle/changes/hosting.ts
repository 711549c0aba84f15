import { type HostedSpec, hostCollection, type ResourceSpec } from "../../core/declaration/resource";
import { phaseOf } from "../../core/declaration/states";
import {
  isModelPlatformError,
  isUnsupportedOperation,
  ModelPlatformError,
  messageOf,
  problemOf,
} from "../../core/errors";
import { accountOf } from "../../core/values/names";
import type { Operation } from "../operation";
import { identityOf, slotOf } from "../ownership/journal";
import type { LiveObject } from "../ports";
import type { Values } from "../types";
import { waitUntilDesired } from "../waiting/operation-waits";
import { applyChanges } from "./patch";

/** An object that serves from a host, and its kind. */
export interface HostedObject {
  guest: HostedSpec;
  /** The guest as the service has it. */
  object: LiveObject;
}

/** The kinds whose objects serve from objects of this kind. */
export const hostedSpecs = (specs: readonly ResourceSpec[], host: ResourceSpec): readonly HostedSpec[] =>
  specs.filter((spec): spec is HostedSpec => hostCollection(spec) === host.collection);

/** Everything that serves from the object of that name, including what is leaving. */
export async function loadsOn(operation: Operation, name: string): Promise<HostedObject[]> {
  const { ports, spec } = operation;
  const loads: HostedObject[] = [];
  for (const guest of hostedSpecs(ports.specs, spec)) {
    const objects = operation.objectsOf(guest, accountOf(name) ?? operation.objects.account);
    for await (const object of objects.list()) if (object[guest.host.field] === name) loads.push({ guest, object });
  }
  return loads;
}

/**
 * Loads on a host that neither this stack nor the service itself put there: a stack's own are in its journal, and the
 * service loads a host's own content along with it (A081).
 */
export async function foreignLoadsOn(
  operation: Operation,
  host: LiveObject,
  recorded: Values,
): Promise<HostedObject[]> {
  const { ports, spec, objects } = operation;
  const loads: HostedObject[] = [];
  for (const guest of hostedSpecs(ports.specs, spec)) {
    const account = accountOf(host.name) ?? objects.account;
    const own = operation.begin({ spec: guest, account, verb: "delete", values: {} });
    for (const object of await guestObjects(own, host)) {
      const hosted = { guest, object };
      if (object[guest.host.field] !== host.name || isUnloading(hosted) || isItsOwn(hosted, host, recorded)) continue;
      const history = await own.history();
      const { createdBy, holder } = history.object(identityOf(object)) ?? {};
      const isOwn = createdBy !== undefined || holder !== undefined || history.openAt(slotOf(own, object)).length > 0;
      if (!isOwn) loads.push(hosted);
    }
  }
  return loads;
}

/**
 * All guests of the account. If they cannot be listed, a warning reports that the host might serve one of them: a paid
 * object can always be deleted. Rejects if the same request may succeed later.
 */
async function guestObjects(own: Operation, host: LiveObject): Promise<Iterable<LiveObject>> {
  const recent = await own.objects.recent();
  if (recent) return recent;
  const listed: LiveObject[] = [];
  try {
    for await (const object of own.objects.list()) listed.push(object);
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
      code: "host-unreadable",
      advice: `Give the key the right to list objects of kind ${own.spec.kind}, or run the same command again.`,
      cause,
    });
  }
}

/** The service will respond the same next time. */
const isLasting = (error: unknown): boolean =>
  isUnsupportedOperation(error) ||
  (isModelPlatformError(error) &&
    error.status !== undefined &&
    error.status < 500 &&
    ![408, 429].includes(error.status));

/** The host's own content, which the service loads; if that is switched off, only what came along with the host. */
const isItsOwn = (hosted: HostedObject, host: LiveObject, recorded: Values): boolean =>
  recorded[hosted.guest.host.unless] === true
    ? isCoCreated(hosted, host)
    : host[hosted.guest.host.own] === hosted.object[hosted.guest.host.content];

export const isUnloading = ({ guest, object }: HostedObject): boolean => phaseOf(guest.lifecycle, object) === "gone";

/**
 * Moves what is still on a host to its successor in place, without an interruption: undeclared objects, such as those
 * that the service put there. Content that only the old host can serve is deleted with it. Ends when everything on the
 * successor serves.
 */
export async function moveLoads(operation: Operation, host: LiveObject, successor: LiveObject): Promise<void> {
  const [oldName, newName] = [host.name, successor.name];
  const there = (await loadsOn(operation, newName)).filter((hosted) => !isUnloading(hosted));
  for (const hosted of there) await waitUntilServing(operation, hosted);
  for (const { guest, object } of await loadsOn(operation, oldName)) {
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
async function waitUntilServing(operation: Operation, { guest, object }: HostedObject): Promise<void> {
  const { account } = operation.objects;
  const own = operation.begin({ spec: guest, account, verb: "update", values: {} });
  const end = await waitUntilDesired(own, {}, object);
  if (end.how !== "timeout" && end.how !== "aborted") return;
  throw new ModelPlatformError(`${own.title(object.name)} does not serve yet: ${end.detail}`, {
    code: "not-serving",
    advice: "Run `up` again: what it replaces stays until then.",
  });
}

async function changeGuest(
  operation: Operation,
  guest: HostedSpec,
  object: LiveObject,
  desired: Values,
): Promise<void> {
  const { account } = operation.objects;
  const own = operation.begin({ spec: guest, account, verb: "update", values: {} });
  await applyChanges(own, object, desired, { accountId: account });
}

/** The host that the inputs of a guest name; undefined if they name none, or it is deleted. */
async function hostOf(operation: Operation, inputs: Values): Promise<LiveObject | undefined> {
  const { ports, spec, objects } = operation;
  const name = spec.host && inputs[spec.host.field];
  const collection = hostCollection(spec);
  if (collection === undefined || typeof name !== "string") return undefined;
  const host = ports.specs.find((each) => each.collection === collection)!;
  return operation.objectsOf(host, objects.account).find(name);
}

/** What the service creates along with a host appears within this time, by the service's own clock. */
const alongMs = 60_000;

/**
 * The declared host, if the service created the existing guest along with it: it puts a host's own content onto it, and
 * nothing else (A081). A guest that a declaration of this run holds does not count.
 */
export async function coCreatedHost(
  operation: Operation,
  live: LiveObject,
  inputs: Values,
): Promise<LiveObject | undefined> {
  const { spec, resource } = operation;
  const host = await hostOf(operation, inputs);
  if (host === undefined || spec.host === undefined) return undefined;
  const isHeld = resource.otherHolderOf(live.name) !== undefined;
  return isCoCreated({ guest: spec as HostedSpec, object: live }, host) && !isHeld ? host : undefined;
}

function isCoCreated({ guest, object }: HostedObject, host: LiveObject): boolean {
  const later = Date.parse(String(object["createTime"])) - Date.parse(String(host["createTime"]));
  return host[guest.host.own] === object[guest.host.content] && later >= 0 && later <= alongMs;
}
