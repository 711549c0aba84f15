import { isAmbiguousOutcome, isConflict, isModelPlatformError } from "../core/errors";
import { createMessage } from "../core/wire";
import { inputsDigest, naturalKey } from "./ids";
import { optionsOf, type Session, withSources } from "./session";
import type { Values } from "./types";

/** Writes the intent, then sends the create. */
export async function send(session: Session, inputs: Values, id: string | undefined): Promise<Values> {
  const { spec, objects, call, world } = session;
  await world.admit(objects.account);
  const key = naturalKey(spec, inputs);
  const name = id === undefined ? undefined : objects.nameOf(id);
  const intent = { kind: spec.kind, urn: call.hidden.urn, origin: objects.origin, account: objects.account, time: world.clock.now(), digest: inputsDigest(spec, inputs) };
  await world.intents.write({ ...intent, ...(name !== undefined && { name }), ...(key !== undefined && { key }) });
  const directives = Object.fromEntries(spec.fields.directives.map((field) => [field.name, inputs[field.name] as boolean | undefined]));
  const message = createMessage(spec, await withSources(session, inputs));
  const object = await objects.create(message, id, directives, optionsOf(session)).catch((error: unknown) => refused(session, error));
  world.memory.createdAt.set(String(object["name"]), world.clock.now());
  return object;
}

/** A create that was refused made nothing; one that met another object, or whose answer was lost, is for the caller to judge. */
async function refused(session: Session, error: unknown): Promise<never> {
  if (isModelPlatformError(error) && error.status !== undefined && !isConflict(error) && !isAmbiguousOutcome(error) && error.outcome === "none") await withdraw(session);
  throw error;
}

/** Nothing that this declaration has begun is under way any more. */
export const withdraw = ({ world, objects, call }: Session): Promise<void> => world.intents.withdraw(objects.origin, objects.account, call.hidden.urn);

/** How far the clocks of this machine and the service may be apart. */
const skewMs = 60_000;

/** A repeated create meets the object that its own first try made, whose answer was lost. */
export function isOwnEcho(session: Session, found: Values, error: unknown): boolean {
  const repeated = isAmbiguousOutcome(error) || (isModelPlatformError(error) && (error.attempts ?? 1) > 1);
  const made = Date.parse(String(found["createTime"] ?? ""));
  return repeated && (Number.isNaN(made) || made >= session.begun - skewMs);
}
