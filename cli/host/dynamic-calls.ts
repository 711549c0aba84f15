import type { Properties, ProviderCalls, ReportedObject } from "../../protocol/provider-calls";
import type { Values } from "../../provider/lifecycle/types";
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
  deletionRejection: ({ id, properties }) => withOriginalStack(service.refusal(id, properties)),

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
