import type { Dispatcher } from "undici";
import type { Effect } from "../core/declaration/operation";
import { isModelPlatformError, ModelPlatformError } from "../core/errors";
import { createRedactor, type Redactor } from "../core/redact";
import { fillTemplate, type Parameters } from "../core/values/names";
import { checkAnswer } from "./answers";
import { decodeAnswer } from "./decode";
import { createDialectCodec } from "./dialect-codec";
import { answerError } from "./errors/failures";
import { confirmedGone, noteAnswer } from "./gone";
import { masking } from "./http/masking";
import { proxySecrets } from "./http/proxies";
import { createSend, createServiceClock, defaultLimits, type HttpAnswer, type Send } from "./http/transport";
import { createLedger } from "./ledger";
import { Gate } from "./limits/gate";
import { createDestinations, remarker } from "./remarks";
import { type Prepared, type Received, RequestRun } from "./request-run";
import { credentialFor, headersFor, looksMissing, parametersFor, pathFor, secretsIn } from "./requests";
import { endpointOf, isLocal } from "./settings/config";
import { createKeyring, type RunCommand, withKey } from "./settings/credentials";
import { systemTime, type Time } from "./time";
import { Stopwatch } from "./trace/time-spent";
import { traced } from "./trace/trace";
import { traceFileOf } from "./trace/trace-file";
import type {
  Answer,
  ApiOperation,
  CallOptions,
  Catalogue,
  Client,
  ClientSettings,
  Credential,
  Endpoint,
  Json,
  LogEntry,
} from "./types";
import { createUpload } from "./upload";
import { isValidation, watchingValidations } from "./validation";

export type { HttpAnswer } from "./http/transport";
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
  /** Receives every answer, whatever the client makes of it. The text of one that succeeds may hold secrets. */
  onAnswer?: (answer: HttpAnswer) => void;
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
    onAnswer,
    env = process.env,
    time = systemTime,
    redactor = createRedactor(),
    stopwatch = new Stopwatch(time.now),
  } = options;
  for (const secret of proxySecrets(env)) redactor.add(secret);
  const { connect, close } = connectionsOf(options, env);
  const keyring = createKeyring(redactor.add, options.run);
  const ledger = createLedger();
  const clock = createServiceClock(time);
  const plain = clock.listening(masking(createSend(connect), redactor));
  const complain = (text: string): void => log({ level: "warning", text: redactor.text(text) });
  const trace = traceFileOf(env, complain);
  const transport = trace ? traced(plain, { redactor, time, trace }) : plain;
  const send = onAnswer ? overheard(transport, onAnswer) : transport;
  const around = { send, ledger, redactor, time, stopwatch };
  const gateOf = gates(options, time, stopwatch);
  const codec = createDialectCodec(settings, catalogue);
  const remark = remarker(complain);
  const tell = createDestinations(log);

  /** What all attempts of a call share. Refuses what must not be sent. */
  function prepare(operation: ApiOperation, given: CallOptions) {
    const parameters = parametersFor(operation, settings, given.parameters);
    const credential = credentialFor(operation, settings, parameters, given.as);
    const endpoint = endpointOf(settings, credential);
    tell(credential, endpoint);
    const path = endpoint.prefix + pathFor(operation, parameters, given.query, codec);
    const translated = given.body === undefined ? given : { ...given, body: codec.request(operation, given.body) };
    for (const secret of secretsIn(operation.spec, given.body)) redactor.add(secret);
    return { parameters, credential, endpoint, path, translated };
  }

  const client: Client = {
    settings,
    catalogue,
    ledger,
    redactor,
    call: async (name, given = {}) => {
      const operation = catalogue.operation(name);
      const { parameters, credential, endpoint, path, translated } = prepare(operation, given);
      const attempt = (exists = false): Promise<Received> =>
        withKey(keyring, credential, (key) => {
          const prepared: Prepared = {
            operation,
            endpoint,
            path,
            account: credential.account,
            headers: headersFor(key, given.body),
            gate: gateOf(endpoint, credential),
            codec,
            exists,
          };
          const run = new RequestRun(around, prepared, translated);
          return run.answer();
        });
      const received = await attempt().catch(async (error: unknown) => {
        if (await isFinal(client, { operation, parameters, error }, given)) throw error;
        return attempt(true);
      });
      const { status, size, requestId, time: told, tried } = received;
      const value = decodeAnswer(operation, codec.answer(operation, received.value));
      const asked = { parameters, readMask: given.query?.["readMask"], reader: credential.account };
      const { problem, remarks } = checkAnswer(operation, value, asked);
      if (problem !== undefined) {
        for (const secret of secretsIn(operation.spec, value)) redactor.add(secret);
        throw answerError(tried, problem, status, requestId);
      }
      remark(remarks);
      noteAnswer(client, operation, value as Json);
      return { value, status, size, time: told } as Answer;
    },
    now: time.now,
    upload: createUpload({ send: transport, time, mayStayLocal: (as) => isLocal(settings, as) }),
    serviceTime: clock.now,
    validateOnly: () => settings.validateOnly,
    close,
  };
  const watching = watchingValidations(client);
  return options.effects ? restricted(watching, options.effects) : watching;
}

/** The connections of the options, or the client's own, opened with the first request. */
function connectionsOf(
  { settings, dispatcher, connections = defaultLimits.connections }: ClientOptions,
  env: NonNullable<ClientOptions["env"]>,
): { connect: () => Dispatcher; close: () => Promise<void> } {
  let own: Dispatcher | undefined;
  let closed: Promise<void> | undefined;
  const opened = (): Dispatcher => {
    const { createDispatcher } = require("./http/dispatcher") as typeof import("./http/dispatcher");
    return createDispatcher(env, { ...defaultLimits, connections }, originsOf(settings));
  };
  return {
    connect: () => dispatcher ?? (own ??= opened()),
    close: () => (closed ??= own?.close() ?? Promise.resolve()),
  };
}

const originsOf = ({ endpoint, credentials }: ClientSettings): ReadonlySet<string> =>
  new Set([endpoint, ...credentials.map((each) => each.endpoint)].flatMap((each) => each?.origin ?? []));

const overheard =
  (send: Send, listener: (answer: HttpAnswer) => void): Send =>
  async (request) => {
    const answer = await send(request);
    listener(answer);
    return answer;
  };

interface FailedCall {
  operation: ApiOperation;
  parameters: Parameters;
  error: unknown;
}

/**
 * Whether an error is final. It is not if a missing object may get this answer (A053) and the list shows the object:
 * then the read is worth repeating.
 */
async function isFinal(
  client: Client,
  { operation, parameters, error }: FailedCall,
  { as, deadline, signal }: CallOptions,
): Promise<boolean> {
  if (!isModelPlatformError(error) || !looksMissing(operation, error.status, error.code)) return true;
  const name = fillTemplate(operation.spec.name, parameters);
  return confirmedGone(client, { spec: operation.spec, name, error }, { as, deadline, signal });
}

/** One gate per origin and account. */
function gates(
  { settings, concurrency }: ClientOptions,
  time: Time,
  stopwatch: Stopwatch,
): (endpoint: Endpoint, credential: Credential) => Gate {
  const made = new Map<string, Gate>();
  return ({ origin }, { account }) => {
    const place = JSON.stringify([origin, account]);
    const gate =
      made.get(place) ??
      new Gate({
        time,
        stopwatch,
        concurrency,
        requestsPerSecond: settings.requestsPerSecond,
      });
    made.set(place, gate);
    return gate;
  };
}

/** The same client, restricted to calls with `effects`; any other is refused before it is sent. */
export function restricted(client: Client, effects: readonly Effect[]): Client {
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
