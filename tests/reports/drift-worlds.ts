import type { DriftReport, Retirement } from "../../drift/scan/document";
import { withGroups } from "../../drift/scan/finding";
import type { Finding } from "../../drift/scan/finding-document";
import { groupedReport } from "../drift/grouped-report";
import { hostileTexts } from "../drift/report/hostile-report";
import { sampleReport } from "../drift/sample-report";

const [chat, policy] = sampleReport.findings as [Finding, Finding];

const retirements: Retirement[] = [
  {
    model: "accounts/platform/models/open-8b",
    day: "2026-02-01",
    severity: "warning",
    objects: Array.from({ length: 7 }, (_, index) => concerned(`accounts/acme/deployments/chat-${index}`)),
  },
  {
    model: "accounts/platform/models/open-70b",
    day: "2026-05-01",
    severity: "note",
    objects: [concerned("accounts/acme/deployments/search")],
  },
];

/** Every verdict, causes that findings share, dates, costs, and every kind of warning. */
const everything: DriftReport = withGroups({
  ...groupedReport,
  findings: [
    { ...sampleReport.findings[0]!, hourlyCostChange: "-1200.5", ...seen(3), dependents: needed(7) },
    {
      ...policy,
      ruleId: "drift/loosened",
      acceptDrift: "3f8e0c1b",
      changedBetween: { after: "2026-02-27T10:00:00Z", before: "2026-02-28T23:11:02Z" },
    },
    ...sampleReport.findings.slice(2),
    ...groupedReport.findings,
  ],
  leftOut: 2,
  summary: { ...sampleReport.summary, unmanaged: 3 },
  accounts: sampleReport.accounts.map((account) => ({
    ...account,
    collections: account.collections.map((collection) => ({ ...collection, read: 7 })),
  })),
  unusable: [{ stack: "acme/shop/prod", urn: chat.urn!, reason: "has the id `x`, which names no object" }],
  retirements,
  unreadModels: [{ model: "accounts/platform/models/closed", reason: "getModel answered 403" }],
  deprecatedFields: [
    {
      type: "Deployment",
      path: "oldField",
      says: "use `newField`",
      objects: [concerned("accounts/acme/deployments/chat")],
    },
  ],
});

function seen(timesSeen: number): Partial<Finding> {
  return { firstSeen: "2026-02-01T02:00:00.000Z", timesSeen };
}

function needed(count: number): NonNullable<Finding["dependents"]> {
  return Array.from({ length: count }, (_, index) => ({
    type: "DeployedModel",
    name: `accounts/acme/deployedModels/support-${index}`,
    urn: null,
  }));
}

function concerned(name: string) {
  return { name, type: "Deployment", urn: null, stacks: ["acme/shop/prod"] };
}

const nothing: DriftReport = {
  ...{ schemaVersion: 1, tool: sampleReport.tool, startedAt: sampleReport.startedAt },
  finishedAt: "2026-03-01T02:01:41.250Z",
  ...{ complete: true, drifted: false, exitCode: 0 },
  scope: { stacks: ["acme/shop/prod"], accounts: ["acme"] },
  summary: {
    ...Object.fromEntries(Object.keys(sampleReport.summary).map((verdict) => [verdict, 0])),
    "in-sync": 1,
  } as DriftReport["summary"],
  coverage: { managed: 1, total: 1 },
  accounts: [{ account: "acme", origin: chat.origin, status: "read", requests: 1, collections: [] }],
  findings: [],
};

/** An account and a breach, models that are taken down, a policy without a decision, and one that ended in an error. */
const audit: DriftReport = {
  ...nothing,
  retirements,
  ...{ complete: false, drifted: true, exitCode: 2 },
  summary: { ...nothing.summary, breach: 1, error: 1 },
  policies: [{ name: "admins-listed", description: "Only users on the list are admins.", level: "mandatory" }],
  unconfiguredPolicies: [
    { name: "regions", description: "Regions.", configuration: { regions: { allowed: ["EUROPE", "<b>"] } } },
    { name: "owners", description: "Owners.", configuration: { owners: "mandatory" } },
  ],
  failedPolicies: [{ name: "max-hourly-cost", reason: "A ceiling needs prices", times: 1 }],
  findings: [
    {
      ...sampleReport.findings[8]!,
      ...{ verdict: "breach", ruleId: "policy/admins-listed", severity: "error", account: "acme" },
      reason: "`eve` is an admin and not on the list",
    },
    { ...sampleReport.findings[9]!, reason: "`role` has a value that the policy cannot judge" },
  ],
};

const text = (index: number): string => hostileTexts[index % hostileTexts.length]!;

/** Each text of another hostile one. */
const hostileFinding = (index: number): Finding => ({
  ...chat,
  fingerprint: text(index),
  ruleId: `drift/${text(index + 1)}`,
  account: text(index + 2),
  type: text(index + 3),
  name: `accounts/${text(index + 2)}/deployments/${text(index + 4)}`,
  stacks: [text(index + 5), text(index + 6)],
  reason: text(index + 7),
  unverified: [text(index + 8)],
  dependents: [{ type: text(index), name: null, urn: text(index + 1) }],
  changes: [
    {
      ...{ path: text(index + 9), kind: "changed", severity: "error", managed: false },
      ...{ recorded: text(index + 10), live: { [text(index + 11)]: [text(index + 12)] } },
    },
  ],
});

const hostile: DriftReport = {
  ...sampleReport,
  tool: { name: text(0), version: text(1) },
  accounts: [{ ...sampleReport.accounts[1]!, account: text(4) }],
  findings: [
    hostileFinding(0),
    { ...hostileFinding(9), suppressed: { by: "baseline", owner: text(2), reason: text(3), expires: text(4) } },
  ],
  resolved: [{ fingerprint: "1", verdict: "changed", type: "User", name: text(16) }],
  staleBaseline: [{ name: text(9), path: text(10), owner: text(11), reason: "", expires: "", why: "unmatched" }],
};

/** More than the comment of a forge takes. */
export const longDrift: DriftReport = {
  ...sampleReport,
  findings: Array.from({ length: 200 }, (_, index) => ({
    ...chat,
    fingerprint: `${index}`,
    name: `accounts/acme/deployments/chat-${index}`,
    ...(index % 2 === 0 ? { verdict: "missing" as const, ruleId: "drift/missing" } : {}),
  })),
};

export const driftWorlds: Readonly<Record<string, DriftReport>> = { everything, nothing, audit, hostile };
