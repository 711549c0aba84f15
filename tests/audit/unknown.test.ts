import { headline } from "../../drift/report/wording";
import type { DriftReport } from "../../drift/scan/document";
import { auditScene } from "./scene";

const settings = "accounts/acme/policySettings";
const eve = "accounts/acme/users/eve";

const verdictsOf = ({ findings }: DriftReport): string[] =>
  findings.map(({ ruleId, verdict, name }) => `${verdict} ${ruleId} ${name}`);

test.each([[null], [undefined], ["owner"], ["superuser"]])(
  "an audit that cannot judge the role %j says so, and ends with 3",
  async (role) => {
    const scene = auditScene();
    scene.put(eve, { email: "eve@example.com", state: "READY", ...(role !== undefined && { role }) });
    const report = await scene.audit();
    expect(verdictsOf(report)).toEqual([`error policy/admins-listed ${eve}`]);
    expect(report).toMatchObject({ exitCode: 3, complete: false, drifted: false });
    expect(headline(report)).not.toContain("No breach");
  },
);

test("a role of another JSON type is an error of its user, and the audit ends with 3", async () => {
  const scene = auditScene();
  const mallory = "accounts/acme/users/mallory";
  scene.put(eve, { email: "eve@example.com", state: "READY", role: 5 });
  scene.put(mallory, { email: "mallory@example.com", state: "READY", role: "admin" });
  const report = await scene.audit();
  expect(report).toMatchObject({ exitCode: 3, complete: false });
  expect(verdictsOf(report).sort()).toEqual([`breach policy/admins-listed ${mallory}`, `error drift/error ${eve}`]);
  expect(report.findings.find(({ name }) => name === eve)?.reason).toContain("role");
  expect(headline(report)).not.toContain("No breach");
});

test.each(["admin", "ADMIN", "admin ", "ROLE_ADMIN"])("an admin is one in the spelling %j", async (role) => {
  const scene = auditScene();
  scene.put(eve, { email: "eve@example.com", state: "READY", role });
  const report = await scene.audit();
  expect(verdictsOf(report)).toEqual([`breach policy/admins-listed ${eve}`]);
  expect(report.exitCode).toBe(2);
});

const withoutSettings = async () => {
  const scene = auditScene();
  await scene.remove(settings);
  return scene;
};

test("an account that never saved settings may be served anywhere: a breach", async () => {
  const report = await (await withoutSettings()).audit();
  expect(verdictsOf(report)).toEqual([`breach policy/residency-required ${settings}`]);
  expect(report).toMatchObject({ exitCode: 2, complete: true });
  expect(report.findings[0]!.reason).toBe("allows any region. Set `residency` to EUROPE.");
});

test.each([[{}], [{ name: settings }], [{ residency: null }], [{ residency: "MULTI_REGION_UNSPECIFIED" }]])(
  "settings that are answered as %j may be served anywhere, too",
  async (body) => {
    const scene = auditScene();
    const fault = { kind: "status", status: 200, body };
    await scene.fault({ match: { operation: "getPolicySettings" }, fault, times: 1000 });
    const report = await scene.audit();
    expect(verdictsOf(report)).toEqual([`breach policy/residency-required ${settings}`]);
  },
);

test.each([
  ["US", "breach", 2],
  ["Europe", "error", 3],
])("settings without a name are judged: %s is a finding with the verdict %s", async (residency, verdict, exitCode) => {
  const scene = auditScene();
  const fault = { kind: "status", status: 200, body: { residency } };
  await scene.fault({ match: { operation: "getPolicySettings" }, fault, times: 1000 });
  const report = await scene.audit();
  expect(verdictsOf(report)).toEqual([`${verdict} policy/residency-required ${settings}`]);
  expect(report.exitCode).toBe(exitCode);
});

test("without the rule, absent settings are nothing", async () => {
  const report = await (await withoutSettings()).audit([], { rules: { "residency-required": "disabled" } });
  expect(report).toMatchObject({ exitCode: 0, findings: [] });
  expect(headline(report)).toBe("No breach");
});

test.each([
  [403, { code: 7, message: "no" }],
  [404, { message: "no route" }],
  [404, { code: 12, message: "no route" }],
  [503, { code: 14, message: "later" }],
])("settings that %i %j answers for are unknown", async (status, body) => {
  const scene = auditScene();
  await scene.fault({
    match: { operation: "getPolicySettings" },
    fault: { kind: "status", status, body },
    times: 1000,
  });
  const report = await scene.audit();
  expect(report).toMatchObject({ exitCode: 3, complete: false });
  expect(headline(report)).not.toContain("No breach");
});
