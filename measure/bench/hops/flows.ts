import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../../../tests/e2e/engines";
import type { Service } from "./service";

/** The compiled modules, read once functions are counted. */
const compiled = <T>(path: string): T => require(join(repository, "dist", path)) as T;

type Values = Record<string, unknown>;

/** One way through the package. Each of its runs is prepared first, and works on an object of its own. */
export interface Flow {
  title: string;
  prepare(run: number): Promise<() => Promise<unknown>>;
}

const hidden = (name: string) => ({
  kind: "Deployment",
  urn: `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/modelplatform:Deployment::${name}`,
  organization: "organization",
  stack: "dev",
});

const inputsOf = (name: string, more: Values = {}): Values => ({
  baseModel: "accounts/platform/models/open-8b",
  deploymentShape: "default",
  minReplicaCount: 1,
  maxReplicaCount: 2,
  __modelplatform: hidden(name),
  __provider: "",
  ...more,
});

/** A client of all accounts, as commands have it. */
function openClient(env: NodeJS.ProcessEnv) {
  const { createClient } = compiled<typeof import("../../../provider/api/client")>("provider/api/client.js");
  const { createCatalogue } = compiled<typeof import("../../../provider/api/operations")>("provider/api/operations.js");
  const { resolveSettings } = compiled<typeof import("../../../provider/api/settings/config")>(
    "provider/api/settings/config.js",
  );
  const { allSpecs } = compiled<typeof import("../../../provider/resources/index")>("provider/resources/index.js");
  return createClient({ settings: resolveSettings({ env }), catalogue: createCatalogue(allSpecs), env });
}

/** A state of one deployment, as `pulumi stack export` writes it. */
const stateOf = (name: string, id: string, inputs: Values, outputs: Values): object => ({
  version: 3,
  deployment: {
    manifest: { time: "2026-01-01T00:00:00Z", magic: "", version: "" },
    resources: [
      { urn: "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev", type: "pulumi:pulumi:Stack", custom: false },
      {
        ...{ urn: hidden(name).urn, type: "pulumi-nodejs:dynamic/modelplatform:Deployment", custom: true, id },
        ...{ inputs, outputs, parent: "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev" },
      },
    ],
  },
});

/** The five flows, against `service` and with scratch in `folder`. */
export function flowsOf(service: Service, folder: string): { flows: Flow[]; close(): Promise<void> } {
  const host = compiled<typeof import("../../../provider/runtime")>("provider/runtime.js").provider();
  const drift = compiled<typeof import("../../../drift/index")>("drift/index.js");
  const client = openClient(process.env);

  async function made(name: string) {
    const inputs = inputsOf(name);
    const checked = (await host.check({}, inputs)).inputs;
    const { id, outs } = await host.create(checked);
    return { inputs: checked, id, outs };
  }

  const flows: Flow[] = [
    {
      title: "one GET (`client.call`)",
      prepare: async (run) => {
        const { id } = await made(`got-${run}`);
        return () => client.call("getDeployment", { parameters: { name: id } });
      },
    },
    { title: "create of a deployment", prepare: async (run) => () => made(`made-${run}`) },
    {
      title: "refresh of a deployment",
      prepare: async (run) => {
        const { id, outs } = await made(`read-${run}`);
        return () => host.read(id, outs);
      },
    },
    {
      title: "update of a deployment",
      prepare: async (run) => {
        const { inputs, id, outs } = await made(`updated-${run}`);
        return async () => {
          const { inputs: news } = await host.check(inputs, { ...inputs, maxReplicaCount: 3 });
          await host.diff(id, outs, news);
          await host.update(id, outs, news);
        };
      },
    },
    {
      title: "drift scan with one finding",
      prepare: async (run) => {
        const name = `drifted-${run}`;
        const { inputs, id, outs } = await made(name);
        const file = join(folder, `${name}.json`);
        writeFileSync(file, JSON.stringify(stateOf(name, id, inputs, outs)));
        await service.tamper(id, { maxReplicaCount: 5 });
        const stacks = await drift.readStacks({ files: [file] }, { cwd: folder, env: process.env });
        return async () => {
          const { findings } = await drift.detectDrift({ client, stacks, tool: drift.thisTool() });
          if (findings.length !== 1) throw new Error(`the scan has ${findings.length} findings, not one`);
        };
      },
    },
  ];
  return { flows, close: () => client.close() };
}
