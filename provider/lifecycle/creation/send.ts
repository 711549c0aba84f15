import { isModelPlatformError } from "../../core/errors";
import { createMessage } from "../../core/requests/wire";
import { digestOfKey, inputsDigest, naturalKey } from "../identity/ids";
import { directivesOf, optionsOf, type Session, withSources } from "../operation/operation";
import { digestsOfSent } from "../ownership/evidence";
import { createMarked } from "../ownership/marks";
import { mayHaveBeenMade } from "../ownership/origin";
import type { Intent } from "../ports/intents";
import type { Values } from "../types";
/** The intent that an earlier run of this declaration has left. */
export const openIntent = ({ world, objects, call }: Session): Promise<Intent | undefined> =>
  world.intents.find(objects.origin, objects.account, call.hidden.urn);

/**
 * The intent that an earlier run of this declaration has left, under the URN that it has or, where nothing came of that
 * yet, under one that it had: the note is this URN's from then on.
 */
export async function inheritedIntent(session: Session): Promise<Intent | undefined> {
  const { world, objects, call } = session;
  const own = await openIntent(session);
  if (own && !own.settled) return own;
  for (const former of call.hidden.aliases ?? []) {
    const note = await world.intents.find(objects.origin, objects.account, former);
    if (!note || note.settled || world.memory.declared.has(former)) continue;
    const inherited = { ...note, urn: call.hidden.urn };
    await world.intents.write(inherited);
    await world.intents.withdraw(objects.origin, objects.account, former);
    return inherited;
  }
  return own;
}

/** Writes down what is about to be made. */
export async function announce(
  session: Session,
  inputs: Values,
  what: Pick<Intent, "name" | "version">,
): Promise<void> {
  const sent = digestsOfSent(session.spec, inputs, session.world.randomHex(16));
  await session.world.intents.write({ ...noteOf(session, inputs), sent, ...what });
}

/** Writes down that this declaration has an object now which was there before. */
export const noteTaken = (session: Session, inputs: Values, name: string): Promise<void> =>
  session.world.intents.write({ ...noteOf(session, inputs), name, settled: true, taken: true });

function noteOf({ spec, objects, call, world }: Session, inputs: Values): Intent {
  const key = naturalKey(spec, inputs);
  const clock = objects.serviceTime();
  return {
    kind: spec.kind,
    urn: call.hidden.urn,
    origin: objects.origin,
    account: objects.account,
    time: world.clock.now(),
    digest: inputsDigest(spec, inputs),
    ...(clock !== undefined && { clock }),
    ...(key !== undefined && { keyDigest: digestOfKey(spec.kind, objects.account, key) }),
  };
}

/** Writes the intent, then sends the create. `before` is the intent that was there. */
export async function send(
  session: Session,
  inputs: Values,
  id: string | undefined,
  before: Intent | undefined,
): Promise<Values> {
  const { spec, objects, world } = session;
  await world.admit(objects.account, session.call.signal);
  await announce(session, inputs, id === undefined ? {} : { name: objects.nameOf(id) });
  const message = createMessage(spec, await withSources(session, inputs));
  const object = await createMarked(session, message, (marked) =>
    objects.create(marked, id, directivesOf(spec, inputs), optionsOf(session)),
  ).catch((error: unknown) => refused(session, error, before));
  world.memory.createdAt.set(String(object["name"]), world.clock.now());
  return object;
}

/**
 * A create that was refused made nothing, and leaves known what an interrupted one may have begun before it; one
 * whose answer was lost is for the caller to judge.
 */
export async function refused(session: Session, error: unknown, before: Intent | undefined): Promise<never> {
  if (isModelPlatformError(error) && error.status !== undefined && !mayHaveBeenMade(error))
    await restore(session, before);
  throw error;
}

/**
 * Nothing that this declaration has begun at `met` is under way any more. What was known before stays known: of the
 * object that it has, and of what an interrupted create has begun elsewhere.
 */
export const withdraw = (session: Session, before: Intent | undefined, met: Values): Promise<void> =>
  restore(session, before && (before.settled || !isAbout(session, before, met)) ? before : undefined);

/** No object of this declaration is known any more. */
export const withdrawAll = (session: Session): Promise<void> => restore(session, undefined);

/** Whether the note is about this object: a natural key tells one from what has come to have its name. */
export function isAbout({ spec, objects }: Session, { name, keyDigest }: Intent, object: Values): boolean {
  const key = naturalKey(spec, object);
  return key === undefined || keyDigest === undefined
    ? name === object["name"]
    : keyDigest === digestOfKey(spec.kind, objects.account, key);
}

/** The note is again what it was before the last request. */
const restore = ({ world, objects, call }: Session, before: Intent | undefined): Promise<void> =>
  before ? world.intents.write(before) : world.intents.withdraw(objects.origin, objects.account, call.hidden.urn);

/** The recorded object of this name is no longer this declaration's. */
export async function forget(session: Session, name: string, recorded: Values): Promise<void> {
  const note = await openIntent(session);
  if (note && (note.name ?? name) === name && isAbout(session, note, { ...recorded, name })) await withdrawAll(session);
}
