import { formats } from "../../../drift/report/formats";
import type { DriftReport } from "../../../drift/scan/document";
import type { Values } from "../../values";
import { createScene, keyOf } from "../support/scene";
import { type RecordedResource, recordedStack, secretText } from "../support/stacks";

/** A canary in every place where a secret may be, told apart by the place. */
const canary = (place: string): string => `canary-${place}/Zz?~9f3b`;
const places = [
  "recorded-plain",
  "recorded-plain-old",
  "live-route",
  "live-secret",
  "live-tracking",
  "recorded-tracking",
  "signed-url",
  "unmanaged-secret",
];
const spellings = (secret: string): string[] => [
  secret,
  Buffer.from(secret).toString("base64").replace(/=+$/, ""),
  encodeURIComponent(secret),
  JSON.stringify(secret).slice(1, -1),
];

const base = "accounts/platform/models/open-8b";
const time = "2026-01-01T00:00:00Z";
const plain = (text: string): Values => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  plaintext: JSON.stringify(text),
});

/**
 * A world in which whatever can be secret has drifted, and an account whose service
 * answers with the key that it was asked with.
 */
async function leakyReport(): Promise<DriftReport> {
  const scene = createScene({ accounts: ["acme", "globex"] });
  const chat = {
    name: "accounts/acme/deployments/chat",
    baseModel: base,
    maxReplicaCount: 2,
    state: "READY",
    createTime: time,
    updateTime: time,
  };
  const batch = { ...chat, name: "accounts/acme/deployments/batch" };
  const secret = { name: "accounts/acme/secrets/storage", keyName: "STORAGE", createTime: time, updateTime: time };
  const job = {
    name: "accounts/acme/supervisedFineTuningJobs/tickets",
    baseModel: base,
    dataset: "accounts/acme/datasets/t",
    state: "JOB_STATE_COMPLETED",
    createTime: time,
    updateTime: time,
  };
  const tracking = (apiKey: unknown): Values => ({ enabled: true, apiKey, project: "p" });
  const ada = { name: "accounts/globex/users/ada", email: "ada@example.com", role: "user", state: "READY" };
  const recorded: RecordedResource[] = [
    {
      kind: "Deployment",
      inputs: { baseModel: base, maxReplicaCount: 4, directRouteApiKeys: plain(canary("recorded-plain")) },
      live: chat,
    },
    {
      kind: "Deployment",
      inputs: { baseModel: base, directRouteApiKeys: [canary("recorded-plain-old"), secretText("v1:abc")] },
      live: batch,
    },
    { kind: "Secret", inputs: { keyName: "STORAGE", value: secretText("v1:def") }, live: secret },
    {
      kind: "SupervisedFineTuningJob",
      inputs: {
        baseModel: base,
        dataset: "accounts/acme/datasets/t",
        trackingConfig: tracking(canary("recorded-tracking")),
      },
      live: job,
    },
    { kind: "User", inputs: { email: "ada@example.com", role: "user" }, live: ada },
  ];
  scene.put(chat.name, { ...chat, directRouteApiKeys: [canary("live-route")] });
  scene.put(batch.name, { ...batch, directRouteApiKeys: [canary("live-route")] });
  scene.put(secret.name, { ...secret, keyName: "RENAMED", value: canary("live-secret") });
  scene.put(job.name, {
    ...job,
    displayName: "other",
    trackingConfig: tracking(canary("live-tracking")),
    trainerLogsSignedUrl: `https://logs.example/x?sig=${canary("signed-url")}`,
  });
  scene.put("accounts/acme/models/tickets", { kind: "HUB_PEFT_ADDON", state: "READY" });
  scene.put("accounts/acme/secrets/by-hand", {
    ...secret,
    name: "accounts/acme/secrets/by-hand",
    value: canary("unmanaged-secret"),
  });
  await scene.fault({
    match: { account: "globex" },
    fault: {
      kind: "status",
      status: 403,
      body: { code: 7, message: `key ${keyOf("globex")} is refused; authorization: Bearer ${keyOf("globex")}` },
    },
    times: 100,
  });
  return scene.scan([recordedStack(recorded)], { unmanaged: true, all: true, accounts: ["acme", "globex"] });
}

let report: DriftReport;
beforeAll(async () => {
  report = await leakyReport();
});

test("the world has what could leak", () => {
  expect(report.findings.map(({ name, verdict, unverified }) => [name, verdict, unverified])).toEqual([
    ["accounts/acme/deployments/batch", "unverifiable", ["directRouteApiKeys"]],
    ["accounts/acme/deployments/chat", "changed", ["directRouteApiKeys"]],
    ["accounts/acme/secrets/by-hand", "unmanaged", []],
    ["accounts/acme/secrets/storage", "changed", ["value"]],
    ["accounts/acme/supervisedFineTuningJobs/tickets", "in-sync", []],
    ["accounts/globex/users/ada", "forbidden", []],
  ]);
  expect(report.findings.at(-1)!.reason).toContain('"key [redacted] is refused; authorization: Bearer [redacted]"');
});

test.each(Object.keys(formats))("no secret is in the report as %s, in no spelling", (name) => {
  const text = formats[name]!.render(report, { columns: 120, color: false });
  const secrets = [...places.map(canary), keyOf("globex"), keyOf("acme")];
  expect(secrets.flatMap(spellings).filter((spelling) => text.includes(spelling))).toEqual([]);
});
