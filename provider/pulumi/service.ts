import { type Properties, type ProtocolDiff, type ProviderCalls, ProviderFailure } from "../../protocol/provider-calls";
import { type HiddenContext, HiddenInput, hiddenInput } from "../core/declaration/own-fields";
import type { ResourceSpec } from "../core/declaration/resource";
import { ModelPlatformError } from "../core/errors";
import { resourceNameIn } from "../core/pulumi-names";
import { secretProperties } from "../core/secrets";
import { isUnknown, plainValue, secretValue } from "../core/values/values";
import { stackNameOf } from "../lifecycle/memory/identity";
import type { Values } from "../lifecycle/types";
import { specOf } from "../resources/index";
import {
  type CallingConvention,
  createOperations,
  type HostEnvironment,
  type LifecycleHost,
  type Operations,
} from "./operations";

/** The stack's config, or an explicit provider's inputs, by full key. */
interface ConfigLookup {
  get(key: string): string | undefined;
}

/** The calls of the built-in engine for dynamic resources of this package. */
export const createDynamicCalls = (environment: HostEnvironment<LifecycleHost>): ProviderCalls =>
  callsOf(createOperations(environment, convention));

const callsOf = (operations: Operations<LifecycleHost, ProtocolDiff>) => ({
  ...operations,

  async configure(args: Values) {
    const get = (key: string): string | undefined => textOf(Object.hasOwn(args, key) ? args[key] : undefined);
    operations.useSettings({ config: { get } });
    return { secrets: false, references: false, previews: false };
  },

  checkConfig: async () => undefined,
  diffConfig: async () => undefined,

  /** What is wrong with the settings is a failure like any other: an error would be printed twice. */
  check: (about: { urn: string; olds: Values; news: Values }) =>
    operations.check(about).catch((error: unknown) => {
      if (!(error instanceof ProviderFailure)) throw error;
      return { inputs: about.news as Properties, failures: [{ property: "", reason: error.summary }] };
    }),

  invoke: ({ token }: { token: string }) => Promise.reject(new ProviderFailure(`unknown function ${token}`)),
});

const textOf = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : String(value);

const convention: CallingConvention<ProtocolDiff> = {
  interpret(about, properties) {
    const own = properties.at(-1)!;
    return {
      subject: () => subjectOf(own, about.urn),
      wording: (text) => text,
      failure: (failure) => failure,
      answer: ({ spec }, values) => toEngine(spec, values, own),
    };
  },
  plain: fromEngine,
  recorded: (_spec, _id, outputs) => fromEngine(outputs),
  diff: (_spec, { changes, replaces, deleteBeforeReplace }, { olds }) => ({
    changes: changes === undefined || (!changes && isOfPlugin(olds)) ? "unknown" : someOrNone(changes),
    ...{ replaces, deleteBeforeReplace, diffs: [], detailed: new Map() },
  }),
};

const someOrNone = (changes: boolean) => (changes ? "some" : "none");

/** The provider object that Pulumi's SDK calls for every dynamic resource of this package, whatever its kind. */
export function createService(environment: HostEnvironment<LifecycleHost>) {
  const operations = createOperations(environment, convention);
  const calls = callsOf(operations);
  const operate = <T>(props: Values, work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => Promise.reject(toSdkError(error, props, environment.debug)));

  return {
    /**
     * The SDK calls others before this one has resolved, and ignores its failure: it does nothing that takes time or
     * can fail.
     */
    async configure({ config }: { config: ConfigLookup }): Promise<void> {
      operations.useSettings({ config });
    },

    check: (olds: Values, news: Values) => operate(news, calls.check({ urn: "", olds, news })),

    async diff(id: string, olds: Values, news: Values) {
      const { changes, replaces, deleteBeforeReplace } = await operate(news, calls.diff({ urn: "", id, olds, news }));
      return { changes: changes === "unknown" ? undefined : changes === "some", replaces, deleteBeforeReplace };
    },

    async create(inputs: Values) {
      const { id, properties } = await operate(inputs, calls.create({ urn: "", properties: inputs }));
      return { id, outs: properties };
    },

    /** An empty id tells the engine that the object is gone. */
    async read(id: string, props: Values) {
      const { properties, ...object } = await operate(props, calls.read({ urn: "", id, properties: props }));
      return { ...object, props: properties };
    },

    async update(id: string, olds: Values, news: Values) {
      const { properties } = await operate(news, calls.update({ urn: "", id, olds, news }));
      return { outs: properties };
    },

    delete: (id: string, props: Values) => operate(props, calls.delete({ urn: "", id, properties: props })),
  };
}

/**
 * Whether the plugin has recorded the outputs: they lack what routes a refresh or a delete of a dynamic resource here.
 * With no answer of ours the engine compares inputs, finds the provider new, and has them recorded by an update, which
 * sends nothing.
 */
const isOfPlugin = (olds: Values): boolean => olds[providerProperty] === undefined;

/**
 * Which resource a call is about. The SDK says neither its kind nor its URN: those are recorded. The built-in engine
 * gives the URN, which is another than the recorded one once the stack has another name.
 */
function subjectOf(props: Values, engineUrn: string): { hidden: HiddenContext; spec: ResourceSpec; urn: string } {
  const hidden = HiddenInput.safeParse(fromEngine(props)[hiddenInput]);
  if (!hidden.success) {
    throw new ModelPlatformError(`the resource has no \`${hiddenInput}\`, which its class writes`, {
      advice:
        "Declare it with a class of `pulumi-modelplatform`; if the state has it, remove it there and set `adopt`.",
    });
  }
  const spec = specOf(hidden.data.kind);
  if (!spec)
    throw new ModelPlatformError(
      `\`${hidden.data.kind}\` is not a kind of resource that this release of pulumi-modelplatform knows`,
      { advice: "Update the package." },
    );
  const urn = engineUrn || hidden.data.urn;
  return { hidden: { ...hidden.data, urn, stack: stackNameOf(urn) }, spec, urn };
}

/**
 * The error as the SDK understands it: `id`, `properties` and `reasons` make it record the object. What
 * the SDK answers is the message; what it prints beside that is the error as a text and its stack, so
 * that both are kept from repeating the message.
 */
function toSdkError(error: unknown, props: Values, debug: boolean): unknown {
  if (!(error instanceof ProviderFailure)) return error;
  const out = new Error(error.summary, { cause: error.cause });
  out.stack = error.trace;
  const subject = subjectIn(props);
  if (subject && !debug) out.toString = () => `${resourceTitle(subject.hidden)} failed; its error is shown with it`;
  return Object.assign(out, error.recorded);
}

function subjectIn(props: Values): ReturnType<typeof subjectOf> | undefined {
  try {
    return subjectOf(props, "");
  } catch {
    return undefined;
  }
}

/** `User ada`, as the program calls it. */
const resourceTitle = ({ kind, urn }: HiddenContext): string => `${kind} ${resourceNameIn(urn)}`;

/** Where Pulumi's SDK looks for the provider of a dynamic resource. */
const providerProperty = "__provider";

/** Properties as the life cycle takes them: plain values, without what belongs to the SDK. */
function fromEngine(props: Values): Values {
  const { [providerProperty]: _, ...rest } = plainValue(props) as Values;
  return rest;
}

/**
 * Properties as the SDK takes them: JSON values only, secrets marked as such, and what the next call needs to find its
 * way back here. The SDK refuses `undefined` after the object has been made, and turns dates into empty objects.
 */
function toEngine(spec: ResourceSpec, values: Values, own: Values): Properties {
  const json = JSON.parse(JSON.stringify(values)) as Values;
  const secret = secretProperties(spec);
  const marked = Object.entries(json).map(([name, value]) => [
    name,
    secret.has(name) && value !== null && !isUnknown(value) ? secretValue(value) : value,
  ]);
  const ours = { [hiddenInput]: plainValue(own[hiddenInput]), [providerProperty]: own[providerProperty] };
  return { ...Object.fromEntries(marked), ...ours } as Properties;
}
