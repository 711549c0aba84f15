import type { DriftReport } from "../../drift/scan/document";
import type { Finding } from "../../drift/scan/finding-document";
import { modelplatform } from "../cli/terminal";
import { everything } from "./everything";
import type { Site } from "./site";
import { onEachSite } from "./sites";

jest.setTimeout(300_000);

onEachSite((open) => {
  let site: Site;
  beforeEach(async () => void (site = await open()));
  afterEach(() => site.close());

  /** A scan of the site's backend, without the passphrase. */
  async function drift(): Promise<{ code: number; report: DriftReport; findings: Record<string, Finding> }> {
    const { PULUMI_CONFIG_PASSPHRASE: _, ...env } = site.env;
    const { code, stdout, stderr } = await modelplatform("drift --unmanaged --json", {
      cwd: site.folder,
      env: { ...env, XDG_STATE_HOME: site.folder },
    });
    if (stdout === "") throw new Error(stderr);
    const report = JSON.parse(stdout) as DriftReport;
    return {
      code,
      report,
      findings: Object.fromEntries(
        report.findings.map((finding) => [finding.urn?.split("::").at(-1) ?? finding.name, finding]),
      ),
    };
  }

  test("what is brought up is in sync; changed, gone, opened, added is found and healed", async () => {
    await site.up(everything);
    const calm = await drift();
    expect(calm).toMatchObject({
      code: 0,
      report: {
        complete: true,
        summary: { unverifiable: 1, "in-sync": 7, unmanaged: 0 },
        coverage: { managed: 8, total: 8 },
      },
    });
    expect(Object.keys(calm.findings)).toEqual(["storage"]);

    await site.requests();
    await site.tamper(site.resource("chat").id, { maxReplicaCount: 8, replicaCount: 5 });
    await site.tamper(site.resource("ada").id);
    await site.tamper(site.resource("policy").id, {
      zeroDataRetention: { inference: { enforcement: "NOT_ENFORCED" } },
    });
    await site.tamper(site.resource("support").id);
    await site.seed({ "accounts/demo/users/mallory": { email: "mallory@example.com", role: "admin" } });
    const { code, findings } = await drift();
    expect(code).toBe(2);
    expect(findings).toEqual({
      chat: expect.objectContaining({
        verdict: "changed",
        changes: [expect.objectContaining({ path: "maxReplicaCount", recorded: 2, live: 8 })],
      }),
      ada: expect.objectContaining({ verdict: "missing" }),
      policy: expect.objectContaining({ verdict: "changed", ruleId: "drift/loosened", severity: "error" }),
      support: expect.objectContaining({ verdict: "retired" }),
      storage: expect.objectContaining({ verdict: "unverifiable", unverified: ["value"] }),
      "accounts/demo/users/mallory": expect.objectContaining({ verdict: "unmanaged" }),
    });
    expect(await site.writes()).toEqual([]);

    await site.tamper("accounts/demo/users/mallory");
    await site.expect(0, "up --refresh");
    expect(await drift()).toMatchObject({
      code: 0,
      report: { drifted: false, summary: { retired: 1, unverifiable: 1, "in-sync": 6 } },
    });
  });
});
