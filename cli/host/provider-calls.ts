import type { Properties, ProtocolDiff, ProviderCalls, ReportedObject } from "../../protocol/provider-calls";
import type { Values } from "../../provider/lifecycle/types";
import type { DetailedDiff } from "../../provider/plugin/diff-answer";
import type { PluginError, PluginService } from "../../provider/plugin/service";
import type { createService } from "../../provider/pulumi/service";

type Service = ReturnType<typeof createService>;

/** What the service throws for an object that is there, but did not become ready. */
interface InitFailed {
  id?: string;
  properties?: Values;
  reasons?: readonly string[];
}

const plain = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : String(value);

/** The provider of dynamic resources, called as the SDK's process calls it, with its own program's text left out. */
export const dynamicCalls = (service: Service): ProviderCalls => ({
  async configure(args) {
    await service.configure({ config: { get: (key) => plain(Object.hasOwn(args, key) ? args[key] : undefined) } });
    return { secrets: false, references: false, previews: false };
  },

  checkConfig: async () => undefined,
  diffConfig: async () => undefined,

  async check({ olds, news }) {
    const { inputs, failures } = await withOriginalStack(service.check(olds, news));
    return { inputs: inputs as Properties, failures };
  },

  async diff({ id, olds, news }) {
    const { changes, replaces, deleteBeforeReplace } = await withOriginalStack(service.diff(id, olds, news));
    return {
      changes: changes ? "some" : noneOrUnknown(changes),
      replaces,
      diffs: [],
      detailed: new Map(),
      deleteBeforeReplace,
    };
  },

  async create({ properties }) {
    const made = await orInitFailure(service.create(properties));
    return "reasons" in made ? made : { id: made.id, properties: made.outs as Properties };
  },

  async update({ id, olds, news }) {
    const made = await orInitFailure(service.update(id, olds, news));
    return "reasons" in made ? made : { properties: made.outs as Properties };
  },

  delete: ({ id, properties }) => withOriginalStack(service.delete(id, properties)),
  refusal: ({ id, properties }) => withOriginalStack(service.refusal(id, properties)),

  async read({ id, properties = {} }) {
    const result = await orInitFailure(service.read(id, properties));
    if ("reasons" in result) return result;
    const inputs = "inputs" in result ? (result.inputs as Properties) : undefined;
    return { id: result.id, properties: result.props as Properties, inputs };
  },

  invoke: ({ token }) => Promise.reject(new Error(`unknown function ${token}`)),
});

const noneOrUnknown = (changes: false | undefined) => (changes === undefined ? "unknown" : "none");

/** The service leaves a stack to its errors for a user who debugs; nobody prints it here. */
const withOriginalStack = <Answer>(work: Promise<Answer>): Promise<Answer> =>
  work.catch((error: Error) => {
    if (error.stack) error.message = `${error.message}\n${error.stack}`;
    throw error;
  });

const orInitFailure = <Answer>(work: Promise<Answer>): Promise<Answer | Required<Omit<ReportedObject, "inputs">>> =>
  withOriginalStack(work).catch((error: InitFailed) => {
    const { id, properties = {}, reasons = [] } = error;
    if (id === undefined) throw error;
    return { id, properties: properties as Properties, reasons };
  });

/** The plugin's service, called without messages. */
export const pluginCalls = (service: PluginService): ProviderCalls => ({
  async configure(args) {
    service.configure({ args, urn: undefined });
    return { secrets: true, references: false, previews: true };
  },

  async checkConfig(request) {
    const { inputs, failures } = service.checkConfig(request);
    return { inputs: inputs as Properties, failures };
  },

  async diffConfig({ urn, oldInputs, news }) {
    const diffs = service.changedSettings({ urn, olds: oldInputs, news });
    return { changes: diffs.length > 0 ? "some" : "none", replaces: [], diffs, ...inPlace };
  },

  async check(request) {
    const { inputs, failures } = await service.check(request);
    return { inputs: inputs as Properties, failures };
  },

  diff: async (request) => comparedIn(await service.diff(request)),

  async create({ urn, properties, timeout, preview }) {
    const made = await pluginCallsOrInitFailure(service.create({ urn, timeout, inputs: properties, preview }));
    return "reasons" in made ? made : { id: made.id, properties: made.outputs as Properties };
  },

  async update(request) {
    const { urn, id, olds, news, timeout, preview, ignoreChanges } = request;
    const made = await pluginCallsOrInitFailure(
      service.update({ urn, id, timeout, olds, news, preview, ignoreChanges }).then((properties) => ({ properties })),
    );
    return "reasons" in made ? made : { properties: made.properties as Properties };
  },

  delete: ({ urn, id, properties, timeout }) => service.delete({ urn, id, properties, timeout }),
  refusal: ({ urn, id, properties }) => service.refusal({ urn, id, properties }),

  async read({ urn, id, properties, inputs }) {
    const result = await pluginCallsOrInitFailure(
      service.read({ urn, id, properties, inputs }).then((result) => ({ result })),
    );
    if ("reasons" in result) return result;
    if (!result.result) return { id: "", properties: {} };
    const { properties: outputs, inputs: recorded } = result.result;
    return { id: result.result.id, properties: outputs as Properties, inputs: recorded as Properties };
  },

  invoke: async (request) => (await service.invoke(request)) as Properties,
});

const inPlace = { detailed: new Map<string, never>(), deleteBeforeReplace: false };

const comparedIn = ({ changes, names, replaces, entries, deleteBeforeReplace }: DetailedDiff): ProtocolDiff => ({
  changes: changes ? "some" : "none",
  replaces,
  diffs: names,
  detailed: entries,
  deleteBeforeReplace,
});

const pluginCallsOrInitFailure = <Answer>(
  work: Promise<Answer>,
): Promise<Answer | Required<Omit<ReportedObject, "inputs">>> =>
  work.catch((error: PluginError) => {
    if (!error.recorded) throw error;
    const { id, properties, reasons } = error.recorded;
    return { id, properties: properties as Properties, reasons };
  });
