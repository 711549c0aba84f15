import { remediesOfAll } from "../../../drift/report/context";
import { causeRowsOf, type GroupRow } from "../../../drift/report/page-rows";
import { describeFinding, rowText, totalCost } from "../../../drift/report/values";
import { groupsOf } from "../../../drift/scan/finding";
import type { Change, Finding } from "../../../drift/scan/finding-document";
import { sampleReport } from "../sample-report";

const [{ suppressed: _, ...sample }] = sampleReport.findings as [Finding];

const change = (path: string, recorded: unknown, live: unknown): Change => ({
  ...{ path, kind: "changed", recorded, live },
  ...{ severity: "warning", managed: true },
});
const replicas = change("maxReplicaCount", 2, 8);
const drifted = (given: Partial<Finding>): Finding => ({
  ...sample,
  ...{
    type: "Deployment",
    verdict: "changed",
    ruleId: "drift/changed",
    reason: "1 field differs from what is recorded",
  },
  ...{ changes: [replicas] },
  ...given,
});

test.each<[string, Partial<Finding>, string]>([
  ["a count becomes the field and its values", {}, "maxReplicaCount 2 → 8"],
  [
    "a duration has one form on both sides",
    { changes: [change("autoscalingPolicy.scaleDownWindow", "10m", "900s")] },
    "autoscalingPolicy.scaleDownWindow 10m → 15m",
  ],
  [
    "of many fields three are named",
    {
      reason: "5 fields differ from what is recorded",
      changes: [1, 2, 3, 4, 5].map((each) => change(`f${each}`, each, each + 1)),
    },
    "f1 1 → 2, f2 2 → 3, f3 3 → 4 and 2 more",
  ],
  ["a long value is cut", { changes: [change("a", "x".repeat(60), 1)] }, `a ${"x".repeat(39)}… → 1`],
  [
    "words before it stay",
    { reason: "was created by a job of the stack; 1 field differs from what is recorded" },
    "was created by a job of the stack; maxReplicaCount 2 → 8",
  ],
  ["a reason that says more stays", { reason: "has failed: no accelerators" }, "has failed: no accelerators"],
])("%s", (_, given, expected) => expect(describeFinding(drifted(given))).toBe(expected));

test("a row says what it costs, and the head what all that counts costs", () => {
  const dear = drifted({ hourlyCostChange: "48" });
  const cheap = drifted({ hourlyCostChange: "-8.5" });
  const accepted = drifted({
    hourlyCostChange: "100",
    suppressed: { by: "baseline", owner: null, reason: null, expires: null },
  });
  expect(rowText(dear, "USD")).toBe("maxReplicaCount 2 → 8; costs 48.00 USD more per hour");
  expect(totalCost({ findings: [dear, cheap, accepted], currency: "USD" })).toBe("drift costs 39.50 USD more per hour");
  expect(totalCost({ findings: [drifted({})] })).toBeUndefined();
});

test("a cause is accepted with a command per program, and reverted with one per stack", () => {
  const urnOf = (name: string) => `urn:pulumi:prod::shop::modelplatform:index:Deployment::${name}`;
  const members = [
    drifted({ urn: urnOf("a"), stacks: ["o/shop/prod"] }),
    drifted({ urn: urnOf("b"), stacks: ["o/base/prod"] }),
    drifted({ urn: urnOf("c"), stacks: ["o/shop/prod"] }),
    drifted({ urn: urnOf("c"), stacks: ["o/shop/dev"] }),
    drifted({ urn: urnOf("d"), stacks: ["o/shop/prod"], verdict: "error", ruleId: "drift/error", changes: [] }),
  ];
  expect(remediesOfAll(members, sampleReport).map(({ text }) => text.split("\n"))).toEqual([
    [
      `npx pulumi-modelplatform accept --stack=o/shop/prod --only=${urnOf("a")} --only=${urnOf("c")} --stack=o/shop/dev --write`,
      `npx pulumi-modelplatform accept --stack=o/base/prod --only=${urnOf("b")} --write`,
    ],
    [
      `pulumi up --refresh --stack=o/shop/prod --target=${urnOf("a")} --target=${urnOf("c")}`,
      `pulumi up --refresh --stack=o/base/prod --target=${urnOf("b")}`,
      `pulumi up --refresh --stack=o/shop/dev --target=${urnOf("c")}`,
    ],
  ]);
});

test("of a cause that two teams share, the page of one has its own commands and facts", () => {
  const members = ["search", "serving"].map((owner, place) =>
    drifted({
      ...{ owner, fingerprint: `f${place}`, account: `acme-${owner}`, stacks: [`o/${owner}/prod`] },
      urn: `urn:pulumi:prod::${owner}::modelplatform:index:Deployment::chat`,
    }),
  );
  const report = { ...sampleReport, accounts: [], findings: members, groups: groupsOf(members) };
  const [row] = causeRowsOf(report, { columns: 80, color: false }) as [GroupRow];
  const said = (part: object): boolean[] => ["search", "serving"].map((team) => JSON.stringify(part).includes(team));
  expect(said([row.remedies, row.facts])).toEqual([true, true]);
  expect(row.byOwner.map(([owner, part]) => [owner, ...said(part)])).toEqual([
    ["search", true, false],
    ["serving", false, true],
  ]);
});
