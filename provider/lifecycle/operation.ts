import { recordedOutputs, type WriteKind } from "../core/comparison/recorded";
import { optionsIn, type Records } from "../core/declaration/own-fields";
import { defaultTimeout, type ResourceSpec } from "../core/declaration/resource";
import { ConfigurationError } from "../core/errors";
import { durationSeconds } from "../core/fields/equality";
import { ownerIn } from "../core/fields/owner";
import { stackCommand } from "./commands";
import type { CreateView, DeleteView } from "./memory/run";
import type { LiveObject, ObjectCollection, Ports, Query, RequestOptions } from "./ports";
import { cachingReads, digestsOf, digestsOfResponse, valuesFromSources } from "./sources";
import type { Call, Values } from "./types";

type Verb = "create" | "update" | "delete";

/** One operation on one resource: everything its steps share. */
export interface ResourceOperation {
  spec: ResourceSpec;
  call: Call;
  ports: Ports;
  objects: ObjectCollection;
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

/** What a call is about. An operation within another one is about the same, or about another kind. */
export type CallContext = Pick<ResourceOperation, "ports" | "spec" | "call">;

/** What to begin: `values` are inputs or outputs with the program's options. */
interface OperationOptions {
  account: string;
  verb: Verb;
  values: Values;
}

/** Begins an operation in an account, with the time that the program or the declaration allows for it. */
export function startOperation(
  { ports, spec, call }: CallContext,
  { account, verb, values }: OperationOptions,
): ResourceOperation {
  const input = (optionsIn(values).timeouts as Record<string, string> | undefined)?.[verb];
  const declared = call.timeout === undefined ? spec.timeouts?.[verb] : `${call.timeout}s`;
  const seconds = durationSeconds(input ?? declared ?? defaultTimeout);
  if (Number.isNaN(seconds))
    throw new ConfigurationError(`\`timeouts.${verb}\` is ${JSON.stringify(input)}, which is not a duration`, {
      advice: "Write it like `90s`, `45m` or `2h`.",
    });
  const startedAt = ports.clock.now();
  return {
    spec,
    call,
    ports: { ...ports, machine: cachingReads(ports.machine) },
    objects: ports.objects(spec.kind, account),
    verb,
    startedAt,
    deadline: startedAt + seconds * 1000,
  };
}

export const requestOptions = (operation: ResourceOperation): RequestOptions => ({
  signal: operation.call.signal,
  deadline: operation.deadline,
  ifLost: whenLost(operation),
});

/** No read shows a value that the service never answers: it is written again. */
function whenLost(operation: ResourceOperation): string {
  if (operation.verb === "delete")
    return `Whether it was deleted is not known: run ${stackCommand(operation, "refresh")}, which looks, and the same command again.`;
  const isUnanswered = operation.spec.fields.message.some(({ markers }) => markers.inputOnly);
  const what = isUnanswered ? "writes the value again, which no read shows" : "looks first";
  return `Whether the change was made is not known: run ${stackCommand(operation, "up")}, which ${what}.`;
}

/** The program's inputs, with values that it keeps elsewhere filled in. */
export const withSources = async (operation: ResourceOperation, inputs: Values): Promise<Values> => ({
  ...inputs,
  ...(await valuesFromSources(operation.ports.machine, inputs)),
});

/** Query parameters of a create. */
export const directivesOf = ({ fields }: ResourceSpec, inputs: Values): Query =>
  Object.fromEntries(fields.directives.map(({ name }) => [name, inputs[name] as boolean | undefined]));

/** What is known of an object to record. */
export interface KnownRecords extends Partial<Records> {
  /** The own write whose response the object is, if that was accepted and applied. */
  answers?: WriteKind;
}

/** The outputs to record, built from the object as last seen. */
export async function outputsOf(
  operation: ResourceOperation,
  inputs: Values,
  object: LiveObject,
  records: KnownRecords = {},
): Promise<Values> {
  const { spec, objects, ports } = operation;
  const { randomHex } = ports;
  const unanswered = digestsOf(spec, await withSources(operation, inputs), randomHex);
  // After a failure, the object is no response to a write.
  const answered = records.answers ? digestsOfResponse(spec, { inputs, answer: object }, randomHex) : {};
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

/** What messages call an object: `Deployment accounts/acme/deployments/chat`. */
export const describeObject = (operation: ResourceOperation, name: string): string => `${operation.spec.kind} ${name}`;
