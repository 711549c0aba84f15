import { type Guest, hostCollection } from "../../core/declaration/resource";
import { standing } from "../../core/declaration/states";
import { ModelPlatformError } from "../../core/errors";
import { accountOf } from "../../core/values/names";
import { openSession, optionsOf, type Session, titleOf, waitUntilWanted } from "../operation/operation";
import { applyChanges } from "../patching/apply";
import type { Values } from "../types";

/** What serves from a host, and the kind that it is of. */
export interface Hosted {
  guest: Guest;
  /** The guest as the service has it. */
  object: Values;
}

/** Everything that serves from the object of that name, what is on its way out included. */
export async function guestsOn(session: Session, name: string): Promise<Hosted[]> {
  const { world, spec } = session;
  const found: Hosted[] = [];
  for (const guest of world.guestsOf(spec)) {
    const objects = await world.objects(guest.kind, accountOf(name) ?? session.objects.account);
    for await (const object of objects.list(optionsOf(session)))
      if (object[guest.host.field] === name) found.push({ guest, object });
  }
  return found;
}

export const isLeaving = ({ guest, object }: Hosted): boolean => standing(guest.lifecycle, object) === "gone";

/**
 * Moves what is still on a host to its successor, in place, so that it answers all the time: what nobody has declared,
 * such as what the service has put there by itself. Content that only the old host can serve stays and goes with it.
 * Ends when all that is on the successor serves.
 */
export async function handOver(session: Session, host: Values, successor: Values): Promise<void> {
  const [oldName, newName] = [String(host["name"]), String(successor["name"])];
  const there = (await guestsOn(session, newName)).filter((hosted) => !isLeaving(hosted));
  for (const hosted of there) await loaded(session, hosted);
  for (const { guest, object } of await guestsOn(session, oldName)) {
    if (["gone", "failed"].includes(standing(guest.lifecycle, object))) continue;
    const { content, own, claim, field } = guest.host;
    const twin = there.find((other) => other.guest === guest && other.object[content] === object[content]);
    if (twin && object[claim] === true && twin.object[claim] !== true)
      await change(session, guest, twin.object, { [claim]: true });
    else if (!twin && (host[own] === successor[own] || object[content] === successor[own]))
      await change(session, guest, object, { [field]: newName });
    else continue;
    session.call.reporter.info(`${String(object[content])} is now served from ${newName}.`);
  }
}

/** Waits until a guest serves, or has failed at that: then it is for whoever declared it to see to. */
async function loaded(session: Session, { guest, object }: Hosted): Promise<void> {
  const { world, call, objects } = session;
  const own = await openSession(world, guest, call, objects.account, "update", {});
  const end = await waitUntilWanted(own, {}, object);
  if (end.how !== "timeout" && end.how !== "aborted") return;
  throw new ModelPlatformError(`${titleOf(own, String(object["name"]))} does not serve yet: ${end.detail}`, {
    advice: "Run `up` again: what it replaces stays until then.",
  });
}

async function change(session: Session, guest: Guest, object: Values, wanted: Values): Promise<void> {
  const { world, call, objects } = session;
  const own = await openSession(world, guest, call, objects.account, "update", {});
  await applyChanges(own, object, wanted, { accountId: objects.account });
}

/** The object that a guest is to serve from. */
export async function hostOf(session: Session, inputs: Values): Promise<Values | undefined> {
  const { world, spec, objects } = session;
  const name = spec.host && inputs[spec.host.field];
  const collection = hostCollection(spec);
  if (collection === undefined || typeof name !== "string") return undefined;
  const hosts = await world.objects(world.kindOf(collection), objects.account);
  return hosts.find(name, optionsOf(session));
}
