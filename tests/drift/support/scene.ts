import { type DriftOptions, detectDrift } from "../../../drift/scan/detect";
import type { DriftReport } from "../../../drift/scan/document";
import type { Finding } from "../../../drift/scan/finding-document";
import { createEmulator, type Emulator, type Settings } from "../../../emulator/index";
import { createClient } from "../../../provider/api/client";
import { resolveSettings } from "../../../provider/api/settings/config";
import type { Time } from "../../../provider/api/time";
import type { Client } from "../../../provider/api/types";
import { instantTime } from "../../api/support/instant-time";
import { catalogue } from "../../api/support/test-client";
import type { Values } from "../../values";
import { inProcess, type WatchedRequest } from "./in-process";
import { origin, type RecordedResource, recordedStack } from "./stacks";

export interface SceneOptions {
  accounts?: readonly string[];
  settings?: Partial<Settings>;
  time?: Time;
  travel?: (request: WatchedRequest) => Promise<void>;
  arrived?: () => void;
  env?: Record<string, string>;
  /** Accounts whose key the service does not know. */
  wrongKeys?: readonly string[];
  /** Default: `keyOf`. */
  keys?: (account: string) => string;
}

/** Some accounts of an emulated service, stacks that record part of them, and scans. */
export interface DriftScene {
  emulator: Emulator;
  client: Client;
  requests: WatchedRequest[];
  /** Puts an object there outside every program, as the service answers it. */
  put(name: string, fields: Values): Values;
  change(name: string, fields: Values): Promise<void>;
  remove(name: string): Promise<void>;
  fault(fault: unknown): Promise<void>;
  scan(
    stacks: readonly RecordedResource[] | DriftOptions["stacks"],
    options?: Partial<DriftOptions>,
  ): Promise<DriftReport>;
}

export const keyOf = (account: string): string => `${account}-key`;

export function createScene({
  accounts = ["acme"],
  settings = {},
  time = instantTime(),
  travel,
  arrived,
  env = {},
  wrongKeys = [],
  keys: keyFor = keyOf,
}: SceneOptions = {}): DriftScene {
  const emulator = createEmulator({
    clock: "manual",
    accounts: Object.fromEntries(accounts.map((account) => [account, keyFor(account)])),
    settings,
  });
  const { dispatcher, requests } = inProcess(emulator, travel, arrived);
  const keys = Object.fromEntries(
    accounts.map((account) => [account, { apiKey: wrongKeys.includes(account) ? "wrong-key" : keyFor(account) }]),
  );
  const client = createClient({
    settings: resolveSettings({
      env: { MODELPLATFORM_ACCOUNTS: JSON.stringify(keys), MODELPLATFORM_BASE_URL: origin, ...env },
    }),
    catalogue,
    time,
    dispatcher,
    env: {},
  });
  const control = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const answer = await emulator.fetch(
      new Request(`http://emulator.test/_emulator/${path}`, {
        method,
        headers: { "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  return {
    emulator,
    client,
    requests,
    put: (name, fields) => {
      const kind = kindOf(name);
      emulator.world.put({ kind, name, fields: { name, ...fields } });
      return { name, ...fields };
    },
    change: async (name, fields) => void (await control("PATCH", `objects/${name}`, fields)),
    remove: async (name) => void (await control("DELETE", `objects/${name}`)),
    fault: async (fault) => void (await control("POST", "faults", fault)),
    scan: (given, options = {}) => {
      const stacks =
        given.length > 0 && "kind" in given[0]!
          ? [recordedStack(given as readonly RecordedResource[])]
          : (given as DriftOptions["stacks"]);
      return detectDrift({ client, stacks, tool: { name: "modelplatform", version: "1.2.3" }, time, ...options });
    },
  };
}

function kindOf(name: string): string {
  const collection = name.split("/")[2]!;
  return catalogue.operations.find(({ spec }) => spec.collection === collection && spec.kind !== "DeploymentShape")!
    .spec.kind;
}

/** Findings by resource name. */
export const byName = ({ findings }: DriftReport): Record<string, Finding> =>
  Object.fromEntries(findings.map((finding) => [finding.name, finding]));
