import { type ResourceOperation, requestOptions, titleOf, visibleAfterMs, wait } from "../operation/operation";
import { historyFor } from "../ownership/facts";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";
import { visible } from "../waiting/wait-condition";

/** Replicas are not believed to be further behind than this, in milliseconds. */
export const longestLagMs = 600_000;
/** The shortest time after which a look is another one, in milliseconds. */
const laterMs = 2000;

export type Sighting = { is: "there"; live: LiveObject } | { is: "gone" } | { is: "unknown" };

/**
 * What it means that the URL and the list of a recorded object lack it. A replica that is behind lacks, in both, what
 * is younger than its data. So the object is gone where it is older than any lag, or where the list shows something
 * younger than it. Otherwise it is looked for again after the longest lag that this service has shown.
 */
export async function lookAgain(operation: ResourceOperation, name: string, recorded: Values): Promise<Sighting> {
  const age = await ageOf(operation, name, recorded);
  if (operation.spec.singleton || !(age < longestLagMs)) return { is: "gone" };
  const { clock, lag } = operation.ports;
  const end = await wait(operation, {
    name,
    path: null,
    condition: visible,
    visibleBy: clock.now() + Math.max(visibleAfterMs - age, lag.longest, laterMs),
  });
  if (end.how === "reached" && end.last) return { is: "there", live: end.last };
  if (end.how !== "gone") return { is: "unknown" };
  const isOldEnough = (await ageOf(operation, name, recorded)) >= longestLagMs;
  return isOldEnough || (await listShowsYounger(operation, name, recorded)) ? { is: "gone" } : { is: "unknown" };
}

/**
 * In milliseconds, by the service's own clock; of a kind that tells no time by the journal, where this stack has made
 * the object on this machine. No number where neither knows.
 */
async function ageOf(operation: ResourceOperation, name: string, recorded: Values): Promise<number> {
  const { objects, ports } = operation;
  if (recorded["createTime"] !== undefined) return (objects.serviceTime() ?? ports.clock.now()) - createdAt(recorded);
  const made = (await historyFor(operation)).object({ name, createTime: undefined })?.madeAt;
  return made === undefined ? Number.NaN : ports.clock.now() - made;
}

const createdAt = (object: Values): number => Date.parse(String(object["createTime"]));

/** Nothing that the list shows is of another time than the replica's: what is younger than an object comes after it. */
async function listShowsYounger(operation: ResourceOperation, name: string, recorded: Values): Promise<boolean> {
  const { objects } = operation;
  let isYounger = false;
  for (const object of (await objects.recent(requestOptions(operation))) ?? []) {
    if (object.name === name) return false;
    isYounger ||= createdAt(object) > createdAt(recorded);
  }
  return isYounger;
}

export const unreadableText = (operation: ResourceOperation, name: string): string =>
  `${titleOf(operation, name)} cannot be read: the setting \`operations\` turns off both the read and the list of its kind. It is taken to be as it is recorded`;

export const invisibleText = (operation: ResourceOperation, name: string): string =>
  `${titleOf(operation, name)} is not visible: it may be gone, or younger than what this service's replicas show. It stays in the state. Run \`refresh\` again when it is ten minutes old`;
