import { type AuditOptions, audit } from "../../drift/audit";
import type { DriftReport } from "../../drift/scan/document";
import { guardrails } from "../../governance/policies/index";
import { instantTime } from "../api/support/instant-time";
import { createScene, type DriftScene, type SceneOptions } from "../drift/support/scene";
import { type RecordedResource, recordedStack } from "../drift/support/stacks";

/** The day on which audits of tests run. */
export const today = "2030-01-15";

export interface AuditScene extends DriftScene {
  /** Holds the policies, with their defaults unless options are given, against what is live. */
  audit(recorded?: readonly RecordedResource[], options?: Partial<AuditOptions>): Promise<DriftReport>;
}

/** Rules that need a decision, as if somebody had decided on their defaults. */
const decided = Object.fromEntries(
  guardrails.filter(({ decision }) => decision !== undefined).map(({ name }) => [name, {}]),
);

function putSettings({ emulator }: DriftScene, account: string): void {
  const name = `accounts/${account}/policySettings`;
  emulator.world.put({ kind: "PolicySettings", name, fields: { name, residency: "EUROPE" } });
}

export function auditScene(options: SceneOptions = {}): AuditScene {
  const time = options.time ?? instantTime(Date.parse(today));
  const scene = createScene({ ...options, time });
  const { accounts = ["acme"] } = options;
  // An account without settings is a breach of its own.
  for (const account of accounts) putSettings(scene, account);
  return {
    ...scene,
    audit: (recorded = [], more = {}) =>
      audit({
        ...{ client: scene.client, tool: { name: "modelplatform", version: "1.2.3" }, time, env: {}, cwd: "/" },
        ...(recorded.length === 0 ? { stacks: [], accounts } : { stacks: [recordedStack(recorded)] }),
        ...more,
        rules: { ...decided, ...more.rules },
      }),
  };
}

/** What an audit objects to: `<policy> <resource name>`, in its order. */
export const breachesOf = ({ findings }: DriftReport): string[] =>
  findings.filter(({ verdict }) => verdict === "breach").map(({ ruleId, name }) => `${ruleId.slice(7)} ${name}`);
