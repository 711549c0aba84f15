import { type RecordedStack, recordedObjects } from "../../../drift/scan/recorded-object";
import { importDeployment } from "../../../engine/state/checkpoint";
import { recordedOutputs } from "../../../provider/core/comparison/recorded";
import { accountOf, lastSegment } from "../../../provider/core/values/names";
import { specOf } from "../../../provider/resources/index";
import type { Values } from "../../values";

/** A resource as a state has it; keys of Pulumi's file format may be given on top. */
export interface RecordedResource {
  kind: string;
  inputs: Values;
  /** What the service answered when it was recorded. */
  live: Values;
  /** Over the outputs that follow from the two. */
  outputs?: Values;
  state?: Values;
  /** How the program spells the type. */
  token?: "dynamic" | "plugin";
}

export const origin = "https://api.example.com";

export const secretText = (ciphertext: string): Values => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  ciphertext,
});

/** The document that `pulumi stack export` writes of such resources. */
export function exported(
  resources: readonly RecordedResource[],
  { project = "shop", stack = "prod", pending = [] as Values[] } = {},
): Values {
  return {
    version: 3,
    deployment: {
      manifest: { time: "2026-01-01T00:00:00Z", magic: "", version: "" },
      resources: [
        {
          urn: `urn:pulumi:${stack}::${project}::pulumi:pulumi:Stack::${project}-${stack}`,
          custom: false,
          type: "pulumi:pulumi:Stack",
        },
        ...resources.map((resource) => stateOf(resource, `urn:pulumi:${stack}::${project}`)),
      ],
      ...(pending.length > 0 && { pending_operations: pending }),
    },
  };
}

export function stateOf(
  { kind, inputs, live, outputs = {}, state = {}, token = "dynamic" }: RecordedResource,
  prefix: string,
): Values {
  const name = String(live["name"]);
  const type = token === "dynamic" ? `pulumi-nodejs:dynamic/modelplatform:${kind}` : `modelplatform:index:${kind}`;
  const made = recordedOutputs(specOf(kind)!, inputs, live, { accountId: accountOf(name)!, endpoint: origin });
  return {
    urn: `${prefix}::${type}::${lastSegment(name)}`,
    custom: true,
    type,
    id: name,
    inputs,
    outputs: { ...made, ...outputs },
    ...state,
  };
}

/** The same, read. */
export const recordedStack = (
  resources: readonly RecordedResource[],
  where: { project?: string; stack?: string; pending?: Values[] } = {},
): RecordedStack =>
  recordedObjects(`${where.project ?? "shop"}/${where.stack ?? "prod"}`, importDeployment(exported(resources, where)));
