import type { Dispatcher } from "undici";
import type { Effect } from "../core/declaration/resource";
import { isModelPlatformError, isNotFound, ModelPlatformError } from "../core/errors";
import { createRedactor, type Redactor } from "../core/redact";
import { fillTemplate, lastSegment, type Parameters } from "../core/values/names";
import { memoize } from "../core/values/once";
import { isObject, topLevel } from "../core/values/values";
import { decodeResponse, type ReadObject, type ResponseExpectation } from "./answers";
import { confirmAbsent } from "./confirm-deleted";
import { mayMeanMissingObject } from "./error-body";
import { invalidResponseError, type ResponseProblem } from "./failures";
import { Gate } from "./http/rate-gate";
import { createSend, defaultLimits, type HttpResponse, type Send } from "./http/transport";
import { secretsIn } from "./message-values";
import { NameWatch } from "./name-watch";
import { parametersFor, pathFor } from "./operations";
import { type PreparedCall, type ReceivedResponse, RequestRun } from "./request";
import { RequestLedger, traceFileOf, withTracing } from "./request-log";
import { dialectOf } from "./settings/config";
import { credentialFor, endpointOf, isLocal, substituteFor } from "./settings/credentials";
import { proxySecrets } from "./settings/endpoint";
import { foreignDestination } from "./settings/key-warnings";
import { Keyring, type RunCommand } from "./settings/keyring";
import { ServiceClock, Stopwatch, systemTime, type Time } from "./time";
import type {
  ApiOperation,
  CallOptions,
  CallResult,
  Catalogue,
  Client,
  ClientSettings,
  Credential,
  Endpoint,
  Json,
  LogEntry,
  ValidateOnly,
} from "./types";
import { keepUnusable } from "./unusable-values";
import { createUpload } from "./upload";

/** Whether a call is a create that is to create nothing. */
const isValidation = ({ query }: CallOptions = {}): boolean => query?.["validateOnly"] === true;

/**
 * Ensures that no validation creates an object unnoticed: while it is unknown whether the service honors
 * `validateOnly`, an accepted validation is followed by a look at the object.
 */
class ValidationWatch {
  constructor(public known: ValidateOnly) {}

  /** Rejects a validation that the service would obey as a create. */
  begin(operation: string): void {
    if (this.known === "ignored") throw cannotValidateError(operation);
  }

  /** `response`: of a validation. */
  async end(client: Client, operation: ApiOperation, response: Json, options: CallOptions): Promise<void> {
    if (this.known !== undefined) return;
    const created = await createdBy(client, operation, response, options);
    if (created === false) this.known = "honored";
    if (typeof created !== "string") return;
    this.known = "ignored";
    throw wasCreatedError(operation.name, created);
  }
}

/** The name of the object that a validation created; false if it created none, undefined if unknown. */
async function createdBy(
  client: Client,
  operation: ApiOperation,
  response: Json,
  { parameters = {}, query = {}, as, deadline, signal }: CallOptions,
): Promise<string | false | undefined> {
  const { spec } = operation;
  const read = client.catalogue.find(spec.kind, "get");
  const id = spec.fields.resourceId && query[spec.fields.resourceId.name];
  const name = response["name"] ?? (id === undefined ? undefined : nameOf(spec.name, parameters, String(id)));
  const born = response["createTime"];
  if (!read || typeof name !== "string") return undefined;
  try {
    const { value } = await client.call(read.name, { parameters: { name }, as, deadline, signal });
    // Another object may have had this id before.
    return born !== undefined && value["createTime"] === born ? name : undefined;
  } catch (error) {
    // A new object may not be visible at once.
    return isNotFound(error) && born === undefined ? false : undefined;
  }
}

const nameOf = (template: string, parameters: Parameters, id: string): string =>
  fillTemplate(template.replace(/\{(?!account)\w+\}/g, "{id}"), { ...parameters, id });

const wasCreatedError = (operation: string, created: string): ModelPlatformError =>
  new ModelPlatformError(`was sent with \`validateOnly\`, and the service created ${created} nevertheless`, {
    operation,
    advice: `Delete ${created}, and set \`modelplatform:validateOnly\` to \`ignored\`.`,
  });

const cannotValidateError = (operation: string): ModelPlatformError =>
  new ModelPlatformError("is not sent: this service creates objects in spite of `validateOnly`", {
    operation,
    advice: "`modelplatform:validateOnly` says so, or an earlier answer of the service showed it.",
  });

export type { HttpResponse } from "./http/transport";
export type { Client } from "./types";

export interface ClientOptions {
  settings: ClientSettings;
  catalogue: Catalogue;
  /** Effects that calls may have; any other call throws and sends nothing. Default: all. */
  effects?: readonly Effect[];
  /** Concurrent requests per account. Default: 16. */
  concurrency?: number;
  /** Connections to one origin, shared by all accounts. Default: 16. */
  connections?: number;
  log?: (entry: LogEntry) => void;
  /** Receives what a call without `onWait` waits for; once for those of an account that wait for the same. */
  onWait?: (text: string) => void;
  /** Receives every response, usable or not. The text of a successful one may hold secrets. */
  onResponse?: (response: HttpResponse) => void;
  /** Keeps known secrets out of texts. Default: one of the client's own. */
  redactor?: Redactor;
  /** Default: connections of its own, with the proxies that `env` names. */
  dispatcher?: Dispatcher;
  env?: Readonly<Record<string, string | undefined>> | undefined;
  time?: Time;
  /** Records how long requests take and wait for their turn. Default: one of the client's own. */
  stopwatch?: Stopwatch | undefined;
  /** Runs key commands. */
  run?: RunCommand;
}

/** A client for all accounts of `settings`. It sends nothing, and runs no key command, before the first call. */
export function createClient(options: ClientOptions): Client {
  const {
    settings,
    catalogue,
    log = () => {},
    onResponse,
    env = process.env,
    time = systemTime,
    redactor = createRedactor(),
    stopwatch = new Stopwatch(time.now),
  } = options;
  for (const secret of proxySecrets(env)) redactor.add(secret);
  const { connect, renew, close } = connectionsOf(options, env);
  const keyring = new Keyring(redactor.add, options.run, time.now);
  const ledger = new RequestLedger();
  const clock = new ServiceClock(time.now);
  const warn = (text: string): void => log({ level: "warning", text: redactor.text(text) });
  const plain = createSend(connect, { redactor, clock, renew });
  const trace = traceFileOf(env, warn);
  const transport = trace ? withTracing(plain, { redactor, time, trace }) : plain;
  const dialect = dialectOf(settings, catalogue);
  const context = {
    send: onResponse ? observeResponses(transport, onResponse) : transport,
    ...{ ledger, redactor, time, stopwatch, dialect, onWait: onceEach(options.onWait) },
  };
  const gateOf = gates(options, time, stopwatch);
  const validations = new ValidationWatch(settings.validateOnly);
  const remarked = new Set<string>();
  const names = new NameWatch();

  /** With a new key, once more, if a command made the one that the service rejects. */
  async function send(call: PreparedCall): Promise<ReceivedResponse> {
    const key = keyring.key(call.credential);
    try {
      return await new RequestRun(context, call, key).execute();
    } catch (error) {
      const isRefused = isModelPlatformError(error) && error.status === 401;
      const fresh = isRefused ? keyring.renewed(call.credential, await key) : undefined;
      if (fresh === undefined) throw error;
      return new RequestRun(context, call, fresh).execute();
    }
  }

  function remark(text: string): void {
    if (remarked.has(text)) return;
    remarked.add(text);
    warn(text);
  }

  /** The response in our words. Rejects an unusable one, except for the result of an own create. */
  function usableAnswer(operation: ApiOperation, received: ReceivedResponse, request: ResponseExpectation): CallResult {
    const { spec } = operation;
    const { status, size, time } = received;
    const answered = dialect ? dialect.ours.answer(operation, received.value) : received.value;
    const { value, problem, read, listed, usable } = decodeResponse(operation, answered, request);
    const errorOf = (each: ResponseProblem): ModelPlatformError =>
      invalidResponseError(received.attemptedCall, each, status, received.requestId);
    const keep = ({ object, findings }: ReadObject): Json => {
      for (const each of findings.remarks) remark(each);
      const unusable = findings.problems.map((each) => ({ property: topLevel(each.at), error: errorOf(each) }));
      keepUnusable(object, unusable);
      return object;
    };
    read.forEach(keep);
    if (problem === undefined) {
      names.note(operation, request.parameters, value as Json);
      const kept = listed?.map((each) => ({ name: each.name, read: memoize(() => keep(each.read())) }));
      return { value: value as Json, listed: kept, status, size, time };
    }
    for (const secret of secretsIn(spec, value)) redactor.add(secret);
    const error = errorOf(problem);
    if (problem.ofNames) names.refuse(operation, request.parameters, error);
    if (usable === undefined) throw error;
    remark(
      `${spec.kind} ${String(usable["name"])} is created, and not all of the answer can be used: ${error.message}`,
    );
    return { value: usable, status, size, time, unusable: error };
  }

  const client: Client = {
    settings,
    catalogue,
    ledger,
    redactor,
    async call(name, options = {}) {
      const isValidating = isValidation(options);
      if (isValidating) validations.begin(name);
      const operation = catalogue.operation(name);
      const { spec } = operation;
      const parameters = parametersFor(operation, settings, options.parameters);
      const own = credentialFor(operation, settings, parameters, options.as);
      const substitute = substituteFor(operation, settings, own, options.as);
      const credential = substitute ? await keyring.available(own, substitute) : own;
      const endpoint = endpointOf(settings, credential);
      const query = pathFor(operation, parameters, options.query, { dialect, updateMask: settings.updateMask });
      if (options.body !== undefined) for (const secret of secretsIn(spec, options.body)) redactor.add(secret);
      const call: PreparedCall = {
        ...{ operation, endpoint, credential, options, exists: false },
        path: endpoint.prefix + query,
        body: options.body !== undefined && dialect ? dialect.theirs.request(operation, options.body) : options.body,
        gate: gateOf(endpoint, credential),
      };
      const request = {
        ...{ parameters, readMask: options.query?.["readMask"], reader: credential.account },
        id: requestedId(operation, options),
        decides: options.decides,
        deferred: options.deferred,
        passed: (object: Json) => clock.latest(endpoint.origin, [object["createTime"], object["updateTime"]]),
      };
      const answer = async (): Promise<CallResult> => {
        const received = await send(call).catch(async (error: unknown) => {
          // Another account's key may not see the object: what the own one sees is not known.
          if (credential !== own && isModelPlatformError(error) && (error.status === 403 || error.status === 404))
            await keyring.key(own);
          if (await isFinal(client, { operation, parameters, error }, options)) throw error;
          return send({ ...call, exists: true });
        });
        return usableAnswer(operation, received, request);
      };
      const usable = (): Promise<CallResult> =>
        answer().catch((error: unknown) => {
          names.noteFailure(operation, error);
          throw error;
        });
      // A validation creates nothing.
      const result = await (isValidating ? usable() : names.during(operation, parameters, usable));
      const object = result.value;
      if (operation.verb === "get" && typeof object["name"] === "string") ledger.noteRead(operation, object["name"]);
      if (isValidating) await validations.end(client, operation, object, options);
      return result;
    },
    now: time.now,
    upload: createUpload({ send: transport, time, mayStayLocal: (as) => isLocal(settings, as) }),
    serviceTime: (origin) => clock.at(origin),
    validateOnly: () => validations.known,
    remark,
    close,
  };
  return options.effects ? restrictTo(client, options.effects) : client;
}

/** The connections of the options, or the client's own, opened by the first request. */
function connectionsOf(
  { settings, dispatcher, connections = defaultLimits.connections }: ClientOptions,
  env: NonNullable<ClientOptions["env"]>,
): { connect: () => Dispatcher; renew: () => void; close: () => Promise<void> } {
  let own: Dispatcher | undefined;
  let closed: Promise<void> | undefined;
  /** Those that end once their requests under way do. */
  const retired: (Promise<void> | undefined)[] = [];
  const openDispatcher = (): Dispatcher => {
    const { createDispatcher } = require("./http/dispatcher") as typeof import("./http/dispatcher");
    return createDispatcher(env, { ...defaultLimits, connections }, originsOf(settings));
  };
  return {
    connect: () => dispatcher ?? (own ??= openDispatcher()),
    renew: () => {
      retired.push(own?.close());
      own = undefined;
    },
    close: () => (closed ??= Promise.all([...retired, own?.close()]).then(() => undefined)),
  };
}

const originsOf = ({ endpoint, credentials, keyPatterns = [] }: ClientSettings): ReadonlySet<string> =>
  new Set(
    [endpoint, ...[...credentials, ...keyPatterns].map((each) => each.endpoint)].flatMap((each) => each?.origin ?? []),
  );

const observeResponses =
  (send: Send, listener: (response: HttpResponse) => void): Send =>
  async (request) => {
    const response = await send(request);
    listener(response);
    return response;
  };

/** The id that a create requests, wherever it travels. */
function requestedId({ spec, verb, body: shape }: ApiOperation, { query, body }: CallOptions): string | undefined {
  if (verb !== "create") return undefined;
  const { resourceId } = spec.fields;
  const members = isObject(body) ? body : {};
  const inBody = shape?.name ? members["name"] : shape?.wrap && members[shape.wrap.id];
  const id = (resourceId && query?.[resourceId.name]) ?? inBody;
  return typeof id === "string" && id !== "" ? lastSegment(id) : undefined;
}

interface FailedCall {
  operation: ApiOperation;
  parameters: Parameters;
  error: unknown;
}

/**
 * Whether an error is final. It is not if a missing object may get this response (A053) and the list has the object:
 * then the read is worth repeating.
 */
async function isFinal(
  client: Client,
  { operation, parameters, error }: FailedCall,
  { as, deadline, signal }: CallOptions,
): Promise<boolean> {
  if (!isModelPlatformError(error) || !mayMeanMissingObject(operation, error.status, error.grpcCode)) return true;
  const name = fillTemplate(operation.spec.name, parameters);
  return confirmAbsent(client, { spec: operation.spec, name, error }, { as, deadline, signal });
}

/** Says a wait once, however many calls share it and how long each of them still waits. */
function onceEach(tell: (text: string) => void = () => {}): (text: string) => void {
  const told = new Set<string>();
  return (text) => {
    const wait = text.replace(/ \(\d+ s\)/, "");
    if (!told.has(wait)) tell(text);
    told.add(wait);
  };
}

/** One gate per origin and account. Warns before it sends an environment key to an address from the project. */
function gates(
  { settings, concurrency, log }: ClientOptions,
  time: Time,
  stopwatch: Stopwatch,
): (endpoint: Endpoint, credential: Credential) => Gate {
  const openDispatcher = new Map<string, Gate>();
  const { requestsPerSecond } = settings;
  return (endpoint, credential) => {
    const place = JSON.stringify([endpoint.origin, credential.account]);
    let gate = openDispatcher.get(place);
    if (!gate) {
      const text = foreignDestination(credential, endpoint);
      if (text !== undefined) log?.({ level: "info", text });
      openDispatcher.set(place, (gate = new Gate({ time, stopwatch, concurrency, requestsPerSecond })));
    }
    return gate;
  };
}

/** The same client, restricted to calls with `effects`; any other is rejected before it is sent. */
export function restrictTo(client: Client, effects: readonly Effect[]): Client {
  const refusal = (effect: Effect): string =>
    `has the effect \`${effect}\`, and only ${effects.map((allowed) => `\`${allowed}\``).join(", ")} may be sent here`;
  return {
    ...client,
    call: async (name, options) => {
      const operation = client.catalogue.operation(name);
      if (!effects.includes(effectOf(operation, options)))
        throw new ModelPlatformError(refusal(operation.effect), { operation: name });
      return client.call(name, options);
    },
    upload: async (upload) => {
      if (!effects.includes("write")) throw new ModelPlatformError(`an upload ${refusal("write")}`);
      return client.upload(upload);
    },
  };
}

/** A create that only validates changes nothing. */
const effectOf = (operation: ApiOperation, options: CallOptions = {}): Effect =>
  isValidation(options) ? "readViaPost" : operation.effect;
