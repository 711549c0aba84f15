import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEmulator, type Emulator } from "../../emulator/index";
import { exported } from "../drift/support/stacks";
import type { Values } from "../values";
import { type CommandOutput, modelplatform, temporaryFolder } from "./terminal";

const prices = JSON.stringify({ currency: "USD", accelerators: [{ type: "VENDOR1_H100_80GB", hourly: 4 }] });
const inputs = {
  baseModel: "accounts/platform/models/open-8b",
  acceleratorType: "VENDOR1_H100_80GB",
  acceleratorCount: 1,
  maxReplicaCount: 2,
};
const nameOf = (id: string): string => `accounts/demo/deployments/${id}`;
const liveOf = (id: string, more: Values = {}): Values => ({ name: nameOf(id), ...inputs, state: "READY", ...more });

let emulator: Emulator;
let url: string;

beforeEach(async () => {
  emulator = createEmulator({ clock: "manual" });
  ({ url } = await emulator.listen({ port: 0 }));
  const put = (id: string, more: Values = {}): void =>
    emulator.world.put({ kind: "Deployment", name: nameOf(id), fields: liveOf(id, more) });
  put("described", { description: "changed by hand" });
  put("raised-a-bit", { maxReplicaCount: 3 });
  put("raised-a-lot", { maxReplicaCount: 8 });
  put("forgotten", { maxReplicaCount: 5 });
});
afterEach(() => emulator.close());

function drift(
  flags: string,
  env: { [name: string]: string } = { MODELPLATFORM_PRICES: prices },
): Promise<CommandOutput> {
  const cwd = temporaryFolder();
  const recorded = ["described", "raised-a-bit", "raised-a-lot", "gone"].map((id) => ({
    kind: "Deployment",
    inputs: { ...inputs, ...(id === "described" && { description: "answers" }) },
    live: liveOf(id),
    outputs: { endpoint: url },
  }));
  writeFileSync(join(cwd, "prod.json"), JSON.stringify(exported(recorded)));
  const around = {
    MODELPLATFORM_ACCOUNT_ID: "demo",
    MODELPLATFORM_API_KEY: "demo-key",
    MODELPLATFORM_BASE_URL: url,
    XDG_STATE_HOME: join(cwd, "state"),
  };
  return modelplatform(`drift --stack-file prod.json --unmanaged ${flags}`, { cwd, env: { ...around, ...env } });
}

interface Told {
  currency?: string;
  findings: { name: string; hourlyCostChange?: string }[];
}

test("a finding says what the difference costs per hour, where it costs something", async () => {
  const { currency, findings } = JSON.parse((await drift("--json")).stdout) as Told;
  expect(currency).toBe("USD");
  // 4.00 for each replica more or less: 3 − 2 = 1, 8 − 2 = 6, 0 − 2 = −2, and 5 of what no stack has
  expect(Object.fromEntries(findings.map(({ name, hourlyCostChange }) => [name, hourlyCostChange]))).toEqual({
    [nameOf("described")]: undefined,
    [nameOf("raised-a-bit")]: "4",
    [nameOf("raised-a-lot")]: "24",
    [nameOf("gone")]: "-8",
    [nameOf("forgotten")]: "20",
  });
});

test("of one severity, the dearest difference comes first, in words with the currency", async () => {
  const { stdout } = await drift("");
  expect(stdout).toMatch(/raised-a-lot.*costs 24\.00 USD more per hour.*raised-a-bit.*costs 4\.00 USD more per hour/s);
  expect(stdout).toMatch(/gone.*costs 8\.00 USD less per hour/s);
  const markdown = (await drift("--format markdown")).stdout;
  expect(markdown).toMatch(/raised&#45;a&#45;lot|raised-a-lot/);
  expect(markdown).toMatch(/costs 24.00 USD more per hour<\/summary>/);
});

test("without prices costs are left out", async () => {
  const { stdout } = await drift("--json", {});
  expect(stdout).not.toMatch(/hourlyCostChange|"currency"/);
});
