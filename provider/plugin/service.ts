import type { Naming } from "../../protocol/autonaming";
import type { Properties } from "../../protocol/provider-calls";
import { findObject } from "../api/confirm-deleted";
import { items } from "../api/paginate";
import type { Client } from "../api/types";
import type { CheckFailure } from "../core/check";
import { hiddenInput, reservedInputs } from "../core/declaration/own-fields";
import type { ResourceSpec } from "../core/declaration/resource";
import { phaseOf } from "../core/declaration/states";
import { listingInputs } from "../core/declaration/surface";
import { ConfigurationError, ModelPlatformError } from "../core/errors";
import { dynamicUrn, memberOf } from "../core/pulumi-names";
import { secretProperties } from "../core/secrets";
import { builtInEngine, engineVariable } from "../core/settings";
import { fillTemplate, lastSegment } from "../core/values/names";
import { containsUnknown, plainValue, topLevel } from "../core/values/values";
import { assertNameOfKind, hasRecords } from "../lifecycle/read";
import type { Values } from "../lifecycle/types";
import { callFunctionOf } from "../pulumi/function-call";
import { type About, type CallSubject, createOperations, type HostEnvironment, toFailure } from "../pulumi/operations";
import type { Runtime } from "../pulumi/runtime";
import { managedSpecs } from "../resources/index";
import { outputsBeforeCreate, outputsBeforeUpdate, toDetailedDiff } from "./diff-answer";
import { type RequestSecrets, requestSecretsIn } from "./request-secrets";
import { changedSettings, checkSettings, forgottenKeys, settingsIn } from "./settings";
import { type Reader, toPluginFailure, toPluginWording } from "./wording";

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

interface PluginEnvironment extends HostEnvironment<Runtime> {
  version: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Where relative paths begin. Default: the folder of this process. */
  folder?: string;
}

/** The plugin's calls, apart from the wire. */
export function createPluginService(environment: PluginEnvironment) {
  let isConfigured = false;
  /** Aliases by URN, from the checks of our own classes: an engine does not record them. */
  const aliases = new Map<string, readonly string[]>();

  const { env, version } = environment;
  const stranger = { readsTypeScript: false, hasOwnCommand: env[engineVariable] === builtInEngine, version };
  const readerOf = (urn: string): Reader => ({ ...stranger, readsTypeScript: aliases.has(urn) });

  const operations = createOperations(environment, {
    interpret(about, properties) {
      const secrets = requestSecretsIn(...properties);
      const reader = readerOf(about.urn);
      return {
        subject() {
          if (!isConfigured) throw notConfiguredError();
          return subjectOf(about, properties, aliases.get(about.urn));
        },
        wording: (text) => toPluginWording(secrets.mask(text), reader),
        failure: (failure) => toPluginFailure(withoutSecret(failure, secrets), reader),
        answer: ({ spec }, values) =>
          secrets.mark(JSON.parse(JSON.stringify(values)) as Values, secretProperties(spec)) as Properties,
      };
    },
    plain: fromEngine,
    recorded: recordedValues,
    diff: toDetailedDiff,
    previews: { create: outputsBeforeCreate, update: outputsBeforeUpdate },
  });

  /** For calls about no resource, with these arguments. */
  async function open(args: Values) {
    if (!isConfigured) throw notConfiguredError();
    const { client, redact } = await operations.openHost();
    const secrets = requestSecretsIn(args);
    const readable = (text: string): string => toPluginWording(secrets.mask(redact(text)), stranger);
    return { client, secrets, failure: (error: unknown) => toFailure(error, { readable, debug: false }) };
  }

  return {
    ...operations,

    async checkConfig(request: { urn: string; news: Values }) {
      const { inputs, failures } = checkSettings({ ...request, version }, env, environment.folder);
      return { inputs: inputs as Properties, failures: failures.map((each) => toPluginFailure(each, stranger)) };
    },

    /** Reports keys that the next `up` drops from the state. */
    async diffConfig({ urn, oldInputs, news }: { urn: string; oldInputs: Values; news: Values }) {
      const warning = forgottenKeys(oldInputs, news);
      if (warning !== undefined) environment.reporterFor(urn).info(toPluginWording(warning, stranger));
      const diffs = changedSettings(oldInputs, news);
      return { ...inPlace, changes: diffs.length > 0 ? ("some" as const) : ("none" as const), diffs };
    },

    async configure(args: Values, urn?: string) {
      operations.useSettings(settingsIn(args, urn, env));
      isConfigured = true;
      return { secrets: true, references: false, previews: true };
    },

    check(about: { urn: string; olds: Values; news: Values; naming?: Naming | undefined }) {
      const former = aliasesIn(about.news);
      if (former) aliases.set(about.urn, former);
      return operations.check(about);
    },

    async invoke(request: { token: string; args: Values; preview: boolean }): Promise<Properties> {
      const { client, secrets, failure } = await open(request.args);
      return environment.interruption.during(async () => {
        try {
          const args = plainValue(request.args) as Values;
          return secrets.mark(...(await callFunctionOf(client, { ...request, args }))) as Properties;
        } catch (error) {
          throw failure(error);
        }
      });
    },

    /** Objects that can be imported; `unknown` where the query says what is not known yet. */
    async *list(request: { token: string } & ListRequest): AsyncGenerator<ListedResource | "unknown", void, undefined> {
      if (isConfigured && containsUnknown(request.query)) return yield "unknown";
      const { client, failure } = await open(request.query);
      try {
        const query = plainValue(request.query) as Values;
        yield* listResources(client, specOfType(request.token), { ...request, query });
      } catch (error) {
        throw failure(error);
      }
    },

    /** The engine waits for what is under way, and ends the process itself. */
    cancel: () => environment.interruption.abort(),
  };
}

const inPlace = { replaces: [], detailed: new Map<string, never>(), deleteBeforeReplace: false };

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

/** Recorded outputs; a state that says neither what the object is nor where is of no use to anybody. */
function recordedValues(spec: ResourceSpec, id: string, properties: Values): Values {
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
  { urn, id, timeout, ignoreChanges, naming }: About,
  properties: readonly Values[],
  aliases: readonly string[] | undefined,
): CallSubject {
  const [head = "", , types = ""] = urn.split("::");
  const type = types.slice(types.lastIndexOf("$") + 1);
  const spec = specOfType(type);
  if (id !== undefined) assertNameOfKind(spec, id);
  const hidden = {
    kind: spec.kind,
    urn: dynamicUrn(urn),
    organization: organizationIn(properties),
    stack: head.replace("urn:pulumi:", ""),
    aliases: aliases && [...aliases],
    ignoreChanges: ignoreChanges && [...ignoreChanges],
    naming,
    aliasesUnknown: aliases ? undefined : (true as const),
  };
  return { hidden, spec, urn, timeout };
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
    : { property, reason: secrets.mask(reason) };
