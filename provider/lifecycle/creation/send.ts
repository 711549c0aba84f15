import { randomUUID } from "node:crypto";
import { isModelPlatformError } from "../../core/errors";
import { createMessage } from "../../core/requests/wire";
import { inputsDigest } from "../identity/ids";
import { directivesOf, type ResourceOperation, requestOptions, withSources } from "../operation/operation";
import { digestsOfSent } from "../ownership/evidence";
import { keyDigestOf, writeAnswered, writeFact, writeFactOf } from "../ownership/facts";
import { isAboutMarks, markedMessages } from "../ownership/marks";
import type { LiveObject } from "../ports/objects";
import type { Values } from "../types";
import { mayHaveBeenMade } from "./lost-answer";

/** Writes down that a create is about to be sent. Resolves to its id. */
export async function announce(
  operation: ResourceOperation,
  inputs: Values,
  what: { name?: string; version?: string | undefined },
): Promise<string> {
  const { spec, objects, ports } = operation;
  const keyDigest = keyDigestOf(operation, inputs);
  const clock = objects.serviceTime();
  const id = randomUUID();
  const { name, version } = what;
  await writeFact(operation, {
    fact: "sent",
    id,
    place: { name, keyDigest },
    digest: inputsDigest(spec, inputs),
    sent: digestsOfSent(spec, inputs, ports.randomHex(16)),
    clock,
    version,
  });
  return id;
}

/** Writes down what is about to be made, then sends the create, and writes down what it has made. */
export async function send(operation: ResourceOperation, inputs: Values, id: string | undefined): Promise<LiveObject> {
  const { spec, objects, ports } = operation;
  await ports.admit(objects.account, operation.call.signal);
  const messages = markedMessages(operation, createMessage(spec, await withSources(operation, inputs)));
  const sent = await announce(operation, inputs, id === undefined ? {} : { name: objects.nameOf(id) });
  for (;;) {
    const { message, warn } = messages.shift()!;
    try {
      const object = await objects.create(message, id, directivesOf(spec, inputs), requestOptions(operation));
      ports.lag.noteCreated(object.name, ports.clock.now());
      await writeFactOf(operation, "made", object);
      warn?.(object.name);
      return object;
    } catch (error) {
      if (messages.length === 0 || !isAboutMarks(operation, error)) await rejectRefused(operation, error, sent);
    }
  }
}

/** A create that was refused, or never left this machine, made nothing. If the answer was lost, the caller decides. */
export async function rejectRefused(operation: ResourceOperation, error: unknown, id: string): Promise<never> {
  if (isModelPlatformError(error) && !mayHaveBeenMade(error)) await writeAnswered(operation, { fact: "void", id });
  throw error;
}
