import { type CreateHosts, providerHost } from "../../../cli/host/own-kinds";
import { type Capabilities, ProtocolProvider, plainCapabilities } from "../../../engine/providers/protocol-provider";
import type { ReportedState } from "../../../engine/providers/providers";
import type { PropertyMap } from "../../../engine/state/resource-state";
import { dynamicPackage, packageName } from "../../../provider/core/pulumi-names";
import { pluginServer } from "../../../provider/plugin/server";
import { createPluginService } from "../../../provider/plugin/service";
import type { HostEnvironment, LifecycleHost } from "../../../provider/pulumi/operations";
import type { Runtime } from "../../../provider/pulumi/runtime";
import { createService } from "../../../provider/pulumi/service";
import { everyNth, tonight } from "../../nightly";
import { CallError, PluginCalls, urnOf as pluginUrn } from "../../plugin/support/calls";
import { directClient } from "../../plugin/support/direct-client";
import { declared, urnOf as dynamicUrn } from "../../pulumi/support/declared";
import type { Values } from "../../values";

/** What a state holds of a resource. */
export interface HostedEntry {
  id: string;
  inputs: Values;
  outputs: Values;
  initErrors?: readonly string[];
}

export interface Compared {
  /** Undefined leaves it to the engine, which compares inputs. */
  changes: boolean | undefined;
  replaces: readonly string[];
  deleteBeforeReplace: boolean;
}

/** A provider process, as far as one resource goes. An error with an `id` is to be recorded. */
export interface Serving {
  check(olds: Values, news: Values): Promise<{ inputs: Values; failures: { property: string; reason: string }[] }>;
  diff(entry: HostedEntry, news: Values): Promise<Compared>;
  create(inputs: Values): Promise<{ id: string; outputs: Values }>;
  /** Undefined: it is gone. */
  read(entry: HostedEntry): Promise<Omit<HostedEntry, "id"> | undefined>;
  /** Reads what is known by its id alone. */
  import(id: string): Promise<Omit<HostedEntry, "id"> | undefined>;
  update(entry: HostedEntry, news: Values): Promise<Values>;
  delete(entry: HostedEntry): Promise<unknown>;
}

/** A way in which resources are served. */
export interface ContractHost {
  title: string;
  /**
   * What an import records as inputs is a program that a person would have written, for engines to generate code from.
   * Dynamic resources cannot be imported by an engine: what they read is compared with the program that adopts it.
   */
  importsPrograms: boolean;
  serve(world: HostEnvironment<LifecycleHost>, kind: string, name: string): Serving;
}

/** As the SDK calls the package. */
export const dynamicHost: ContractHost = {
  title: "dynamic resources",
  importsPrograms: false,
  serve(world, kind, name) {
    const service = createService(world);
    const read = async (id: string, inputs: Values, props: Values): Promise<Omit<HostedEntry, "id"> | undefined> => {
      const found = await service.read(id, props);
      if (found.id === "") return undefined;
      return { inputs: "inputs" in found ? found.inputs : inputs, outputs: found.props };
    };
    return {
      check: (olds, news) => service.check(olds, declared(kind, name, news)),
      diff: ({ id, outputs }, news) => service.diff(id, outputs, news),
      async create(inputs) {
        const { id, outs } = await service.create(inputs);
        return { id, outputs: outs };
      },
      read: ({ id, inputs, outputs }) => read(id, inputs, outputs),
      import: (id) => read(id, {}, declared(kind, name, {})),
      update: async ({ id, outputs }, news) => (await service.update(id, outputs, news)).outs,
      delete: ({ id, outputs }) => service.delete(id, outputs),
    };
  },
};

/** As an engine calls the plugin, by the protocol's messages. */
export const pluginHost: ContractHost = {
  title: "the plugin",
  importsPrograms: true,
  serve(world, kind, name) {
    // Functions and lists, which take the client, are nothing that a resource is asked for.
    const service = createPluginService({ ...(world as HostEnvironment<Runtime>), version: "1.2.3", env: {} });
    service.configure({});
    const server = pluginServer({
      service: () => service,
      version: "1.2.3",
      schema: () => "{}",
      attach: () => undefined,
    });
    const calls = new PluginCalls(directClient(server));
    const read = async (id: string, known?: { properties: Values; inputs: Values }) => {
      const { inputs, outputs } = await calls.read(kind, name, id, known);
      return inputs && outputs && { inputs, outputs };
    };
    return {
      check: (olds, news) => calls.check(kind, name, news, olds),
      async diff({ id, inputs, outputs }, news) {
        const { changes, ...answer } = await calls.diff(kind, name, id, { olds: outputs, oldInputs: inputs, news });
        return { ...answer, changes: changes === "unknown" ? undefined : changes === "some" };
      },
      create: (inputs) => toRecord(calls.create(kind, name, inputs)),
      read: ({ id, inputs, outputs }) => toRecord(read(id, { properties: outputs, inputs })),
      import: (id) => toRecord(read(id)),
      update: ({ id, outputs }, news) => toRecord(calls.update(kind, name, id, outputs, news)),
      delete: ({ id, outputs }) => calls.delete(kind, name, id, outputs),
    };
  },
};

/** As the built-in engine has it served in its own process; `like`: the host whose messages this one saves. */
const inProcess = (
  like: ContractHost,
  pkg: string,
  capabilities: Capabilities | undefined,
  urnOf: typeof pluginUrn,
): ContractHost => ({
  title: `${like.title}, in process`,
  importsPrograms: like.importsPrograms,
  serve(world, kind, name) {
    const urn = urnOf(kind, name);
    const open = (): HostEnvironment<Runtime> => world as HostEnvironment<Runtime>;
    const worlds: CreateHosts = () => ({ open, close: async () => undefined });
    const running = providerHost(worlds).begin({ name: "contract", folder: ".", log: () => undefined });
    const own = { open: async () => running.open(pkg, {}) };
    const provider = new ProtocolProvider(() => own, {}, capabilities);
    const about = { urn, preview: false };
    const sent = (inputs: Values): PropertyMap => (capabilities ? declared(kind, name, inputs) : inputs) as PropertyMap;
    const sides = ({ id, inputs, outputs }: HostedEntry, news: Values) => ({
      ...{ ...about, id, ignoreChanges: [], newInputs: news as PropertyMap },
      ...{ oldInputs: inputs as PropertyMap, oldOutputs: outputs as PropertyMap },
    });
    return {
      // Only a preview may hear of values that are not known.
      check: (olds, news) => provider.check({ urn, preview: true, olds: olds as PropertyMap, news: sent(news) }),
      async diff(entry, news) {
        const { changes, ...answer } = await provider.diff(sides(entry, news));
        return { ...answer, changes: changes === "unknown" ? undefined : changes === "some" };
      },
      create: async (inputs) => ready(await provider.create({ ...about, inputs: inputs as PropertyMap, timeout: 0 })),
      async read({ id, inputs, outputs }) {
        const known = { inputs: inputs as PropertyMap, state: outputs as PropertyMap };
        const live = await provider.read({ ...about, id, ...known });
        return live && { ...ready(live), inputs: (live.inputs ?? inputs) as Values };
      },
      async import(id) {
        const live = await provider.read({ ...about, id, inputs: capabilities ? sent({}) : {} });
        return live && { ...ready(live), inputs: (live.inputs ?? {}) as Values };
      },
      update: async (entry, news) => ready(await provider.update({ ...sides(entry, news), timeout: 0 })).outputs,
      async delete({ id, inputs, outputs }) {
        const known = { inputs: inputs as PropertyMap, outputs: outputs as PropertyMap };
        await provider.delete({ ...about, id, ...known, timeout: 0 });
      },
    };
  },
});

/** What the engine records and reports as failed is an error to the contract. */
function ready<L extends ReportedState>(live: L): L {
  if (!live.initErrors) return live;
  const { id, outputs: properties, initErrors: reasons } = live;
  throw Object.assign(new Error(reasons.join("\n")), { id, properties, reasons });
}

/** What an error's details say is to be recorded stands in the error. */
const toRecord = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) =>
    Promise.reject(error instanceof CallError ? Object.assign(error, error.recorded) : error),
  );

const others: readonly ContractHost[] = [
  inProcess(dynamicHost, dynamicPackage, plainCapabilities, dynamicUrn),
  pluginHost,
  inProcess(pluginHost, packageName, undefined, pluginUrn),
];

/**
 * The others' cases cost as much as those of dynamic resources, and what differs shows in few of them: a host turns
 * messages into calls, the service's answers are read behind it.
 */
const rarer = { byDay: 24, atNight: 9 };

/**
 * The same tests for each host, with every `nth` of the cases in each run, and the others in the nightly run. The other
 * hosts have fewer of them, each its own, by day others at each `place`, at night others each night.
 */
export function onEachHost<T>(
  nth: number,
  place: number,
  cases: readonly T[],
  tests: (cases: readonly T[], host: ContractHost) => void,
): void {
  everyNth(nth, place, cases, (some) => tests(some, dynamicHost));
  for (const [index, host] of others.entries())
    describe(`served by ${host.title}`, () =>
      everyNth(nth * rarer.byDay, place + index, cases, (some) => {
        const mine = tonight(rarer.atNight, some, index);
        if (mine.length > 0) tests(mine, host);
      }));
}
