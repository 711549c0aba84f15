import { recordedOutputs, type WriteKind } from "../core/comparison/recorded";
import { optionsIn, type Records, recordsIn } from "../core/declaration/own-fields";
import { defaultTimeout, type ResourceSpec } from "../core/declaration/resource";
import { ConfigurationError } from "../core/errors";
import { durationSeconds } from "../core/fields/equality";
import { ownerIn } from "../core/fields/owner";
import { topLevel } from "../core/values/values";
import { stackCommand } from "./commands";
import { historyOf, type OwnershipHistory } from "./memory/history";
import { stackNameOf } from "./memory/identity";
import type { CreateView, DeleteView, ResourceView } from "./memory/run";
import {
  type BoundCollection,
  bindRequests,
  type LiveObject,
  type Ports,
  type Query,
  type RequestOptions,
} from "./ports";
import { cachingReads, digestsOf, digestsOfResponse, valuesFromSources } from "./sources";
import type { Call, Values } from "./types";

type Verb = "create" | "update" | "delete";

/** What a call is about. An operation within another one is about the same, or about another kind. */
export interface CallContext {
  spec: ResourceSpec;
  call: Call;
  ports: Ports;
  /** What the run knows of the resource. */
  resource: ResourceView;
}

/** What to begin: `values` are inputs or outputs with the program's options. */
interface OperationOptions {
  account: string;
  verb: Verb;
  values: Values;
}

/** One operation on one resource: everything its steps share. */
export class Operation<Known extends ResourceView = ResourceView> implements CallContext {
  readonly spec: ResourceSpec;
  readonly call: Call;
  readonly ports: Ports;
  readonly resource: Known;
  readonly verb: Verb;
  /** The objects of its kind in its account: each request ends with the operation. */
  readonly objects: BoundCollection;
  /** Properties of an object without which the operation cannot decide anything about it. */
  private readonly needed: ReadonlySet<string>;
  /** When the operation began, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Milliseconds since 1970 at which the operation's timeout ends. */
  readonly deadline: number;

  /** Begins in an account, with the time that the program or the declaration allows for it. */
  constructor(
    { spec, call, ports, resource }: CallContext & { resource: Known },
    { account, verb, values }: OperationOptions,
  ) {
    this.spec = spec;
    this.call = call;
    this.resource = resource;
    this.ports = { ...ports, machine: cachingReads(ports.machine) };
    this.verb = verb;
    this.startedAt = ports.clock.now();
    this.deadline = this.startedAt + allowedSeconds({ spec, call }, verb, values) * 1000;
    this.needed = neededOf(verb, values);
    this.objects = this.objectsOf(spec, account);
  }

  /** Begins an operation within this one: on another object, or on one of another kind. */
  begin({ spec = this.spec, ...options }: OperationOptions & { spec?: ResourceSpec }): Operation {
    return new Operation({ ...this, spec }, options);
  }

  /** This operation in the name of another resource. */
  inNameOf(urn: string): Operation {
    const other = { call: callInNameOf(this.call, urn), resource: this.resource.of(urn) };
    return Object.assign(Object.create(Operation.prototype), this, other);
  }

  /** Objects of any kind. Their requests end with this operation, or as `limits` say. */
  objectsOf({ kind }: ResourceSpec, account: string, limits: Partial<RequestOptions> = {}): BoundCollection {
    const { signal, reporter } = this.call;
    const ifLost = () => whenLost(this);
    const options = () => ({ signal, deadline: this.deadline, ifLost, onWait: reporter.status, ...limits });
    return bindRequests(this.ports.objects(kind, account), options, (property) => this.needed.has(property));
  }

  /** What messages call an object: `Deployment accounts/acme/deployments/chat`. */
  title(name: string): string {
    return `${this.spec.kind} ${name}`;
  }

  /** The history of this stack's creates and objects in the account. */
  history(): Promise<OwnershipHistory> {
    return historyOf(this.ports.journal, this.objects.origin, this.objects.account, this.call.hidden.urn);
  }

  /** The program's inputs, with values that it keeps elsewhere filled in. */
  async withSources(inputs: Values): Promise<Values> {
    return { ...inputs, ...(await valuesFromSources(this.ports.machine, inputs)) };
  }

  /** The outputs to record, built from the object as last seen. */
  async outputs(inputs: Values, object: LiveObject, records: KnownRecords = {}): Promise<Values> {
    const { spec, objects, ports } = this;
    const { randomHex } = ports;
    const unanswered = digestsOf(spec, await this.withSources(inputs), randomHex);
    // After a failure, the object is not the response to a write.
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
}

/** What the program manages, and the state. A delete needs nothing: an object can go with any values. */
const neededOf = (verb: Verb, values: Values): ReadonlySet<string> =>
  verb === "delete" ? new Set() : neededToRead(values);

/** The properties of an object that have to be known for it to be compared with its record. */
export function neededToRead(values: Values): ReadonlySet<string> {
  const managed = recordsIn(values).managedFields?.map(topLevel) ?? Object.keys(values);
  return new Set(["state", ...managed]);
}

/** The same call, for the resource of that URN, perhaps in another stack. */
export const callInNameOf = (call: Call, urn: string): Call => ({
  ...call,
  hidden: { ...call.hidden, urn, stack: stackNameOf(urn) },
});

/** What is known of an object to record. */
export interface KnownRecords extends Partial<Records> {
  /** The own write whose response the object is, if that was accepted and applied. */
  answers?: WriteKind;
}

export type CreateOperation = Operation<CreateView>;
export type DeleteOperation = Operation<DeleteView>;

/** What an engine compares: the outputs of an object, and a program's inputs. */
export interface ComparedResource extends CallContext {
  id: string;
  outputs: Values;
  inputs: Values;
}

/** As the program says, else the engine, else the declaration. */
function allowedSeconds({ spec, call }: Pick<CallContext, "spec" | "call">, verb: Verb, values: Values): number {
  const input = (optionsIn(values).timeouts as Record<string, string> | undefined)?.[verb];
  const declared = call.timeout === undefined ? spec.timeouts?.[verb] : `${call.timeout}s`;
  const seconds = durationSeconds(input ?? declared ?? defaultTimeout);
  if (!Number.isNaN(seconds)) return seconds;
  throw new ConfigurationError(`\`timeouts.${verb}\` is ${JSON.stringify(input)}, which is not a duration`, {
    code: "bad-timeout",
    advice: "Write it like `90s`, `45m` or `2h`.",
  });
}

/** No read shows a value that the service never answers: it is written again. */
function whenLost(operation: Operation): string {
  if (operation.verb === "delete")
    return `Whether it was deleted is not known: run ${stackCommand(operation, "refresh")}, which looks, and the same command again.`;
  const isUnanswered = operation.spec.fields.message.some(({ markers }) => markers.inputOnly);
  const what = isUnanswered ? "writes the value again, which no read shows" : "looks first";
  return `Whether the change was made is not known: run ${stackCommand(operation, "up")}, which ${what}.`;
}

/** Query parameters of a create or an update. */
export const directivesOf = ({ fields }: ResourceSpec, desired: Values): Query =>
  Object.fromEntries(fields.directives.map(({ name }) => [name, desired[name] as boolean | undefined]));
