import { acceptedOf } from "../../core/comparison/accepted";
import { isModelPlatformError } from "../../core/errors";
import { createMessage } from "../../core/requests/wire";
import { automaticId, chosenId, inputsDigest } from "../identity/ids";
import { directivesOf, type Operation, requestOptions, withSources } from "../operation/operation";
import { isAbout, keyDigestOf, notesAbout } from "../ownership/begun";
import { digestsOfSent } from "../ownership/evidence";
import { isAboutMarks, markedMessages } from "../ownership/marks";
import { mayHaveBeenMade } from "../ownership/provenance";
import type { Intent, Made } from "../ports/intents";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";

/** The note of this declaration, from an earlier run or from the create that is under way. */
export const ownIntent = ({ ports, objects, call }: Operation): Promise<Intent | undefined> =>
  ports.intents.find(objects.origin, objects.account, call.hidden.urn);

/**
 * The note that an earlier run has left for the object that is created now: set aside, of this URN, or of a URN that
 * the declaration had and does not use any longer. It is of this URN from then on.
 */
export async function inheritedIntent(operation: Operation, inputs: Values): Promise<Intent | undefined> {
  const { ports, objects, call } = operation;
  const own = await ownIntent(operation);
  const former = await takeBack(operation, inputs, own);
  if (former) return former;
  if (own && !own.settled) return own;
  for (const former of call.hidden.aliases ?? []) {
    const note = await ports.intents.find(objects.origin, objects.account, former);
    if (!note || note.settled || ports.memory.declared.has(former)) continue;
    const inherited = { ...note, urn: call.hidden.urn };
    await ports.intents.write(inherited);
    await ports.intents.withdraw(objects.origin, objects.account, former);
    return inherited;
  }
  return own;
}

/** Identifies a note: one object, whatever happens to its declaration. */
const subjectOf = ({ name, keyDigest }: Pick<Intent, "name" | "keyDigest">): string => keyDigest ?? name ?? "";

/** Key of the note about an earlier object, once its declaration is creating another one. */
const urnAside = (urn: string, about: Pick<Intent, "name" | "keyDigest">): string => `${urn}#${subjectOf(about)}`;

/** Keeps the note about an earlier object while its declaration creates another one. */
const setAside = ({ ports, call }: Operation, note: Intent): Promise<void> =>
  ports.intents.write({ ...note, urn: urnAside(call.hidden.urn, note), of: call.hidden.urn });

/** The note of an object that the declaration started before, and is creating again now. */
async function takeBack(operation: Operation, inputs: Values, own: Intent | undefined): Promise<Intent | undefined> {
  const { ports, objects, call, spec } = operation;
  const id = chosenId(spec, inputs) ?? automaticId(call.hidden, objects.account, 0);
  const aside = urnAside(call.hidden.urn, { ...noteOf(operation, inputs), name: objects.nameOf(id) });
  const found = await ports.intents.find(objects.origin, objects.account, aside);
  if (!found) return undefined;
  if (own && !own.settled) await setAside(operation, own);
  const { of: _, ...note } = { ...found, urn: call.hidden.urn };
  await ports.intents.write(note);
  await ports.intents.withdraw(objects.origin, objects.account, aside);
  return note;
}

/** Writes the note about an object that is about to be created. `earlier` is the note it replaces. */
export async function announce(
  operation: Operation,
  inputs: Values,
  what: Pick<Intent, "name" | "version">,
  earlier?: Intent,
): Promise<void> {
  const note = { ...noteOf(operation, inputs), ...what };
  const open = earlier?.settled ? undefined : earlier;
  const isSame = open !== undefined && subjectOf(open) === subjectOf(note);
  if (open && !isSame) await setAside(operation, open);
  const before = isSame ? asFirstSent(open, note) : await knownBefore(operation, note, earlier);
  const sent = digestsOfSent(operation.spec, inputs, operation.ports.randomHex(16));
  await operation.ports.intents.write({ ...note, sent, ...before });
}

/** The object may be of any of the requests, so that it is known by what was known at the first one. */
const asFirstSent = ({ time, clock, stood, succeeds }: Intent, again: Intent): Partial<Intent> => ({
  time,
  clock,
  ...(stood && { stood }),
  ...(succeeds !== undefined && { succeeds }),
  again: { time: again.time, clock: again.clock },
});

async function knownBefore(
  operation: Operation,
  note: Intent,
  earlier: Intent | undefined,
): Promise<Pick<Intent, "stood" | "succeeds">> {
  const { ports, objects, call, spec } = operation;
  const { aliases = [], urn } = call.hidden;
  const former = aliases.map((alias) => ports.intents.find(objects.origin, objects.account, alias));
  const stood = await knownToStand(operation, [note, earlier, ...(await Promise.all(former))]);
  const presented = ports.memory.presented.get(urn);
  const succeeds = presented && acceptedOf(spec, presented)["createTime"];
  return { ...(stood && { stood }), ...(typeof succeeds === "string" && { succeeds }) };
}

/**
 * The objects that notes know by a name or natural key of these. Clocks that tell whole seconds cannot tell what was
 * there a moment ago from what a create makes.
 */
async function knownToStand(
  { ports, objects }: Operation,
  about: readonly (Intent | undefined)[],
): Promise<Made[] | undefined> {
  const subjects = new Set(about.flatMap((note) => [note?.name, note?.keyDigest]));
  const known: Made[] = [];
  for (const subject of subjects) {
    const notes = subject === undefined ? [] : await ports.intents.naming(objects.origin, objects.account, subject);
    for (const { name, made } of notes) if (name !== undefined && made !== undefined) known.push({ name, made });
  }
  return known.length > 0 ? known : undefined;
}

/**
 * Records that this declaration has taken over an existing object, in the notes of the others of its stack that have
 * had it, too. The last one to do so has it, whatever the clocks of their machines said. What an interrupted create of
 * this declaration has made elsewhere stays known.
 */
export async function writeTaken(
  operation: Operation,
  inputs: Values,
  live: LiveObject,
  isOwn: boolean,
): Promise<void> {
  const note = noteOf(operation, inputs);
  const { intents } = operation.ports;
  const own = await ownIntent(operation);
  if (own && !own.settled && !isAbout(operation, own, live)) await setAside(operation, own);
  const notes = await notesAbout(operation, live);
  const time = Math.max(note.time, ...notes.map((each) => each.time + 1));
  const made = live["createTime"];
  const about = { name: live.name, ...(typeof made === "string" && { made }), ...(isOwn && { own: true as const }) };
  await intents.write({ ...note, ...about, time, taken: true });
  for (const each of notes)
    if (each.urn !== note.urn && !each.passedOn) await intents.write({ ...each, passedOn: true });
}

function noteOf(operation: Operation, inputs: Values): Intent {
  const { spec, objects, call, ports } = operation;
  const keyDigest = keyDigestOf(operation, inputs);
  const clock = objects.serviceTime();
  return {
    kind: spec.kind,
    urn: call.hidden.urn,
    origin: objects.origin,
    account: objects.account,
    time: ports.clock.now(),
    digest: inputsDigest(spec, inputs),
    ...(clock !== undefined && { clock }),
    ...(keyDigest !== undefined && { keyDigest }),
  };
}

/** Writes the note, then sends the create. `earlier` is the note it replaces. */
export async function send(
  operation: Operation,
  inputs: Values,
  id: string | undefined,
  earlier: Intent | undefined,
): Promise<LiveObject> {
  const { spec, objects, ports } = operation;
  await ports.admit(objects.account, operation.call.signal);
  const messages = markedMessages(operation, createMessage(spec, await withSources(operation, inputs)));
  await announce(operation, inputs, id === undefined ? {} : { name: objects.nameOf(id) }, earlier);
  for (;;) {
    const { message, warn } = messages.shift()!;
    try {
      const object = await objects.create(message, id, directivesOf(spec, inputs), requestOptions(operation));
      ports.memory.createdAt.set(object.name, ports.clock.now());
      warn?.(object.name);
      return object;
    } catch (error) {
      if (messages.length === 0 || !isAboutMarks(operation, error)) await rejectRefused(operation, error, earlier);
    }
  }
}

/**
 * A create that was refused, or never left this machine, made nothing: what was known before it is restored, so that
 * nobody's later object passes for its result. If the answer was lost, the caller decides.
 */
export async function rejectRefused(operation: Operation, error: unknown, earlier: Intent | undefined): Promise<never> {
  if (isModelPlatformError(error) && !mayHaveBeenMade(error)) await restore(operation, earlier);
  throw error;
}

/**
 * Nothing that this declaration has begun at `met` is under way any longer. What was known before stays known: of the
 * object that it has, and of what an interrupted create has begun elsewhere.
 */
export const withdraw = (operation: Operation, earlier: Intent | undefined, met: LiveObject): Promise<void> =>
  restore(operation, earlier && (earlier.settled || !isAbout(operation, earlier, met)) ? earlier : undefined);

/** Withdraws the note of this declaration. */
export const withdrawAll = (operation: Operation): Promise<void> => restore(operation, undefined);

/** Restores the note to what it was before the last request. */
async function restore({ ports, objects, call }: Operation, earlier: Intent | undefined): Promise<void> {
  const { urn } = call.hidden;
  if (!earlier) return ports.intents.withdraw(objects.origin, objects.account, urn);
  await ports.intents.write(earlier);
  if (!earlier.settled) await ports.intents.withdraw(objects.origin, objects.account, urnAside(urn, earlier));
}

/** Withdraws the note about the recorded object of this name. */
export async function forget(operation: Operation, name: string, recorded: Values): Promise<void> {
  const note = await ownIntent(operation);
  if (note && (note.name ?? name) === name && isAbout(operation, note, { ...recorded, name }))
    await withdrawAll(operation);
}
