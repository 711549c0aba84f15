import { maskedFinding } from "../../drift/scan/finding";
import { SecretMatcher } from "../../io/masking/matcher";
import { createRedactor, redacted } from "../../provider/core/redact";
import { sampleReport } from "./sample-report";
import { createScene } from "./support/scene";
import type { RecordedResource } from "./support/stacks";

const time = "2026-01-01T00:00:00Z";
const inputs = { baseModel: "accounts/platform/models/open-8b", maxReplicaCount: 2 };
const deployment = (id: string, maxReplicaCount: number) => ({
  ...{ name: `accounts/acme/deployments/${id}`, ...inputs, maxReplicaCount, state: "READY" },
  ...{ createTime: time, updateTime: time },
});

afterEach(() => jest.restoreAllMocks());

/** Texts that a scan of some changed deployments looks through for secrets, letter by letter. */
async function textsRead(ids: readonly string[]): Promise<string[]> {
  const scene = createScene();
  const recorded = ids.map((id): RecordedResource => ({ kind: "Deployment", inputs, live: deployment(id, 2) }));
  for (const id of ids) scene.put(`accounts/acme/deployments/${id}`, deployment(id, 3));
  const mask = jest.spyOn(SecretMatcher.prototype, "mask");
  const { findings } = await scene.scan(recorded);
  expect(findings).toHaveLength(ids.length);
  return mask.mock.calls.map(([text]) => text);
}

test("a scan masks no text twice", async () => {
  const texts = await textsRead(["chat", "code", "docs"]);
  expect(texts.length).toBeGreaterThan(0);
  expect(texts.filter((text, index) => texts.indexOf(text) < index)).toEqual([]);
});

test("a scan looks for no secret in words of this package", async () => {
  const own = [
    "fingerprint",
    "ruleId",
    "verdict",
    "changed",
    "severity",
    "warning",
    "Deployment",
    "changes",
    "managed",
  ];
  const texts = await textsRead(["chat"]);
  expect(own.filter((word) => texts.includes(word))).toEqual([]);
});

test("whatever else a finding has is masked, and members that are added to it later", () => {
  const key = "Zq7-vault-4h/K+9x=wM2pT6rB8n";
  const path = `annotations.${key}`;
  const change = { path, kind: "changed", recorded: { [key]: key }, live: [key], severity: "warning", managed: true };
  const others = { name: key, urn: key, stacks: [key], reason: `is ${key}`, account: key, updateTime: key, later: key };
  const finding = { ...sampleReport.findings[0], ...others, changes: [change] } as Parameters<typeof maskedFinding>[0];
  const shown = maskedFinding(finding, createRedactor([key]));
  expect(JSON.stringify(shown)).not.toContain(key);
  expect(shown).toMatchObject({ name: redacted, changes: [{ kind: "changed", live: [redacted] }], later: redacted });
});
