import type { Properties, ProtocolDiff, ProviderCalls, ReportedObject } from "../../protocol/provider-calls";
import type { DetailedDiff } from "../../provider/plugin/comparison";
import type { PluginError, PluginService } from "../../provider/plugin/service";

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
    const made = await orInitFailure(service.create({ urn, timeout, inputs: properties, preview }));
    return "reasons" in made ? made : { id: made.id, properties: made.outputs as Properties };
  },

  async update(request) {
    const { urn, id, olds, news, timeout, preview, ignoreChanges } = request;
    const made = await orInitFailure(
      service.update({ urn, id, timeout, olds, news, preview, ignoreChanges }).then((properties) => ({ properties })),
    );
    return "reasons" in made ? made : { properties: made.properties as Properties };
  },

  delete: ({ urn, id, properties, timeout }) => service.delete({ urn, id, properties, timeout }),
  deletionRejection: ({ urn, id, properties }) => service.refusal({ urn, id, properties }),

  async read({ urn, id, properties, inputs }) {
    const result = await orInitFailure(service.read({ urn, id, properties, inputs }).then((result) => ({ result })));
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

const orInitFailure = <Answer>(work: Promise<Answer>): Promise<Answer | Required<Omit<ReportedObject, "inputs">>> =>
  work.catch((error: PluginError) => {
    if (!error.recorded) throw error;
    const { id, properties, reasons } = error.recorded;
    return { id, properties: properties as Properties, reasons };
  });
