import { randomUUID } from "node:crypto";
import { phaseOf } from "../../core/declaration/states";
import {
  AbortedError,
  AmbiguousOutcomeError,
  ConflictError,
  isAborted,
  isConcurrentChange,
  isConflict,
  isModelPlatformError,
  ModelPlatformError,
  mayHaveCreated,
  messageOf,
  problemOf,
} from "../../core/errors";
import { createMessage } from "../../core/wire/messages";
import { stackCommand } from "../commands";
import type { FactContext, SentFact } from "../memory/history";
import { chosenId, inputsDigest, naturalKey } from "../memory/identity";
import { type CallContext, directivesOf, type Operation } from "../operation";
import {
  automaticNameIn,
  identityOf,
  isKnown,
  keyDigestOf,
  writeCompletedFact,
  writeFact,
  writeObjectFact,
} from "../ownership/journal";
import { isOwnerKeyError, markedMessages } from "../ownership/owner";
import { digestsOfSent, existedBefore, latestMs, matchAttempt, showsOnlyInputs } from "../ownership/relation";
import { isUnrecorded } from "../ownership/verdicts";
import type { FindCreated, LiveObject, ObjectCollection } from "../ports";
import type { Values } from "../types";
import { visibleAfterMs } from "../waiting/operation-waits";

/** Pause between polls for what is not visible yet. */
const pollMs = 2000;

/** Polls for the result of an earlier request, which reads may not show at once (A093). */
export async function pollUntilVisible(
  { ports, deadline, call }: Operation,
  poll: () => Promise<LiveObject | undefined>,
): Promise<LiveObject | undefined> {
  const { clock } = ports;
  const until = Math.min(clock.now() + visibleAfterMs, deadline);
  for (;;) {
    const live = await poll();
    if (live || clock.now() >= until) return live;
    await clock.sleep(pollMs, call.signal);
  }
}

const isUnusable = (error: unknown): boolean => isModelPlatformError(error) && error.answerAt !== undefined;

/** Rejects if a create may have succeeded and the poll for its result failed as well; an abort stays an abort. */
export const rejectUnseen =
  (about: CallContext, lost: unknown) =>
  (cause: unknown): never => {
    if (!isModelPlatformError(cause)) throw cause;
    // An interrupted look proves nothing about the create.
    if (isAborted(cause)) throw new AbortedError(messageOf(cause), { outcome: "unknown", cause });
    // Both responses have a form of the service's own: the first error is enough.
    if (isUnusable(lost) && isUnusable(cause)) throw lost;
    throw new ModelPlatformError(`${problemOf(lost)}, and looking for the object failed, too: ${problemOf(cause)}`, {
      code: "outcome-unknown",
      advice: `Run ${stackCommand(about, "up")}, which looks first and takes over what this create has made.`,
      topic: "the-outcome-is-unknown",
      outcome: "unknown",
      cause,
    });
  };

/** Records that a create is about to be sent. Resolves to the id of the attempt. */
export async function recordAttempt(
  operation: Operation,
  inputs: Values,
  { name, ...before }: Pick<SentFact, "version" | "previous" | "absent"> & { name?: string | undefined },
): Promise<string> {
  const { spec, objects, ports } = operation;
  const keyDigest = keyDigestOf(operation, inputs);
  const clock = objects.serviceTime();
  const now = ports.clock.now();
  const id = randomUUID();
  await writeFact(operation, {
    fact: "sent",
    id,
    place: { name, keyDigest },
    digest: inputsDigest(spec, inputs),
    sent: digestsOfSent(spec, inputs, ports.randomHex(16)),
    clock,
    until: (clock ?? now) + (operation.deadline - now) + latestMs,
    ...before,
  });
  return id;
}

/** Records the attempt, sends the create, and records its result. `isAbsent`: a look right before has shown nothing. */
export async function send(
  operation: Operation,
  inputs: Values,
  id: string | undefined,
  isAbsent = false,
): Promise<LiveObject> {
  const { spec, objects, ports } = operation;
  await ports.verifyKey(objects.account, operation.call.signal);
  const messages = markedMessages(operation, createMessage(spec, await operation.withSources(inputs)));
  const name = id === undefined ? undefined : objects.nameOf(id);
  const before = { clock: objects.serviceTime(), at: ports.clock.now() };
  const absent = isAbsent || undefined;
  const sent = await recordAttempt(operation, inputs, { name, absent });
  const directives = directivesOf(spec, inputs);
  // An object with a natural key is looked up by it.
  const hasKey = naturalKey(spec, inputs) !== undefined;
  const findCreated = name === undefined || hasKey ? undefined : findCreatedInList(operation, inputs, name);
  const idsCount = (await operation.history()).idsCount(spec.kind);
  for (;;) {
    const { message, warn } = messages.shift()!;
    try {
      const object = await onceFree(operation, () =>
        objects.create(message, id, directives, { findCreated, idsCount }),
      );
      if (object.name === name) await refuseExisting(operation, object, inputs, { ...before, absent });
      if (name !== undefined && object.name !== name) {
        await assertOwnResult(operation, name, object, before);
        if (chosenId(spec, inputs) !== undefined) warnOfOtherName(operation, name, object);
      }
      ports.lag.noteCreated(object.name, ports.clock.now());
      await writeObjectFact(operation, "made", object);
      warn?.(object.name);
      return object;
    } catch (error) {
      if (messages.length > 0 && isOwnerKeyError(operation, error)) continue;
      await rejectSent(operation, error, sent);
    }
  }
}

/** Collections with a warning that their service chooses the names. */
const namedByService = new WeakSet<ObjectCollection>();

/** Reports an ignored id once per collection. */
function warnOfOtherName({ spec, objects, call }: Operation, requested: string, { name }: LiveObject): void {
  if (namedByService.has(objects.shared)) return;
  namedByService.add(objects.shared);
  call.reporter.warn(
    `${spec.kind} ${requested} was created as ${name}: the service does not take the id where this package puts it (A011). Give \`create${spec.kind}\` another \`idParam\`, or a \`wrap\`, in the setting \`modelplatform:operations\`.`,
  );
}

/** Retries a create until the deadline while another change is in the way and nothing was created (A044). */
async function onceFree(operation: Operation, create: () => Promise<LiveObject>): Promise<LiveObject> {
  let repetition: CreateRetry | undefined;
  for (;;) {
    try {
      return await create();
    } catch (error) {
      if (!isConcurrentChange(error) || mayHaveCreated(error)) throw error;
      repetition ??= new CreateRetry(operation);
      await repetition.pause(error);
    }
  }
}

/**
 * Rejects a response about another object than requested: one that existed before, or that another resource holds. The
 * service may name a new object itself (A016).
 */
async function assertOwnResult(
  operation: Operation,
  requested: string,
  object: LiveObject,
  before: Pick<FactContext & SentFact, "clock" | "at">,
): Promise<void> {
  const known = (await operation.history()).object(identityOf(object));
  const isHeld = known !== undefined || operation.resource.otherHolderOf(object.name) !== undefined;
  if (!isHeld && !existedBefore(object["createTime"], before)) return;
  throw new AmbiguousOutcomeError(
    `${operation.title(requested)} was answered with another object, ${object.name}, which ${isHeld ? "this stack holds already" : `was created before, at ${String(object["createTime"])}`}`,
    {
      code: "answered-with-another",
      outcome: "unknown",
      advice:
        "Run `up` again: it looks for what this create has made, and if this comes back, the service answers wrongly.",
      topic: "the-outcome-is-unknown",
    },
  );
}

/**
 * Rejects a response with an object that existed before: that is no creation, whatever its status. Its time alone
 * proves nothing, because a service has more clocks than one. Another sign has to agree: values that were not sent, a
 * record of it, or, where nobody could say whether its name was free, ten minutes.
 */
async function refuseExisting(
  operation: Operation,
  object: LiveObject,
  inputs: Values,
  { clock, at, absent }: Pick<FactContext & SentFact, "clock" | "at" | "absent">,
): Promise<void> {
  const { createTime } = object;
  if (!existedBefore(createTime, { clock, at })) return;
  const longBefore = { clock: Math.min(clock ?? at, at) - latestMs, at };
  const isFree = absent || automaticNameIn(operation, object) !== undefined;
  if (
    showsOnlyInputs(operation, object, inputs) &&
    (absent || !(await isKnown(operation, identityOf(object)))) &&
    (isFree || !existedBefore(createTime, longBefore))
  )
    return;
  const title = operation.title(object.name);
  operation.call.reporter.warn(
    `${title} was created before, at ${String(object["createTime"])}. The service has answered the create with it, and may have changed it.`,
  );
  throw new ConflictError(`${title} existed before this create`, {
    code: "existed-before",
    topic: "the-object-already-exists",
  });
}

/**
 * Closes an attempt that was rejected or never left this machine: it created nothing. If the response was lost, the
 * caller decides.
 */
export async function closeRejectedAttempt(operation: Operation, error: unknown, id: string): Promise<never> {
  if (isModelPlatformError(error) && !mayHaveCreated(error)) await writeCompletedFact(operation, { fact: "void", id });
  throw error;
}

/** The same, but a conflicting object may be the create's own result, sent twice by a gateway. */
async function rejectSent(operation: Operation, error: unknown, id: string): Promise<never> {
  if (!isConflict(error) || mayHaveCreated(error)) return closeRejectedAttempt(operation, error, id);
  await writeCompletedFact(operation, { fact: "void", id, refused: true });
  throw error;
}

/** Milliseconds before a create is sent again: doubled each time, up to the last. */
const pauseMs = { first: 1000, last: 25_000 };

/** Wait after which the user learns the reason. */
const reportAfterMs = 10_000;

/** Retries a create until the deadline of its operation. */
export class CreateRetry {
  private next = pauseMs.first;
  private begun: number | undefined;
  private isReported = false;

  constructor(private readonly operation: Operation) {}

  /** Resolves when the next request is due. Rejects with the last error if time is up. */
  async pause(error: unknown): Promise<void> {
    const { ports, deadline, call } = this.operation;
    const now = ports.clock.now();
    if (now + this.next > deadline) throw error;
    this.begun ??= now;
    if (now - this.begun >= reportAfterMs) this.report(error);
    await ports.clock.sleep(this.next, call.signal);
    this.next = Math.min(2 * this.next, pauseMs.last);
  }

  private report(error: unknown): void {
    if (this.isReported) return;
    this.isReported = true;
    const { spec, call, deadline } = this.operation;
    const until = new Date(deadline).toISOString();
    call.reporter.info(
      `${spec.kind} is not created yet: ${problemOf(error)}. The create is repeated until ${until}; \`timeouts.create\` sets its time limit.`,
    );
  }
}

/**
 * Searches the list for the result of a create whose response was lost and whose id does not count: created since,
 * exactly as sent, and held by nobody.
 */
const findCreatedInList =
  (operation: Operation, inputs: Values, requested: string): FindCreated =>
  async (lost, isTaken) => {
    const poll = () => findResult(operation, inputs, { requested, isTaken });
    const object = await pollUntilVisible(operation, poll).catch(rejectUnseen(operation, lost));
    if (object === undefined && operation.ports.clock.now() >= operation.deadline) throw lost;
    return object;
  };

interface Search {
  requested: string;
  isTaken: (name: string) => boolean;
}

async function findResult(
  operation: Operation,
  inputs: Values,
  { requested, isTaken }: Search,
): Promise<LiveObject | undefined> {
  const { spec, objects, resource } = operation;
  const history = await operation.history();
  const attempt = history.openAt({ name: requested }).at(-1);
  if (!attempt) return undefined;
  const named = await objects.find(requested);
  if (named && phaseOf(spec.lifecycle, named) !== "gone" && history.object(identityOf(named)) === undefined) {
    const origin = matchAttempt(operation, named, inputs, attempt);
    if (origin !== undefined && isUnrecorded(origin)) return named;
  }
  for await (const object of objects.list()) {
    const isHad =
      isTaken(object.name) ||
      history.object(identityOf(object)) !== undefined ||
      resource.otherHolderOf(object.name) !== undefined;
    if (isHad || phaseOf(spec.lifecycle, object) === "gone") continue;
    const origin = matchAttempt(operation, object, inputs, attempt);
    if (origin !== undefined && isUnrecorded(origin)) return object;
  }
  return undefined;
}
