import type { Finding } from "../../drift/scan/finding-document";
import { createScene } from "./support/scene";
import type { RecordedResource } from "./support/stacks";

const inputs = { baseModel: "accounts/platform/models/open-8b", maxReplicaCount: 2 };
const deployment = (account: string, maxReplicaCount = 2) => ({
  name: `accounts/${account}/deployments/chat`,
  ...inputs,
  maxReplicaCount,
  state: "READY",
});
const recorded = (account: string): RecordedResource => ({ kind: "Deployment", inputs, live: deployment(account) });

test("an account's findings are told while another one is still being read", async () => {
  let told: (findings: readonly Finding[]) => void;
  const first = new Promise<readonly Finding[]>((resolve) => void (told = resolve));
  const scene = createScene({
    accounts: ["acme", "beta"],
    travel: async ({ account }) => {
      if (account === "acme") await first;
    },
  });
  for (const account of ["acme", "beta"]) scene.put(deployment(account).name, deployment(account, 9));
  const said: string[] = [];
  const report = await scene.scan([recorded("acme"), recorded("beta")], {
    stream: {
      begin: ({ scope }) => void said.push(`begin ${scope.accounts.join()}`),
      found: (findings) => {
        said.push(...findings.map(({ name }) => name));
        told(findings);
      },
    },
  });
  expect(said).toEqual(["begin acme,beta", deployment("beta").name, deployment("acme").name]);
  expect(report.findings.map(({ account }) => account)).toEqual(["acme", "beta"]);
});

test("a finding says what stacks record in other accounts that needs it", async () => {
  const model = { name: "accounts/acme/models/base", kind: "HF_BASE_MODEL", state: "READY", public: true };
  const made = { baseModel: model.name, maxReplicaCount: 2 };
  const live = { name: "accounts/beta/deployments/chat", ...made, state: "READY" };
  const scene = createScene({ accounts: ["acme", "beta"] });
  scene.put(live.name, live);
  const told: Finding[] = [];
  await scene.scan(
    [
      { kind: "Model", inputs: { kind: "HF_BASE_MODEL" }, live: model },
      { kind: "Deployment", inputs: made, live },
    ],
    { stream: { begin: () => {}, found: (findings) => void told.push(...findings) } },
  );
  expect(told.find(({ name }) => name === model.name)).toMatchObject({
    verdict: "missing",
    dependents: [{ type: "Deployment", name: live.name, urn: expect.stringContaining("::chat") }],
  });
});

test("reasons not to count stand in what is told", async () => {
  const scene = createScene();
  scene.put(deployment("acme").name, deployment("acme", 9));
  const told: Finding[] = [];
  const accepted = { by: "ignore", owner: null, reason: "all", expires: null } as const;
  await scene.scan([recorded("acme")], {
    suppressors: [() => accepted],
    stream: { begin: () => {}, found: (findings) => void told.push(...findings) },
  });
  expect(told).toMatchObject([{ suppressed: accepted }]);
});
