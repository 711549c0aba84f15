import { findObject } from "../api/confirm-deleted";
import { items } from "../api/paginate";
import type { Client } from "../api/types";
import { type CheckFailure, secretProperties } from "../core/check";
import { hiddenInput, reservedInputs } from "../core/declaration/own-fields";
import type { ResourceSpec } from "../core/declaration/resource";
import { phaseOf } from "../core/declaration/states";
import { listingInputs } from "../core/declaration/surface";
import { ConfigurationError, ModelPlatformError } from "../core/errors";
import { dynamicUrn, memberOf, toPluginWording } from "../core/pulumi-names";
import { fillTemplate, lastSegment } from "../core/values/names";
import { containsUnknown, plainValue, topLevel } from "../core/values/values";
import { assertNameOfKind, hasRecords } from "../lifecycle/read";
import type { Call, ResourceLifecycle, Values } from "../lifecycle/types";
import { callFunctionOf } from "../pulumi/function-call";
import {
  type CallSubject,
  createOperations,
  type HostEnvironment,
  OperationFailure,
  type ResourceRequest,
} from "../pulumi/operations";
import type { Runtime } from "../pulumi/runtime";
import { managedSpecs } from "../resources/index";
import { type DetailedDiff, outputsBeforeCreate, outputsBeforeUpdate, toDetailedDiff } from "./diff-answer";
import { type RequestSecrets, requestSecretsIn } from "./request-secrets";
import { type CheckedSettings, changedSettings, checkSettings, forgottenKeys, settingsIn } from "./settings";

/** An object that can be imported. */
interface ListedResource {
  id: string;
  /** A name for it among a program's resources. */
  name: string;
}

/** What a person asks to list. */
export interface ListRequest {
  query: Values;
  /** Below 1: no limit. */
  limit: number;
}

/** The live objects of a kind in one account, in the order of the service. Reads pages as they are asked for. */
async function* listResources(
  client: Client,
  spec: ResourceSpec,
  { query, limit }: ListRequest,
): AsyncGenerator<ListedResource, void, undefined> {
  const { accountId, filter } = parseQuery(spec, query);
  const account = accountId ?? client.settings.accountId;
  if (account === undefined)
    throw new ConfigurationError("no account is set", {
      advice: "Give `accountId`, or set `modelplatform:accountId`.",
    });
  const objects = spec.singleton
    ? settingsOf(client, spec, account)
    : items<Values>(client, client.catalogue.require(spec.kind, "list").name, {
        parameters: { account },
        query: filter === undefined ? {} : { filter },
      });
  let left = limit < 1 ? Number.POSITIVE_INFINITY : limit;
  for await (const object of objects) {
    if (phaseOf(spec.lifecycle, object) === "gone") continue;
    const id = String(object["name"]);
    yield { id, name: lastSegment(id) };
    if (--left === 0) return;
  }
}

function parseQuery(spec: ResourceSpec, query: Values): { accountId?: string; filter?: string } {
  const judged = listingInputs(spec).safeParse(query);
  if (judged.success) return judged.data;
  const wrong = judged.error.issues.map((issue) => [issue.path.join("."), issue.message].filter(Boolean).join(": "));
  throw new ConfigurationError(`the arguments for listing ${spec.kind} are invalid: ${wrong.join("; ")}`);
}

/** Settings that were never saved may be answered as missing (A060). */
async function* settingsOf(client: Client, spec: ResourceSpec, account: string): AsyncGenerator<Values> {
  const name = fillTemplate(spec.name, { account });
  const settings = await findObject(client, { spec, name });
  if (settings) yield { ...settings, name };
}

/**
 * What every request says of the resource that it is about. Properties are as the protocol carries them, with secrets
 * marked.
 */
interface About {
  urn: string;
  timeout?: number;
  /** As the program's option has them. */
  ignoreChanges?: readonly string[];
}

export interface PluginError extends Error {
  recorded?: { id: string; properties: Values; reasons: string[] };
}

/** One call: what goes to the life cycle is plain, and what comes back is marked. */
interface Work {
  spec: ResourceSpec;
  lifecycle: ResourceLifecycle;
  call: Call;
  secrets: RequestSecrets;
  answer(values: Values): Values;
}

export interface PluginEnvironment extends HostEnvironment<Runtime> {
  version: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Where relative paths begin. Default: the folder of this process. */
  folder?: string;
}

/** The plugin's operations, apart from the wire. */
export function createPluginService(environment: PluginEnvironment) {
  const operations = createOperations(environment);
  let isConfigured = false;
  /** What our own classes have said in a check, of which an engine records nothing, by URN. */
  const aliases = new Map<string, readonly string[]>();

  /** `given`: all properties of the request. */
  async function operate<T>(about: About, properties: readonly Values[], work: (work: Work) => Promise<T>): Promise<T> {
    const secrets = requestSecretsIn(...properties);
    const marks =
      ({ spec }: Pick<CallSubject, "spec">) =>
      (values: Values) =>
        secrets.mark(JSON.parse(JSON.stringify(values)) as Values, secretProperties(spec));
    let subject: CallSubject | undefined;
    try {
      return await operations.run(
        () => {
          if (!isConfigured) throw notConfiguredError();
          subject = subjectOf(about, properties, secrets, aliases.get(about.urn));
          return subject;
        },
        ({ spec, lifecycle, call }: ResourceRequest<Runtime>) =>
          work({ spec, lifecycle, call, secrets, answer: marks({ spec }) }),
      );
    } catch (error) {
      if (!(error instanceof OperationFailure)) throw error;
      throw toProviderError(error, secrets, subject && marks(subject), environment.debug);
    }
  }

  return {
    checkConfig: (request: { urn: string; news: Values }): CheckedSettings =>
      checkSettings({ ...request, version: environment.version }, environment.env, environment.folder),

    /** Names of the settings that differ; a key that goes from the state is said. */
    changedSettings({ urn, olds, news }: { urn: string; olds: Values; news: Values }): string[] {
      const warning = forgottenKeys(olds, news);
      if (warning !== undefined) environment.reporterFor(urn).info(warning);
      return changedSettings(olds, news);
    },

    configure({ args, urn }: { args: Values; urn: string | undefined }): void {
      operations.configure(settingsIn(args, urn, environment.env));
      isConfigured = true;
    },

    check: (about: About & { olds: Values; news: Values }) => {
      const former = aliasesIn(about.news);
      if (former) aliases.set(about.urn, former);
      return operate(about, [about.olds, about.news], async ({ lifecycle, call, answer, secrets }) => {
        const { inputs, failures, warnings } = await lifecycle.check(
          call,
          fromEngine(about.olds),
          fromEngine(about.news),
        );
        for (const warning of warnings) call.reporter.warn(warning);
        return { inputs: answer(inputs), failures: failures.map((failure) => withoutSecret(failure, secrets)) };
      });
    },

    diff: (
      about: About & { id: string; olds: Values; oldInputs: Values | undefined; news: Values },
    ): Promise<DetailedDiff> =>
      operate(about, [about.olds, about.news], async ({ spec, lifecycle, call }) => {
        const { id, oldInputs } = about;
        const [outputs, inputs] = [recordedValues(spec, id, about.olds), fromEngine(about.news)];
        const comparison = await lifecycle.diff(call, id, outputs, inputs);
        return toDetailedDiff(spec, comparison, { oldInputs: oldInputs && fromEngine(oldInputs), outputs, inputs });
      }),

    create: (about: About & { inputs: Values; preview: boolean }) =>
      operate(about, [about.inputs], async ({ spec, lifecycle, call, answer }) => {
        const inputs = fromEngine(about.inputs);
        if (about.preview) return { id: "", outputs: answer(outputsBeforeCreate(spec, inputs)) };
        const { id, outputs } = await lifecycle.create(call, inputs);
        return { id, outputs: answer(outputs) };
      }),

    /** Undefined: there is no such object. Without any properties it is to be imported. */
    read: (about: About & { id: string; properties: Values | undefined; inputs: Values | undefined }) =>
      operate(about, [about.properties ?? {}, about.inputs ?? {}], async ({ spec, lifecycle, call, answer }) => {
        assertNameOfKind(spec, about.id);
        const known = [about.properties, about.inputs].map((values) => fromEngine(values ?? {})).find(isSomething);
        const isImport = about.properties === undefined && about.inputs === undefined;
        const result = known
          ? await lifecycle.read(call, about.id, known)
          : await importObject(lifecycle, call, about.id, isImport);
        return result && { id: about.id, properties: answer(result.outputs), inputs: answer(result.inputs) };
      }),

    update: (about: About & { id: string; olds: Values; news: Values; preview: boolean }) =>
      operate(about, [about.olds, about.news], async ({ spec, lifecycle, call, answer }) => {
        const [outputs, inputs] = [recordedValues(spec, about.id, about.olds), fromEngine(about.news)];
        if (about.preview) return answer(outputsBeforeUpdate(spec, outputs, inputs));
        return answer(await lifecycle.update(call, about.id, outputs, inputs));
      }),

    delete: (about: About & { id: string; properties: Values }) =>
      operate(about, [about.properties], ({ spec, lifecycle, call }) =>
        lifecycle.delete(call, about.id, recordedValues(spec, about.id, about.properties)),
      ),

    /** Asked by the built-in engine alone: Pulumi's protocol has no such call. */
    refusal: (about: About & { id: string; properties: Values }) =>
      operate(about, [about.properties], ({ spec, lifecycle, call }) =>
        lifecycle.refusal(call, about.id, recordedValues(spec, about.id, about.properties)),
      ),

    async invoke(request: { token: string; args: Values; preview: boolean }): Promise<Values> {
      if (!isConfigured) throw notConfiguredError();
      const { client, redact } = await operations.openHost();
      const secrets = requestSecretsIn(request.args);
      try {
        return secrets.mark(
          ...(await callFunctionOf(client, { ...request, args: plainValue(request.args) as Values })),
        );
      } catch (error) {
        throw new OperationFailure(error, (text) => secrets.mask(redact(text)));
      }
    },

    /** Objects that can be imported; `unknown` where the query says what is not known yet. */
    async *list(request: { token: string } & ListRequest): AsyncGenerator<ListedResource | "unknown", void, undefined> {
      if (!isConfigured) throw notConfiguredError();
      if (containsUnknown(request.query)) return yield "unknown";
      const { client, redact } = await operations.openHost();
      const secrets = requestSecretsIn(request.query);
      try {
        yield* listResources(client, specOfType(request.token), {
          ...request,
          query: plainValue(request.query) as Values,
        });
      } catch (error) {
        throw new OperationFailure(error, (text) => secrets.mask(redact(text)));
      }
    },

    /** The engine waits for what is under way, and ends the process itself. */
    cancel: () => environment.interruption.abort(),
  };
}

export type PluginService = ReturnType<typeof createPluginService>;

const notConfiguredError = (): Error =>
  new ConfigurationError("the plugin was asked for a resource before it was configured", {
    advice: "An engine calls `Configure` first; run the program with `pulumi`, not the plugin by itself.",
  });

/** Plain properties, without what a dynamic resource has in its state and the plugin has no use for. */
function fromEngine(properties: Values): Values {
  const plain = Object.entries(plainValue(properties) as Values);
  return Object.fromEntries(plain.filter(([name]) => !reservedInputs.has(name)));
}

/** An object that is only looked up needs no remarks. */
async function importObject(lifecycle: ResourceLifecycle, call: Call, id: string, notes: boolean) {
  const result = await lifecycle.import(call, id);
  for (const remark of (notes && result?.remarks) || []) call.reporter.warn(remark);
  return result;
}

const isSomething = (values: Values): boolean => Object.keys(values).length > 0;

/** Recorded outputs; a state that says neither what the object is nor where is of no use to anybody. */
function recordedValues(spec: ResourceSpec, id: string, properties: Values): Values {
  assertNameOfKind(spec, id);
  const outputs = fromEngine(properties);
  if (hasRecords(outputs) && typeof outputs["name"] === "string") return outputs;
  throw new ModelPlatformError(`the state of ${spec.kind} ${id} is incomplete: it does not say where the object is`, {
    advice: "Run `refresh` to read it again.",
  });
}

function specOfType(type: string): ResourceSpec {
  const kind = memberOf(type);
  const spec = managedSpecs.find((candidate) => candidate.kind === kind);
  if (spec) return spec;
  throw new ModelPlatformError(`\`${type}\` is not a resource type of this release of pulumi-modelplatform`, {
    advice: "Update the package, and regenerate the SDK from it.",
  });
}

/** Which resource a call is about, by its URN. */
function subjectOf(
  { urn, timeout, ignoreChanges }: About,
  properties: readonly Values[],
  secrets: RequestSecrets,
  aliases: readonly string[] | undefined,
): CallSubject {
  const [head = "", , types = ""] = urn.split("::");
  const type = types.slice(types.lastIndexOf("$") + 1);
  const spec = specOfType(type);
  const hidden = {
    kind: spec.kind,
    urn: dynamicUrn(urn),
    organization: organizationIn(properties),
    stack: head.replace("urn:pulumi:", ""),
    aliases: aliases && [...aliases],
    ignoreChanges: ignoreChanges && [...ignoreChanges],
    aliasesUnknown: aliases ? undefined : (true as const),
  };
  return { hidden, spec, urn, timeout, wording: (text) => secrets.mask(toPluginWording(text)) };
}

/** What our classes hand over beside the program's inputs; undefined for a program without them. */
function aliasesIn(news: Values): string[] | undefined {
  const hidden = plainValue(news[hiddenInput]);
  if (typeof hidden !== "object" || hidden === null) return undefined;
  const { aliases = [] } = hidden as { aliases?: unknown };
  return Array.isArray(aliases) ? aliases.filter((each) => typeof each === "string") : [];
}

/** An engine does not say; a dynamic resource has recorded it. */
function organizationIn(properties: readonly Values[]): string {
  const hidden = properties.map((values) => values[hiddenInput] as { organization?: string } | undefined);
  return hidden.find((each) => typeof each?.organization === "string")?.organization ?? "organization";
}

/** The engine prints the value of the property that a failure names. */
const withoutSecret = ({ property, reason }: CheckFailure, secrets: RequestSecrets): CheckFailure =>
  secrets.has(topLevel(property))
    ? { property: "", reason: `${property}: ${secrets.mask(reason)}` }
    : { property, reason: toPluginWording(secrets.mask(reason)) };

function toProviderError(
  failure: OperationFailure,
  secrets: RequestSecrets,
  answer: ((values: Values) => Values) | undefined,
  debug: boolean,
): PluginError {
  const text = debug && failure.trace !== "" ? `${failure.message}\n${failure.trace}` : failure.message;
  const out: PluginError = new Error(secrets.mask(text), { cause: failure.cause });
  if (!failure.recorded || !answer) return out;
  const { id, outputs, reasons } = failure.recorded;
  return Object.assign(out, { recorded: { id, properties: answer(outputs), reasons: reasons.map(secrets.mask) } });
}
