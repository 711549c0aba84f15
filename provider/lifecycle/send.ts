import { isAmbiguousOutcome, isConflict, isModelPlatformError } from "../core/errors";
import { createMessage } from "../core/wire";
import { digestOfKey, inputsDigest, naturalKey } from "./ids";
import { optionsOf, type Session, withSources } from "./session";
import type { Values } from "./types";
import type { Intent } from "./world";

/** The intent that an earlier run of this declaration has left. */
export const openIntent = ({ world, objects, call }: Session): Promise<Intent | undefined> =>
  world.intents.find(objects.origin, objects.account, call.hidden.urn);

/** Writes down what is about to be made. */
export async function announce(
  { spec, objects, call, world }: Session,
  inputs: Values,
  what: Pick<Intent, "name" | "version">,
): Promise<void> {
  const key = naturalKey(spec, inputs);
  const intent = {
    kind: spec.kind,
    urn: call.hidden.urn,
    origin: objects.origin,
    account: objects.account,
    time: world.clock.now(),
    digest: inputsDigest(spec, inputs),
  };
  await world.intents.write({
    ...intent,
    ...what,
    ...(key !== undefined && { keyDigest: digestOfKey(spec.kind, objects.account, key) }),
  });
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
  const directives = Object.fromEntries(
    spec.fields.directives.map((field) => [field.name, inputs[field.name] as boolean | undefined]),
  );
  const message = createMessage(spec, await withSources(session, inputs));
  const object = await objects
    .create(message, id, directives, optionsOf(session))
    .catch((error: unknown) => refused(session, error, before));
  world.memory.createdAt.set(String(object["name"]), world.clock.now());
  return object;
}

/** A create that was refused made nothing; one that met another object, or whose answer was lost, is for the caller to judge. */
export async function refused(session: Session, error: unknown, before: Intent | undefined): Promise<never> {
  if (
    isModelPlatformError(error) &&
    error.status !== undefined &&
    !isConflict(error) &&
    !isAmbiguousOutcome(error) &&
    error.outcome === "none"
  )
    await withdraw(session, before);
  throw error;
}

/** Nothing that this declaration has begun is under way any more; what is known of the object before it stays known. */
export function withdraw({ world, objects, call }: Session, before: Intent | undefined): Promise<void> {
  return before?.settled
    ? world.intents.write(before)
    : world.intents.withdraw(objects.origin, objects.account, call.hidden.urn);
}

/** How far the clocks of this machine and the service may be apart. */
const skewMs = 60_000;

/** A repeated create meets the object that its own first try made, whose answer was lost. */
export function isOwnEcho(session: Session, found: Values, error: unknown): boolean {
  const repeated = isAmbiguousOutcome(error) || (isModelPlatformError(error) && (error.attempts ?? 1) > 1);
  const made = Date.parse(String(found["createTime"] ?? ""));
  return repeated && (Number.isNaN(made) || made >= session.begun - skewMs);
}
