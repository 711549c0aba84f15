import type { DriftReport } from "../../drift/scan/document";
import type { Finding } from "../../drift/scan/finding-document";
import { RuleIndex } from "../../drift/scan/owner-index";
import { openOwners, withOwner } from "../../drift/scan/owners";
import { teamsOf } from "../../drift/scan/result";

const finding = (more: Partial<Finding> = {}): Finding =>
  ({ account: "acme-7", type: "Deployment", stacks: ["organization/shop/prod"], ...more }) as Finding;

const ownerOf = (rule: object, of: Finding = finding()): string | undefined =>
  openOwners({ owners: [{ team: "search", ...rule }] }, "owners.yaml").ownerOf(of);

test.each<[rule: object, owned: boolean, of?: Partial<Finding>]>([
  [{}, true],
  [{ account: "acme-*" }, true],
  [{ account: "acme" }, false],
  [{ account: ["beta", "acme-?"] }, true],
  [{ stack: "prod" }, true],
  [{ stack: "shop/*" }, true],
  [{ stack: "organization/**" }, true],
  [{ stack: "shop" }, false],
  [{ stack: "*" }, false, { stacks: [] }],
  [{ stack: "prod" }, true, { stacks: [], claimedBy: { stack: "organization/shop/prod", urn: "" } }],
  [{ kind: ["User", "Deployment"] }, true],
  [{ kind: "User" }, false],
  [{ annotation: { "custom/team": "se*" } }, true, { annotations: { "custom/team": "search" } }],
  [{ annotation: { "custom/team": "se*" } }, false, { annotations: { team: "search" } }],
  [{ account: "acme-*", kind: "User" }, false],
])("a rule of %j owns the finding: %s", (...[rule, owned, of]) => {
  expect(ownerOf(rule, finding(of))).toBe(owned ? "search" : undefined);
});

test("the first rule that matches decides, and what none matches is nobody's", () => {
  const owners = openOwners(
    {
      owners: [
        { team: "a", account: "x*" },
        { team: "b", kind: "Deployment" },
        { team: "a", account: "*-7" },
      ],
    },
    "owners.yaml",
  );
  expect([owners.ownerOf(finding()), owners.ownerOf(finding({ type: "User", account: "y" }))]).toEqual([
    "b",
    undefined,
  ]);
  expect(withOwner(finding({ type: "User", account: "y", owner: "before" }), owners)).not.toHaveProperty("owner");
});

test("patterns that match no account or stack of the scan are named", () => {
  const rules = [
    { team: "a", account: ["acme-*", "serch-*"] },
    { team: "b", stack: "staging" },
  ];
  expect(
    openOwners({ owners: rules }, "o").unmatched({ accounts: ["acme-7"], stacks: ["organization/shop/prod"] }),
  ).toEqual([
    { team: "a", part: "account", pattern: "serch-*" },
    { team: "b", part: "stack", pattern: "staging" },
  ]);
});

test.each<[scope: Partial<DriftReport["scope"]>, missing: DriftReport["missing"]]>([
  [{ narrowed: true }, undefined],
  [{ shard: "1/2" }, undefined],
  [{}, [{ part: "stack", name: "staging", reason: "unknown to shard 2/2" }]],
])("of a part, %j, no pattern is named", (scope, missing) => {
  const owners = openOwners({ owners: [{ team: "a", account: "serch-*" }] }, "o");
  const whole = { stacks: [], accounts: ["acme-7"] };
  expect(teamsOf(owners, { scope: whole }).unmatchedOwners).toHaveLength(1);
  expect(teamsOf(owners, { scope: { ...whole, ...scope }, missing }).unmatchedOwners).toBeUndefined();
});

describe("of very many rules, a finding meets few", () => {
  const rules = 1000;
  const numbers = Array.from({ length: rules }, (_, number) => number);
  const findings = Array.from({ length: 5000 }, (_, each) =>
    finding({
      account: `acme-${each % rules}`,
      stacks: [`organization/shop/s${each % rules}`],
      annotations: { "custom/team": `t${each % rules}` },
    }),
  );

  test.each<[string, (number: number) => object]>([
    ["accounts", (number) => ({ account: `acme-${number}` })],
    ["accounts of a kind", (number) => ({ account: `acme-${number}`, kind: "Deployment" })],
    ["beginnings", (number) => ({ account: `acme-${number}*` })],
    ["stacks", (number) => ({ stack: `shop/s${number}` })],
    ["annotations", (number) => ({ annotation: { "custom/team": `t${number}` } })],
  ])("by %s", (_, ruleOf) => {
    const candidates = jest.spyOn(RuleIndex.prototype, "candidates");
    const owners = openOwners({ owners: numbers.map((number) => ({ team: `t${number}`, ...ruleOf(number) })) }, "o");
    const found = findings.map((each) => owners.ownerOf(each));
    expect(new Set(found).size).toBeGreaterThan(1);
    expect(found).not.toContain(undefined);
    const met = candidates.mock.results.reduce((sum, { value }) => sum + (value as number[]).length, 0);
    expect(met / findings.length).toBeLessThanOrEqual(3);
    jest.restoreAllMocks();
  });
});

test.each<[document: unknown, says: string]>([
  [undefined, "is not a file of owners"],
  [{ owners: [] }, "`owners`"],
  [{ owners: [{ team: "a b" }] }, "`owners.0.team`: takes up to 64 letters"],
  [{ owners: [{ team: "a", acount: "x" }] }, "acount"],
  [{ owners: [{ team: "a", annotation: {} }] }, "names no annotation"],
  [{ owners: [{ team: "a" }, { team: "b", kind: "User" }] }, "`owners.0` takes everything"],
  [{ owners: [{ team: "a", kind: "Deploiment" }] }, '`kind` does not know "Deploiment"'],
  [{ owners: [{ team: "search" }], teams: { serch: { notifyEnv: "HOOK" } } }, "did you mean `search`?"],
  [
    { owners: [{ team: "a" }], teams: { a: { notifyEnv: "https://hooks.example.com/t0ken" } } },
    "the name of an environment variable",
  ],
])("a file that would not do what it says is refused: %j", (document, says) => {
  const open = () => openOwners(document, "owners.yaml");
  expect(open).toThrow(says);
  expect(open).not.toThrow("t0ken");
});
