import { optionsIn } from "../../core/declaration/options";
import type { Records } from "../../core/declaration/own-records";
import { type Lifecycle, type ResourceSpec, usualTimeout } from "../../core/declaration/resource";
import { goalOf, hasReached, phaseOf, usualDuration } from "../../core/declaration/states";
import { ConfigurationError } from "../../core/errors";
import { durationSeconds } from "../../core/fields/equality";
import { ownerIn } from "../../core/fields/owner";
import { type OwnWrite, recordedOutputs } from "../../core/recording/recorded";
import { costAboveLimit } from "../../core/rules/cost-limit";
import { fillTemplate } from "../../core/values/names";
import type { LiveObject, Objects, Query, RequestOptions } from "../ports/objects";
import type { Ports } from "../ports/ports";
import type { CreateView, DeleteView } from "../run/views";
import { digestsOf, digestsOfAnswer } from "../sources/digests";
import { readingOnce, valuesFromSources } from "../sources/secret-source";
import type { Call, Values } from "../types";
import { Poller } from "../waiting/poller";
import { stateOf, type WaitEnd, type WaitFor, waitFor } from "../waiting/wait";
import { ready } from "../waiting/wait-condition";

/** A new object may be invisible to reads for this long (A093). */
export const visibleAfterMs = 30_000;

/** Whether every replica has had the time to show what was sent when this was called. */
export function lateness({ ports: { clock, lag } }: Pick<ResourceOperation, "ports">): () => boolean {
  const sentAt = clock.now();
  return () => clock.now() - sentAt >= Math.max(visibleAfterMs, lag.longest);
}

type Verb = "create" | "update" | "delete";

/** One operation on one resource: everything its steps share. */
export interface ResourceOperation {
  spec: ResourceSpec;
  call: Call;
  ports: Ports;
  objects: Objects;
  verb: Verb;
  /** When the operation began, in milliseconds since 1970. */
  startedAt: number;
  /** Milliseconds since 1970 at which the operation's timeout ends. */
  deadline: number;
}

/** A create, and what the run knows of its resource. */
export interface CreateOperation extends ResourceOperation {
  resource: CreateView;
}

/** A delete, and what the run knows of its resource. */
export interface DeleteOperation extends ResourceOperation {
  resource: DeleteView;
}

/** What an engine compares: the outputs of an object, and a program's inputs. */
export interface ComparedResource extends CallContext {
  id: string;
  outputs: Values;
  inputs: Values;
}

const pollers = new WeakMap<Objects, Poller>();

/** What a call is about. An operation within another one is about the same, or about another kind. */
export type CallContext = Pick<ResourceOperation, "ports" | "spec" | "call">;

/** What to begin: `values` are inputs or outputs with the program's options. */
interface Beginning {
  account: string;
  verb: Verb;
  values: Values;
}

/** Begins an operation in an account, with the time that the program or the declaration allows for it. */
export async function beginOperation(
  { ports, spec, call }: CallContext,
  { account, verb, values }: Beginning,
): Promise<ResourceOperation> {
  const given = (optionsIn(values).timeouts as Record<string, string> | undefined)?.[verb];
  const declared = call.timeout === undefined ? spec.timeouts?.[verb] : `${call.timeout}s`;
  const seconds = durationSeconds(given ?? declared ?? usualTimeout);
  if (Number.isNaN(seconds))
    throw new ConfigurationError(`\`timeouts.${verb}\` is ${JSON.stringify(given)}, which is not a duration`, {
      advice: "Write it like `90s`, `45m` or `2h`.",
    });
  const startedAt = ports.clock.now();
  return {
    spec,
    call,
    ports: readingOnce(ports),
    objects: await ports.objects(spec.kind, account),
    verb,
    startedAt,
    deadline: startedAt + seconds * 1000,
  };
}

export const requestOptions = (operation: ResourceOperation): RequestOptions => ({
  signal: operation.call.signal,
  deadline: operation.deadline,
});

interface Waiting extends Omit<WaitFor, "deadline" | "motion" | "usual"> {
  /** What moves the object, if not the operation itself; null for something that no declaration describes. */
  path?: keyof Lifecycle["paths"] | null;
  /** The program's name for the state to wait for. */
  goal?: string | undefined;
}

export function wait(
  operation: ResourceOperation,
  { path = operation.verb, goal, ...what }: Waiting,
): Promise<WaitEnd> {
  const { spec, call, ports, objects, deadline } = operation;
  const { seen, condition } = what;
  if (!objects.isReadable && seen && !condition.deleted)
    return Promise.resolve({ how: "reached", last: seen, detail: `${stateOf(seen)} when it was written` });
  const poller = pollers.get(objects) ?? new Poller(objects, ports.clock);
  pollers.set(objects, poller);
  const usual =
    path === null
      ? undefined
      : usualDuration(spec.lifecycle, path, (state) => hasReached(spec.lifecycle, { state }, goal));
  return ports.stopwatch.during(
    "states",
    waitFor(
      { spec, call, clock: ports.clock, lag: ports.lag, poller },
      { deadline, motion: `${path} ${goal}`, usual, ...what },
    ),
  );
}

/** Waits until the object has reached the state that the program wants. */
export function waitUntilDesired(operation: ResourceOperation, inputs: Values, seen: LiveObject): Promise<WaitEnd> {
  const name = seen.name;
  const goal = operation.spec.lifecycle && goalOf(operation.spec.lifecycle, inputs);
  const made = operation.ports.lag.createdAt(name);
  return wait(operation, {
    name,
    seen,
    goal,
    condition: {
      ...ready(operation.spec, goal),
      overBudget: (object) =>
        isAtWork(operation.spec, object) ? costAboveLimit(operation.spec.costLimit, inputs, object) : undefined,
    },
    visibleBy: made && made + visibleAfterMs,
  });
}

/** Neither over nor being cancelled. */
const isAtWork = ({ lifecycle }: ResourceSpec, object: LiveObject): boolean =>
  ["moving", "resting", "unknown"].includes(phaseOf(lifecycle, object)) &&
  !lifecycle?.paths.cancel?.some(([state]) => state === object["state"]);

/** The program's inputs, with values that it keeps elsewhere filled in. */
export const withSources = async (operation: ResourceOperation, inputs: Values): Promise<Values> => ({
  ...inputs,
  ...(await valuesFromSources(operation.ports, inputs)),
});

/** Query parameters of a create. */
export const directivesOf = ({ fields }: ResourceSpec, inputs: Values): Query =>
  Object.fromEntries(fields.directives.map(({ name }) => [name, inputs[name] as boolean | undefined]));

/** What is known of an object to record. */
export interface KnownRecords extends Partial<Records> {
  /** The own write that the object is the answer to, where that was accepted and made. */
  answers?: OwnWrite;
}

/** The outputs to record, built from the object as last seen. */
export async function outputsOf(
  operation: ResourceOperation,
  inputs: Values,
  object: LiveObject,
  records: KnownRecords = {},
): Promise<Values> {
  const { spec, objects, ports } = operation;
  const randomHex = (bytes: number): string => ports.randomHex(bytes);
  const unanswered = digestsOf(spec, await withSources(operation, inputs), randomHex);
  // What a failure leaves is the answer to nothing.
  const answered = records.answers ? digestsOfAnswer(spec, { inputs, answer: object }, randomHex) : {};
  const digests = { ...records.digests, ...unanswered, ...answered };
  return recordedOutputs(spec, inputs, object, {
    ...records,
    marks: ownerIn(spec, object),
    digests: Object.keys(digests).length > 0 ? digests : undefined,
    accountId: objects.account,
    endpoint: objects.origin,
    serviceSettings: objects.serviceSettings,
  });
}

/** The name that an id has in this account. */
export const nameOf = (spec: ResourceSpec, account: string, id: string): string =>
  fillTemplate(spec.name.replace(/\{(?!account)\w+\}/g, "{id}"), { account, id });

/** What messages call an object: `Deployment accounts/acme/deployments/chat`. */
export const titleOf = (operation: ResourceOperation, name: string): string => `${operation.spec.kind} ${name}`;
