import { targets } from "../../engine/plan/scope";
import { formatUrn, parseReference, parseUrn } from "../../engine/state/resource-state";
import { contains, formatPath, parsePath, resetPath } from "../../engine/values/differences";
import { makeSecret } from "../../engine/values/values";

test.each([
  ["root", ["root"]],
  ["root.nested", ["root", "nested"]],
  ['root["nested"]', ["root", "nested"]],
  ["root.array[0]", ["root", "array", 0]],
  ["root.array[0][1].nested", ["root", "array", 0, 1, "nested"]],
  ['root["key with \\"escaped\\" quotes"]', ["root", 'key with "escaped" quotes']],
  ['root["key with a ."]', ["root", "key with a ."]],
  ['["root key with a ."][100]', ["root key with a .", 100]],
  ["root.array[*].field", ["root", "array", "*", "field"]],
  ['root.array["*"].field', ["root", "array", "*", "field"]],
  ["root.*", ["root", "*"]],
  ["foo-bar", ["foo-bar"]],
  ["root.[0]", ["root", 0]],
])("%s is a path", (text, path) => {
  expect(parsePath(text)).toEqual(path);
  expect(parsePath(formatPath(path))).toEqual(path);
});

test.each([[".root"], ["root["], ["root[x]"], ['root["x]'], ["root."], ["root..x"]])("%s is none", (text) => {
  expect(() => parsePath(text)).toThrow(`"${text}" is not a property path`);
});

test("a path contains the paths below it, and a wildcard matches any name", () => {
  expect(contains(["foo", "bar", 1], ["foo", "bar", 1, "baz"])).toBe(true);
  expect(contains(["foo", "*", "baz"], ["foo", "bar", "baz", "bam"])).toBe(true);
  expect(contains(["*"], ["a", 0])).toBe(true);
  expect(contains(["foo", "bar"], ["foo"])).toBe(false);
  expect(contains(["foo", 1], ["foo", "1"])).toBe(false);
});

describe("resetting a path", () => {
  const reset = (path: string, old: object, fresh: object) =>
    resetPath(parsePath(path), JSON.parse(JSON.stringify(old)), JSON.parse(JSON.stringify(fresh)));

  test.each([
    ["a", { a: 1 }, { a: 2, b: 2 }, { a: 1, b: 2 }, true],
    ["a", {}, { a: 2 }, {}, true],
    ["a", { a: 1 }, {}, { a: 1 }, true],
    ["a.b", { a: { b: 1 } }, { a: { b: 2, c: 3 } }, { a: { b: 1, c: 3 } }, true],
    ["a.b", { a: { b: 1 } }, {}, {}, false],
    ["a.b", {}, {}, {}, true],
    ["a.b", { a: 1 }, { a: 2 }, { a: 2 }, true],
    ["a.b", { a: { b: 1 } }, { a: 2 }, { a: 2 }, false],
    ["l[0]", { l: [1, 2] }, { l: [3, 4] }, { l: [1, 4] }, true],
    ["l[1]", { l: [1, 2] }, { l: [3] }, { l: [3] }, false],
    ["l[5]", { l: [1] }, { l: [3] }, { l: [3] }, true],
    ["l[*]", { l: [1, 2] }, { l: [3, 4, 5] }, { l: [1, 2, 5] }, false],
    ["l[*].x", { l: [{ x: 1, y: 1 }] }, { l: [{ x: 2, y: 2 }] }, { l: [{ x: 1, y: 2 }] }, true],
    ["a.*", { a: { x: 1, y: 1 } }, { a: { x: 2, z: 2 } }, { a: { x: 1, y: 1 } }, true],
    ["*", { a: 1 }, { a: 2, b: 2 }, { a: 1 }, true],
  ])("%s of %j in %j gives %4$s", (path, old, fresh, properties, fits) => {
    const outcome = reset(path, old, fresh);
    expect(outcome).toEqual({ properties, fits });
  });

  test("goes through secrets, and keeps what was secret secret", () => {
    expect(reset("a.b", { a: makeSecret({ b: 1 }) }, { a: { b: 2 } }).properties).toEqual({ a: { b: makeSecret(1) } });
    expect(reset("a.b", { a: makeSecret({ b: 1 }) }, { a: makeSecret({ b: 2, c: 3 }) }).properties).toEqual({
      a: makeSecret({ b: 1, c: 3 }),
    });
    expect(reset("a", { a: makeSecret(1) }, { a: 2 }).properties).toEqual({ a: makeSecret(1) });
  });

  test("leaves both sides as they were", () => {
    const [old, fresh] = [{ a: { b: [1] } }, { a: { b: [2] } }];
    resetPath(["a", "b", 0], old, fresh);
    expect([old, fresh]).toEqual([{ a: { b: [1] } }, { a: { b: [2] } }]);
  });
});

test("a URN is read into its parts, whatever the name holds, and made of them", () => {
  const urn = "urn:pulumi:dev::project::a:b:Outer$c:d:Inner::a::name$with:all";
  expect(parseUrn(urn)).toEqual({
    stack: "dev",
    project: "project",
    qualifiedType: "a:b:Outer$c:d:Inner",
    type: "c:d:Inner",
    name: "a::name$with:all",
  });
  expect(
    formatUrn({
      stack: "dev",
      project: "project",
      parentType: "a:b:Outer",
      type: "c:d:Inner",
      name: "a::name$with:all",
    }),
  ).toBe(urn);
  expect(formatUrn({ stack: "s", project: "p", parentType: "pulumi:pulumi:Stack", type: "t", name: "n" })).toBe(
    "urn:pulumi:s::p::t::n",
  );
  expect(parseReference(`${urn}::id`)).toEqual({ urn, id: "id" });
  expect(() => parseUrn("urn:pulumi:dev::project")).toThrow("is not a URN");
});

test("targets are URNs and patterns: * stays between colons, ** does not; none is all", () => {
  expect(targets([]).includes("anything")).toBe(true);
  const some = targets(["urn:a::b", "**::x", "urn:*::c+d"]);
  expect(["urn:a::b", "urn:q::y::x", "urn:z::c+d"].map((urn) => some.includes(urn))).toEqual([true, true, true]);
  expect(["urn:a::b::c", "urn:z:z::c+d", "urn:z::ccd"].map((urn) => some.includes(urn))).toEqual([false, false, false]);
  expect(some.literals).toEqual(["urn:a::b"]);
  expect(some.unmatched(["urn:q::x", "urn:q::y"])).toEqual(["urn:*::c+d"]);
});
