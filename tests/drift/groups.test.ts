import fc from "fast-check";
import type { DriftReport } from "../../drift/scan/document";
import { groupsOf, withGroups } from "../../drift/scan/finding";
import type { Change, Finding } from "../../drift/scan/finding-document";
import { mergeReports } from "../../drift/scan/merge";
import { sinceEarlier } from "../../drift/scan/result";
import { isNightly, longerAtNight } from "../nightly";
import type { Values } from "../values";
import { sampleReport } from "./sample-report";
import { createScene } from "./support/scene";
import { type RecordedResource, recordedStack } from "./support/stacks";

const base = "accounts/platform/models/open-8b";
const time = "2026-01-01T00:00:00Z";

/** What somebody has done to some objects of one kind: values of fields that no other cause touches. */
interface Planted {
  kind: string;
  values: Values;
  /** Places in the list of objects of that kind. */
  members: ReadonlySet<number>;
}

const kinds: Readonly<Record<string, { collection: string; live: (index: number) => Values; inputs: string[] }>> = {
  Deployment: {
    collection: "deployments",
    live: () => ({
      baseModel: base,
      displayName: "recorded",
      description: "recorded",
      minReplicaCount: 1,
      maxReplicaCount: 2,
      pricingPlanId: "standard",
      state: "READY",
    }),
    inputs: ["baseModel", "displayName", "description", "minReplicaCount", "maxReplicaCount", "pricingPlanId"],
  },
  User: {
    collection: "users",
    live: (index) => ({ email: `user-${index}@example.com`, role: "user", displayName: "recorded", state: "READY" }),
    inputs: ["email", "role", "displayName"],
  },
};

/** Values that a cause may give a field, besides the recorded one. */
const fields: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = {
  Deployment: {
    displayName: ["a", "b"],
    description: ["a", "b", "c"],
    minReplicaCount: [2],
    maxReplicaCount: [4, 8],
    pricingPlanId: ["gold"],
  },
  User: { role: ["admin", "contributor"], displayName: ["x", "y"] },
};

/** Causes of which no two touch the same field of the same object, nor the same objects. */
function causesFor(kind: string, objects: number): fc.Arbitrary<Planted[]> {
  const indexes = Array.from({ length: objects }, (_, index) => index);
  const parts = Object.entries(fields[kind]!).map(([field, values]) =>
    fc
      .array(fc.integer({ min: -1, max: values.length - 1 }), { minLength: objects, maxLength: objects })
      .map((chosen) =>
        values.map((value, place) => ({
          field,
          value,
          members: indexes.filter((index) => chosen[index] === place),
        })),
      ),
  );
  return fc.tuple(...parts).map((all) => {
    const causes = new Map<string, Planted>();
    for (const { field, value, members } of all.flat()) {
      const same = causes.get(members.join()) ?? { kind, values: {}, members: new Set(members) };
      if (members.length > 0) causes.set(members.join(), { ...same, values: { ...same.values, [field]: value } });
    }
    return [...causes.values()];
  });
}

const nameOf = (kind: string, index: number, accounts: number): string =>
  `accounts/a${index % accounts}/${kinds[kind]!.collection}/o${index}`;

/** A group as the simulation knows it. */
const known = (values: Values, names: readonly string[]): string =>
  JSON.stringify([Object.entries(values).sort(), [...names].sort()]);

const told = ({ findings, groups = [] }: DriftReport): string[] => {
  const names = new Map(findings.map(({ fingerprint, name }) => [fingerprint, name]));
  return groups
    .filter(({ verdict }) => verdict === "changed")
    .map(({ changes, members }) =>
      known(
        Object.fromEntries(changes.map(({ path, live }) => [path, live])),
        members.map((member) => names.get(member)!),
      ),
    )
    .sort();
};

longerAtNight(() => {
  test("planted causes over many accounts are exactly the groups", async () => {
    const accounts = isNightly ? 60 : 12;
    const size = accounts * 3;
    const worlds = fc.record({ Deployment: causesFor("Deployment", size), User: causesFor("User", size) });
    await fc.assert(
      fc.asyncProperty(worlds, async (planted) => {
        const scene = createScene({ accounts: Array.from({ length: accounts }, (_, index) => `a${index}`) });
        const causes = Object.values(planted).flat();
        const stacks = new Map<string, RecordedResource[]>();
        for (const [kind, { live, inputs }] of Object.entries(kinds))
          for (let index = 0; index < size; index++) {
            const name = nameOf(kind, index, accounts);
            const recorded: Values = { name, ...live(index), createTime: time, updateTime: time };
            const mine = causes.filter((cause) => cause.kind === kind && cause.members.has(index));
            scene.put(name, Object.assign({}, recorded, ...mine.map(({ values }) => values)) as Values);
            const given = Object.fromEntries(inputs.map((input) => [input, recorded[input]]));
            const stack = `s${index % 5}`;
            stacks.set(stack, [...(stacks.get(stack) ?? []), { kind, inputs: given, live: recorded }]);
          }
        const report = await scene.scan([...stacks].map(([stack, objects]) => recordedStack(objects, { stack })));
        const expected = causes
          .filter(({ members }) => members.size > 1)
          .map(({ kind, values, members }) =>
            known(
              values,
              [...members].map((index) => nameOf(kind, index, accounts)),
            ),
          );
        expect(told(report)).toEqual(expected.sort());
        expect(report.summary.changed).toBe(
          new Set(causes.flatMap(({ kind, members }) => [...members].map((index) => `${kind} ${index}`))).size,
        );
      }),
      { numRuns: isNightly ? 6 : 3 },
    );
  });
});

const change = (path: string, live: unknown, rest: Partial<Change> = {}): Change => ({
  ...{ path, kind: "changed", recorded: 2, severity: "warning", managed: true },
  ...(live !== undefined && { live }),
  ...rest,
});

let count = 0;
const finding = (account: string, changes: Change[], rest: Partial<Finding> = {}): Finding => {
  const id = `d${count++}`;
  return {
    fingerprint: id.padStart(16, "0"),
    ruleId: "drift/changed",
    verdict: "changed",
    severity: "warning",
    account,
    origin: "https://api.example.com",
    type: "Deployment",
    name: `accounts/${account}/deployments/${id}`,
    urn: null,
    stacks: ["shop/prod"],
    reason: "1 field differs from what is recorded",
    updateTime: null,
    unverified: [],
    changes,
    ...rest,
  };
};

const report = (findings: readonly Finding[]): DriftReport => withGroups({ ...sampleReport, findings: [...findings] });

test("a finding names the first of its groups, and one that shares nothing names none", () => {
  const [both, grave, light, alone] = [
    finding("acme", [change("maxReplicaCount", 8), change("description", "x", { severity: "error" })]),
    finding("globex", [change("description", "x", { severity: "error" })]),
    finding("globex", [change("maxReplicaCount", 8)]),
    finding("globex", [change("maxReplicaCount", 9)]),
  ];
  const { findings, groups } = report([both, grave, light, alone]);
  expect(groups!.map(({ changes, members }) => [changes.map(({ path }) => path), members])).toEqual([
    [["description"], [both.fingerprint, grave.fingerprint]],
    [["maxReplicaCount"], [both.fingerprint, light.fingerprint]],
  ]);
  expect(findings.map(({ group }) => group)).toEqual([groups![0]!.id, groups![0]!.id, groups![1]!.id, undefined]);
});

test("a group says which fields differ, and a reason that all members give instead", () => {
  const both = (account: string, reason?: string) => {
    const changes = [change("maxReplicaCount", 8), change("description", "x")];
    return finding(account, changes, { reason: reason ?? "2 fields differ from what is recorded" });
  };
  const [named] = groupsOf([both("acme"), both("globex")]);
  expect(named!.reason).toBe("`maxReplicaCount`, `description` differ from what is recorded");
  const [opened] = groupsOf([both("acme", "opens up what it did not"), both("globex", "opens up what it did not")]);
  expect(opened!.reason).toBe("opens up what it did not");
});

test("what stacks have recorded may differ, and is then told as various", () => {
  const [group] = groupsOf([
    finding("acme", [change("maxReplicaCount", 8, { recorded: 2 })]),
    finding("globex", [change("maxReplicaCount", 8, { recorded: 3, managed: false })]),
  ]);
  expect(group!.changes).toEqual([
    { path: "maxReplicaCount", kind: "changed", live: 8, severity: "warning", managed: false, various: ["recorded"] },
  ]);
});

test("the members' own accounts count as one, in paths, names of members and values", () => {
  const of = (account: string) =>
    finding(account, [
      change(`rules["accounts/${account}/models/m"].allow`, { model: `accounts/${account}/models/m`, at: [account] }),
    ]);
  const groups = groupsOf([of("acme"), of("globex")]);
  // The account alone, outside of a name, is a text like another.
  expect(groups).toEqual([]);
  const named = (account: string) =>
    finding(account, [change(`rules["accounts/${account}/models/m"].model`, `accounts/${account}/models/m`)]);
  expect(groupsOf([named("acme"), named("globex")])[0]!.changes).toEqual([
    expect.objectContaining({
      path: 'rules["accounts/{account}/models/m"].model',
      live: "accounts/{account}/models/m",
    }),
  ]);
});

test("a list without an order is the same in any order, and one with an order is not", () => {
  const regions = (account: string, ...live: string[]) =>
    finding(account, [change("placement.regions", live, { recorded: [] })]);
  expect(groupsOf([regions("acme", "US", "EU"), regions("globex", "EU", "US")])).toHaveLength(1);
  const texts = (account: string, ...live: string[]) => finding(account, [change("other", live)]);
  expect(groupsOf([texts("acme", "US", "EU"), texts("globex", "EU", "US")])).toEqual([]);
});

test("secrets are grouped whatever their values, which no group shows", () => {
  const secret = (account: string, value: string) =>
    finding(account, [
      change("directRouteApiKeys", { redacted: true, value }, { recorded: { redacted: true, value: `old-${value}` } }),
    ]);
  const groups = groupsOf([secret("acme", "one"), secret("globex", "one"), secret("initech", "another")]);
  expect(groups.map(({ members }) => members.length)).toEqual([3]);
  expect(JSON.stringify(groups)).not.toMatch(/one|another|old-/);
  // As its id would be a hash of it.
  expect(groupsOf([secret("acme", "a"), secret("globex", "b")])[0]!.id).toBe(groups[0]!.id);
});

test("objects that were made again under their names are one group, whenever that was", () => {
  const remade = (account: string, live: string) =>
    finding(account, [change("createTime", live, { severity: "error" })], {
      ruleId: "drift/remade",
      type: "Deployment",
    });
  const groups = groupsOf([remade("acme", "2026-01-01T00:00:00Z"), remade("globex", "2026-02-02T00:00:00Z")]);
  expect(groups).toMatchObject([{ ruleId: "drift/remade", severity: "error", changes: [{ various: ["live"] }] }]);
});

test("what could not be read for one reason is one group over kinds and accounts", () => {
  const unread = (account: string, type: string) =>
    finding(account, [], {
      ...{ verdict: "forbidden", ruleId: "drift/forbidden", type },
      reason: `listUsers (GET /v1/accounts/${account}/users) answered 401 with the key of \`${account}\``,
    });
  const groups = groupsOf([unread("acme", "User"), unread("globex", "User"), unread("globex", "Deployment")]);
  expect(groups).toMatchObject([
    {
      type: null,
      verdict: "forbidden",
      accounts: ["acme", "globex"],
      reason: "listUsers (GET /v1/accounts/{account}/users) answered 401 with the key of `{account}`",
    },
  ]);
});

test("a group of one account names it in its reason", () => {
  const reason = "listUsers (GET /v1/accounts/acme/users) answered 401 with the key of `acme`";
  const unread = { verdict: "forbidden", ruleId: "drift/forbidden", type: "User", reason } as const;
  expect(groupsOf([finding("acme", [], unread), finding("acme", [], unread)])).toMatchObject([{ reason }]);
});

test("objects of one kind with the same verdict are one group, where nothing says more", () => {
  const missing = (account: string, type: string, ruleId = "drift/missing") =>
    finding(account, [], { verdict: "missing", severity: "error", ruleId, type, reason: "is gone" });
  const groups = groupsOf([
    ...[missing("acme", "User"), missing("globex", "User")],
    ...[missing("acme", "Model"), missing("globex", "Model", "drift/output")],
  ]);
  expect(groups).toMatchObject([{ type: "User", verdict: "missing", reason: "is gone", changes: [] }]);
});

test("what is accepted is never in a group with what counts", () => {
  const suppressed = { by: "ignore" as const, owner: null, reason: "*", expires: null };
  const groups = groupsOf([
    ...["a", "b"].map((account) =>
      finding(account, [change("maxReplicaCount", 8, { severity: "error" })], { suppressed }),
    ),
    ...["c", "d"].map((account) => finding(account, [change("maxReplicaCount", 8, { severity: "note" })])),
  ]);
  expect(groups.map(({ suppressed: by, accounts }) => [by?.by, accounts])).toEqual([
    [undefined, ["c", "d"]],
    ["ignore", ["a", "b"]],
  ]);
});

test("groups stand by severity, then cost, then dependents, then age", () => {
  const pair = (live: string, rest: Partial<Finding>, severity: Change["severity"] = "warning") =>
    ["a", "b"].map((account) => finding(account, [change("description", live, { severity })], { severity, ...rest }));
  const needed = (many: number) =>
    Array.from({ length: many }, (_, index) => ({ type: "Model", name: `accounts/x/models/${index}`, urn: null }));
  const findings = [
    ...pair("plain", {}),
    ...pair("old", { firstSeen: "2026-01-01T00:00:00Z" }),
    ...pair("older", { firstSeen: "2025-01-01T00:00:00Z" }),
    ...pair("needed", { dependents: needed(2) }),
    ...pair("needed more", { dependents: needed(3) }),
    ...pair("cheap", { hourlyCostChange: "2.5" }),
    ...pair("saving", { hourlyCostChange: "-11" }),
    ...pair("grave", {}, "error"),
  ];
  expect(groupsOf(findings).map(({ changes: [first] }) => first!.live)).toEqual([
    ...["grave", "saving", "cheap", "needed more", "needed", "older", "old", "plain"],
  ]);
  expect(groupsOf(findings)[1]).toMatchObject({ hourlyCostChange: "-22" });
  // What two of them need counts once.
  expect(groupsOf(findings)[3]).toMatchObject({ dependents: 3 });
});

test("merged shards have the groups of the whole, and the currency of the costs", () => {
  const part = (shard: string, account: string): DriftReport => ({
    ...report([finding(account, [change("maxReplicaCount", 8)])]),
    ...{ currency: "USD", scope: { ...sampleReport.scope, shard, accounts: ["acme", "globex"] } },
    accounts: [{ ...sampleReport.accounts[0]!, account }],
  });
  const parts = [part("1/2", "acme"), part("2/2", "globex")];
  const merged = mergeReports(parts.map((each, index) => ({ file: `${index}.json`, report: each })));
  expect(parts.map(({ groups }) => groups)).toEqual([[], []]);
  expect(merged).toMatchObject({ report: { currency: "USD", groups: [{ accounts: ["acme", "globex"] }] } });
  const [first, second] = parts as [DriftReport, DriftReport];
  const other = [first, { ...second, currency: "EUR" }].map((each, index) => ({ file: `${index}.json`, report: each }));
  expect(mergeReports(other)).toMatchObject({ problem: expect.stringContaining("of another currency than") });
});

test("what is new since an earlier report has groups of its own", () => {
  const [old, young, younger] = ["acme", "globex", "initech"].map((account) =>
    finding(account, [change("maxReplicaCount", 8)]),
  ) as [Finding, Finding, Finding];
  const earlier = report([old]);
  const { groups } = sinceEarlier(report([old, young, younger]), earlier, ["changed"]);
  expect(groups).toMatchObject([{ members: [young.fingerprint, younger.fingerprint] }]);
});
