import type { DriftReport } from "../../drift/scan/document";
import { withGroups } from "../../drift/scan/finding";
import type { Finding } from "../../drift/scan/finding-document";
import { sampleReport } from "./sample-report";

const chat = sampleReport.findings[0]!;
const replicas = chat.changes[0]!;

/** The deployment `chat` of an account, which somebody gave eight replicas. */
const scaled = (account: string, index: number, rest: Partial<Finding> = {}): Finding => ({
  ...chat,
  ...{ account, fingerprint: `5ca1ed${String(index).padStart(10, "0")}`, urn: null, unverified: [] },
  name: `accounts/${account}/deployments/chat-${index}`,
  stacks: [`acme/shop/${index % 3}`],
  severity: "warning",
  reason: "1 field differs from what is recorded",
  changes: [{ ...replicas, recorded: 2 + (index % 2) }],
  ...rest,
});

/**
 * Fifteen deployments of five accounts that were scaled by hand, one of which has another description besides, and two
 * users who are gone.
 */
export const groupedReport: DriftReport = withGroups({
  ...sampleReport,
  currency: "USD",
  findings: [
    ...Array.from({ length: 15 }, (_, index) => scaled(`account-${index % 5}`, index)).map((finding, index) =>
      index === 3
        ? {
            ...finding,
            reason: "2 fields differ from what is recorded",
            changes: [...finding.changes, chat.changes[2]!],
            hourlyCostChange: "48.5",
            firstSeen: "2026-02-01T02:00:00.000Z",
            dependents: [{ type: "DeployedModel", name: "accounts/account-3/deployedModels/support", urn: null }],
          }
        : finding,
    ),
    ...["ada", "bob"].map((id, index) => ({
      ...sampleReport.findings[2]!,
      ...{ type: "User", name: `accounts/acme/users/${id}`, fingerprint: `90e000000000000${index}` },
    })),
  ],
});
