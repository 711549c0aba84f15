import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Dispatcher } from "undici";
import { isModelPlatformError, ModelPlatformError } from "../core/errors";
import { fillTemplate } from "../core/names";
import { createRedactor, type Redactor } from "../core/redact";
import type { Effect } from "../core/resource";
import { checkAnswer } from "./answers";
import { createKeyring, type RunCommand } from "./credentials";
import { endpointOf } from "./config";
import { createExchange } from "./exchange";
import { answerError } from "./failures";
import { createGate, type Gate } from "./gate";
import { confirmedGone } from "./gone";
import { createLedger } from "./ledger";
import { credentialFor, looksMissing, parametersFor, pathFor, secretsIn } from "./requests";
import { systemTime, type Time } from "./time";
import { createDispatcher, createSend, proxySecrets } from "./transport";
import type { Answer, CallOptions, Catalogue, Client, Credential, Endpoint, LogEntry, Operation, Settings } from "./types";

export type { Client } from "./types";

export interface ClientOptions {
  settings: Settings;
  catalogue: Catalogue;
  /** Effects that calls may have; any other call is an error and sends nothing. Default: all. */
  effects?: readonly Effect[];
  /** Requests under way at once, per account. Default: 16. */
  concurrency?: number;
  log?: (entry: LogEntry) => void;
  /** Where known secrets are kept out of texts. Default: one of the client's own. */
  redactor?: Redactor;
  /** Default: connections of its own, with the proxies that `env` names. */
  dispatcher?: Dispatcher;
  env?: Readonly<Record<string, string | undefined>>;
  time?: Time;
  /** Runs key commands. */
  run?: RunCommand;
}

/** A client for all accounts of `settings`. Nothing is sent, and no key command run, before the first call. */
export function createClient(options: ClientOptions): Client {
  const { settings, catalogue, concurrency, log = () => {}, env = process.env, time = systemTime } = options;
  const redactor = options.redactor ?? createRedactor();
  for (const secret of proxySecrets(env)) redactor.add(secret);
  const dispatcher = options.dispatcher ?? createDispatcher(env);
  const keyring = createKeyring(redactor.add, options.run);
  const ledger = createLedger();
  const exchange = createExchange({ send: createSend(dispatcher), ledger, redactor, time, log });
  const gates = new Map<string, Gate>();
  const remarked = new Set<string>();
  let closed: Promise<void> | undefined;

  const gateOf = (endpoint: Endpoint, { account }: Credential): Gate => {
    const key = JSON.stringify([endpoint.origin, account]);
    const gate = gates.get(key) ?? createGate({ time, ...(concurrency !== undefined && { concurrency }), ...(settings.requestsPerSecond !== undefined && { requestsPerSecond: settings.requestsPerSecond }) });
    gates.set(key, gate);
    return gate;
  };

  const remark = (texts: readonly string[]): void => {
    for (const text of texts.filter((candidate) => !remarked.has(candidate))) {
      remarked.add(text);
      log({ level: "warning", text: redactor.text(text) });
    }
  };

  const client: Client = {
    settings,
    catalogue,
    ledger,
    redactor,
    call: async (name, given = {}) => {
      const operation = catalogue.operation(name);
      const parameters = parametersFor(operation, settings, given.parameters);
      const credential = credentialFor(operation, settings, parameters, given.as);
      const endpoint = endpointOf(settings, credential);
      const path = endpoint.prefix + pathFor(operation, parameters, given.query);
      for (const secret of secretsIn(operation.spec, given.body)) redactor.add(secret);
      const key = await keyring.key(credential);
      const request = { operation, endpoint, path, account: credential.account, headers: headersFor(key, given.body), gate: gateOf(endpoint, credential) };
      const { value, status, requestId, tried } = await exchange(request, given).catch(async (error: unknown) => {
        if (!isModelPlatformError(error) || !looksMissing(operation, error.status, error.code)) throw error;
        if (await confirmedGone(client, operation.spec, fillTemplate(operation.spec.name, parameters), error, given)) throw error;
        return exchange({ ...request, exists: true }, given);
      });
      const { problem, remarks } = checkAnswer(operation, value, parameters, given.query?.["readMask"]);
      if (problem !== undefined) throw answerError(tried, redactor.text(problem), status, requestId);
      remark(remarks);
      return { value, status, ...(requestId !== undefined && { requestId }) } as Answer;
    },
    close: () => (closed ??= options.dispatcher ? Promise.resolve() : dispatcher.close()),
  };
  return options.effects ? restricted(client, options.effects) : client;
}

/** The same client, with calls of other effects than `effects` refused before anything is sent. */
export function restricted(client: Client, effects: readonly Effect[]): Client {
  return {
    ...client,
    call: async (name, options) => {
      const operation = client.catalogue.operation(name);
      if (!effects.includes(effectOf(operation, options))) {
        throw new ModelPlatformError(`has the effect \`${operation.effect}\`, and only ${effects.map((effect) => `\`${effect}\``).join(", ")} may be sent here`, { operation: name });
      }
      return client.call(name, options);
    },
  };
}

/** A create that only validates changes nothing. */
const effectOf = (operation: Operation, options: CallOptions = {}): Effect => (options.query?.["validateOnly"] === true ? "readViaPost" : operation.effect);

let agent: string | undefined;

/** `pulumi-modelplatform/<version>`. */
function userAgent(): string {
  const { name, version } = JSON.parse(readFileSync(join(__dirname, "..", "..", "package.json"), "utf8")) as { name: string; version: string };
  return `${name}/${version}`;
}

function headersFor(key: string, body: unknown): Record<string, string> {
  agent ??= userAgent();
  return { authorization: `Bearer ${key}`, accept: "application/json", "user-agent": agent, ...(body !== undefined && { "content-type": "application/json" }) };
}
