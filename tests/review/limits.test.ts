import { legible, preview, recordedCost, reviewed, userStep, userUrn, written } from "./recorded";

const contributor = (name: string) => ({ userId: name, email: `${name}@example.com`, role: "contributor" });
const nameOf = (index: number): string => `user-${String(index).padStart(4, "0")}`;

/** Deletes and updates of so many users, the deletes at the end. */
function many(updates: number, deletes: number): string {
  const steps = Array.from({ length: updates + deletes }, (_, index) => {
    const name = nameOf(index);
    const old = contributor(name);
    return index < updates
      ? userStep({ op: "update", name, old, new: { ...old, email: `${name}@example.org`, displayName: name } })
      : userStep({ op: "delete", name, old });
  });
  return preview(steps);
}

const countsIn = (text: string) => ({
  deletes: text.match(/\| ⚠️&nbsp;delete \|/g)?.length ?? 0,
  updates: text.match(/\| update \|/g)?.length ?? 0,
});

test("2,000 rows fit with every delete, and the rest is counted", () => {
  const text = written([reviewed(many(2000, 31))]);
  expect(text.length).toBeLessThanOrEqual(60_000);
  expect(text.length).toBeGreaterThan(55_000);
  const { deletes, updates } = countsIn(text);
  expect(deletes).toBe(31);
  const left = (2000 - updates).toLocaleString("en");
  expect(text).toContain(`**${left} more rows:** ${left} updated; 0 of them ⚠️.`);
  expect(text).toContain("### ⚠️ prod: 31 deleted, 2,000 updated\n");
});

test("rows are left out of all sections alike, and what is risky goes last", () => {
  const other = many(1000, 20).replaceAll("urn:pulumi:prod", "urn:pulumi:staging");
  const text = written([reviewed(many(1000, 20)), reviewed(other)]);
  const [, one = "", two = ""] = text.split("### ");
  expect(countsIn(one)).toEqual(countsIn(two));
  expect(countsIn(one).deletes).toBe(20);
  const short = written([reviewed(many(0, 2000))], { maxLength: 5000 });
  expect(short.length).toBeLessThanOrEqual(5000);
  expect(short).toMatch(/\*\*1,9\d\d more rows:\*\* 1,9\d\d deleted; 1,9\d\d of them ⚠️\./);
});

test.each([2000, 10_000, 32_000, 65_000])("no comment is longer than %i, whatever is in it", (maxLength) => {
  const hostile = "😀<@|`".repeat(200);
  const diagnostics = Array.from({ length: 40 }, (_, index) => ({
    severity: "error",
    message: `error: ${index} ${hostile}`,
    urn: userUrn(hostile),
  }));
  const steps = [userStep({ op: "update", name: hostile.slice(0, 300), old: { email: "a" }, new: { email: hostile } })];
  for (const text of [preview(steps), preview(steps, { diagnostics })]) {
    const markdown = written([reviewed(text, { cost: recordedCost() })], { maxLength });
    expect(markdown.length).toBeLessThanOrEqual(maxLength);
    expect(markdown).not.toMatch(/&#\d*(?![\d;])/);
    expect(markdown).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
  }
});

test("a cell has four fields, what forces a replacement first, and short values", () => {
  const urn = "urn:pulumi:prod::shop::other:index:Thing::it";
  const [before, after] = [
    { a: 1, b: 1, c: 1, d: 1, e: 1, z: 1 },
    { a: 2, b: "x".repeat(200), c: 2, d: 2, e: 2, z: 2 },
  ];
  const state = (inputs: object) => ({ urn, type: "other:index:Thing", id: "it", inputs });
  const text = legible(
    written([
      reviewed(
        preview([{ op: "replace", urn, replaceReasons: ["z"], oldState: state(before), newState: state(after) }]),
      ),
    ]),
  );
  expect(text).toContain(
    `| ⚠️&nbsp;replace | <code>other:index:Thing it</code> | <code>z</code> <code>1</code> → <code>2</code>, which replaces it<br><code>a</code> <code>1</code> → <code>2</code><br><code>b</code> <code>1</code> → <code>${"x".repeat(59)}…</code><br><code>c</code> <code>1</code> → <code>2</code><br>and 2 more fields |`,
  );
  expect(text).toContain("- <code>e</code> <code>1</code> → <code>2</code>");
});

test("of a thousand differences in a field, or far down, the whole is told", () => {
  const labels = (count: number, value: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));
  const deep = (value: string) => JSON.parse(`${'{"key":'.repeat(200)}${JSON.stringify(value)}${"}".repeat(200)}`);
  const pathsOf = (old: unknown, fresh: unknown): string[] =>
    reviewed(preview([userStep({ op: "update", old: { it: old }, new: { it: fresh } })])).rows.flatMap(({ fields }) =>
      fields.map(({ path }) => path),
    );
  expect(pathsOf(labels(1000, "a"), labels(1000, "b"))).toHaveLength(1000);
  expect(pathsOf(labels(1001, "a"), labels(1001, "b"))).toEqual(["it"]);
  expect(pathsOf(deep("a"), deep("b"))).toEqual([`it${".key".repeat(125)}`]);
  expect(pathsOf(deep("a"), deep("a"))).toEqual([]);
});

test("more than fifteen rows without a risk are folded", () => {
  expect(written([reviewed(many(15, 1))])).not.toContain("<details>");
  expect(written([reviewed(many(16, 1))])).toContain("<details><summary>16 updated</summary>\n\n|");
});

test("failed stacks come first, then the riskier; quiet ones share a line", () => {
  const stack = (name: string, text: string) => reviewed(text.replaceAll("urn:pulumi:prod", `urn:pulumi:${name}`));
  const quiet = (name: string) =>
    stack(
      name,
      preview([{ op: "same", urn: `urn:pulumi:${name}::shop::pulumi:pulumi:Stack::s` }], {
        changeSummary: { same: 8 },
      }),
    );
  const reviews = [stack("b", many(1, 0)), quiet("us"), stack("a", many(1, 0)), stack("c", many(0, 2)), quiet("eu")];
  const failed = reviewed("", { name: "z" });
  const text = written([...reviews, failed]);
  expect([...text.matchAll(/^### (?:⚠️ |❌ )?(\w+):/gm)].map(([, name]) => name)).toEqual(["z", "c", "a", "b"]);
  expect(text).toContain("\n\nNothing to do: eu (8 unchanged), us (8 unchanged)\n\n");
  expect(written([failed, ...reviews.reverse()])).toBe(text);
  expect(written([quiet("eu"), quiet("us")])).toContain("### Nothing to do: eu (8 unchanged), us (8 unchanged)\n");
});
