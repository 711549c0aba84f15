import type { CostReport } from "../../governance/cost/report";
import { type Refusal, refusalIn, refusedRows } from "../../governance/review/gates";
import { legible, preview, recordedCost, reviewed, userStep, written } from "./recorded";

const user = (name: string, more: object = {}): object => ({
  ...{ userId: name, email: `${name}@example.com`, role: "contributor" },
  ...more,
});

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `user-${index}`);

const type = "pulumi-nodejs:dynamic/modelplatform:Deployment";
const deploymentUrn = (name: string): string => `urn:pulumi:prod::shop::${type}::${name}`;
const serving = { baseModel: "accounts/platform/models/open-8b", maxReplicaCount: 2 };

function deploymentStep(op: string, name: string, old?: object, fresh?: object): object {
  const urn = deploymentUrn(name);
  const state = (inputs: object) => ({ urn, type, id: `accounts/a/deployments/${name}`, inputs });
  return { op, urn, ...(old && { oldState: state(old) }), ...(fresh && { newState: state(fresh) }) };
}

/** Costs of deployments, by name: before and at the most. */
function costs(hourly: Readonly<Record<string, { before?: string; max?: string }>>): CostReport {
  const report = recordedCost();
  const resources = Object.entries(hourly).map(([name, own]) => ({
    ...{ urn: deploymentUrn(name), name: `accounts/a/deployments/${name}`, kind: "Deployment", account: "a" },
    hourly: own,
  }));
  return { ...report, resources };
}

const rowsOf = (steps: readonly object[], cost?: CostReport) => reviewed(preview(steps), { cost }).rows;
const lines = (steps: readonly object[], cost?: CostReport): string[] =>
  legible(written([reviewed(preview(steps), { cost })]))
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| ---"));

describe("one change of one field in many resources", () => {
  const renamedTo = (label: (name: string) => string, count = 300): object[] =>
    names(count).map((name) =>
      userStep({
        op: "update",
        name,
        old: user(name, { displayName: "Old" }),
        new: user(name, { displayName: label(name) }),
      }),
    );

  test("is one row with its count, and the value where all have the same", () => {
    const [row, ...others] = rowsOf(renamedTo(() => "New"));
    expect(others).toEqual([]);
    expect(row).toMatchObject({ count: 300, fields: [{ path: "displayName", old: "Old", new: "New" }] });
    expect(row?.urns).toHaveLength(300);
    expect(lines(renamedTo(() => "New"))[1]).toBe(
      "| update | <code>300 × User</code><br><code>user-0</code> and 299 more | <code>displayName</code> <code>Old</code> → <code>New</code> |",
    );
  });

  test("says that each gets a value of its own", () => {
    expect(lines(renamedTo((name) => `New ${name}`))[1]).toContain(
      "<code>displayName</code>, to a value of its own each",
    );
  });

  test("still counts each of them in the heading", () => {
    expect(written([reviewed(preview(renamedTo(() => "New")))])).toContain("### prod: 300 updated\n");
    expect(reviewed(preview(renamedTo(() => "New"))).changes).toMatchObject({ update: 300 });
  });

  test.each<[string, object[]]>([
    ["two of them", renamedTo(() => "New", 2)],
    [
      "a wider role",
      names(5).map((name) => userStep({ op: "update", name, old: user(name), new: user(name, { role: "admin" }) })),
    ],
    [
      "two fields",
      names(5).map((name) =>
        userStep({
          op: "update",
          name,
          old: user(name),
          new: user(name, { displayName: "N", email: "n@example.com" }),
        }),
      ),
    ],
  ])("is a row each for %s", (_, steps) => {
    expect(rowsOf(steps)).toHaveLength(steps.length);
  });

  test("is a row each where a price changes", () => {
    const steps = names(4).map((name) => deploymentStep("update", name, serving, { ...serving, maxReplicaCount: 3 }));
    const dearer = Object.fromEntries(names(4).map((name) => [name, { before: "10", max: "15" }]));
    expect(rowsOf(steps, costs(dearer))).toHaveLength(4);
  });
});

describe("a resource that looks renamed", () => {
  const steps = [
    deploymentStep("create", "search-v2", undefined, serving),
    deploymentStep("delete", "search", serving),
  ];

  test("is one row, which says what keeps its object", () => {
    const [row, ...others] = rowsOf(
      steps,
      costs({ search: { before: "8", max: "0" }, "search-v2": { before: "0", max: "8" } }),
    );
    expect(others).toEqual([]);
    expect(row).toMatchObject({ op: "replace", urn: deploymentUrn("search-v2"), renamedFrom: deploymentUrn("search") });
    expect(lines(steps)[1]).toBe(
      '| ⚠️&nbsp;replace | <code>Deployment search → search-v2</code> | **looks renamed**: deletes <code>accounts/a/deployments/search</code> and creates another<br><code>aliases: [{ name: "search" }]</code> in its options keeps it |',
    );
    expect(
      lines(steps, costs({ search: { before: "8", max: "0" }, "search-v2": { before: "0", max: "8" } }))[1],
    ).not.toContain("USD");
  });

  test("is refused by what refuses deletes, and by what refuses replacements", () => {
    expect(refusedRows(rowsOf(steps), ["delete"])).toHaveLength(1);
    expect(refusedRows(rowsOf(steps), ["replace"])).toHaveLength(1);
  });

  test("is named by its whole URN under another parent", () => {
    const moved = JSON.parse(
      JSON.stringify(steps[0]).replaceAll(deploymentUrn("search-v2"), `urn:pulumi:prod::shop::my:Team$${type}::search`),
    ) as object;
    expect(lines([moved, steps[1]!])[1]).toContain(`aliases: ["${deploymentUrn("search")}"]`);
  });

  test.each<[string, object[]]>([
    ["other inputs", [steps[1]!, deploymentStep("create", "other", undefined, { ...serving, maxReplicaCount: 3 })]],
    ["two that could be it", [...steps, deploymentStep("create", "third", undefined, serving)]],
    ["another kind", [steps[1]!, userStep({ op: "create", name: "x", new: serving })]],
  ])("is not seen in %s", (_, other) => {
    expect(rowsOf(other).filter(({ renamedFrom }) => renamedFrom !== undefined)).toEqual([]);
  });
});

describe("what a reviewer has to look at", () => {
  test.each<[string, string, object, object]>([
    [
      "protection",
      "takes the protection from deletion away",
      { deletionProtection: true },
      { deletionProtection: false },
    ],
    ["protection", "takes the protection from deletion away", { deletionProtection: true }, {}],
    ["unknown", "permissions that are known later", {}, { role: "04da6b54-80e4-46f7-96ec-b56ff0331ba9" }],
  ])("carries %s: %s", (rule, words, old, fresh) => {
    const steps = [userStep({ op: "update", old: user("ada", old), new: user("ada", fresh) })];
    expect(rowsOf(steps)[0]?.rules).toContain(rule);
    expect(lines(steps)[1]).toMatch(new RegExp(`^\\| ⚠️.*\\*\\*${words}\\*\\*`));
    expect(refusedRows(rowsOf(steps), [rule as Refusal])).toHaveLength(1);
  });

  test("is a price that doubles, and no smaller rise", () => {
    const steps = ["twice", "less"].map((name) =>
      deploymentStep("update", name, serving, { ...serving, maxReplicaCount: 9 }),
    );
    const rows = rowsOf(steps, costs({ twice: { before: "10.8", max: "216" }, less: { before: "10", max: "19.99" } }));
    expect(rows.map(({ name, rules }) => [name, rules])).toEqual([
      ["twice", ["price"]],
      ["less", []],
    ]);
    expect(lines(steps, costs({ twice: { before: "10.8", max: "216" }, less: {} }))[1]).toContain(
      "**costs 20 times as much:** 10.80 → 216.00 USD/h",
    );
  });

  test("is refused where the engine has a step that nobody knows", () => {
    expect(() => reviewed(preview([userStep({ op: "merge", new: user("ada") })]))).toThrow(
      'The preview has a step "merge" that this version does not know, so nothing can be said of ada. Update pulumi-modelplatform.',
    );
  });
});

test("a new paid deployment stands before three hundred labels, and is not folded", () => {
  const labels = names(300).map((name) =>
    userStep({
      op: "update",
      name,
      old: user(name),
      new: user(name, { displayName: "N", email: `${name}@example.org` }),
    }),
  );
  for (const cost of [undefined, costs({ zebra: { before: "0", max: "40" } })]) {
    const steps = [...labels, deploymentStep("create", "zebra", undefined, serving)];
    expect(rowsOf(steps, cost)[0]).toMatchObject({ name: "zebra" });
    expect(written([reviewed(preview(steps), { cost })]).split("<details>")[0]).toContain("Deployment zebra");
  }
});

test.each<[string, { before?: string; max?: string }, string, boolean]>([
  ["price", { before: "10", max: "10.01" }, "update", true],
  ["price", { before: "10", max: "10" }, "update", false],
  ["price", { before: "10", max: "9" }, "update", false],
  ["price", { before: "10" }, "update", true],
  ["price", { before: "0", max: "5" }, "create", true],
  ["price=2x", { before: "10", max: "19.99" }, "update", false],
  ["price=2x", { before: "10", max: "20" }, "update", true],
  ["price=1.5x", { before: "10", max: "15" }, "replace", true],
  ["price=2x", { before: "0", max: "5" }, "update", true],
  ["price=2x", { before: "0", max: "5" }, "create", false],
  ["price=10/h", { before: "0", max: "10" }, "create", true],
  ["price=10/h", { before: "5", max: "14.99" }, "update", false],
  ["price=10/h", { before: "5" }, "update", false],
])("--fail-on %s of %j in a step %s: %s", (word, hourly, op, refuses) => {
  const step = deploymentStep(op, "chat", op === "create" ? undefined : serving, { ...serving, maxReplicaCount: 9 });
  expect(refusedRows(rowsOf([step], costs({ chat: hourly })), [refusalIn(word)!])).toHaveLength(Number(refuses));
});

test.each(["price=", "price=x", "price=0.5x", "price=10", "price=-1/h", "prices", ""])(
  "`%s` is no word of --fail-on",
  (word) => {
    expect(refusalIn(word)).toBeUndefined();
  },
);
