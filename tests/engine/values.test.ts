import fc from "fast-check";
import type { StateValue } from "../../engine/state/resource-state";
import { describe as describeDifferences, differences } from "../../engine/values/differences";
import {
  containsSecrets,
  containsUnknowns,
  forReceiver,
  fromProvider,
  isUnknown,
  makeSecret,
  markSecretsLike,
  stripSecrets,
  unknown,
  valuesEqual,
  withoutOutputs,
  withoutReferences,
} from "../../engine/values/values";
import { fromStruct, toStruct } from "../../protocol/properties";

const key = "4dabf18193072939515e22adb298388d";
const secret = (value: StateValue) => ({ [key]: "1b47061264138c4ac30d75fd1eb44270", value });
const reference = (rest: { [key: string]: StateValue }) => ({
  [key]: "5cf8f73096256a8f31e491e813e4eb8e",
  urn: "urn:a",
  ...rest,
});

const json = fc.letrec<{ value: StateValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
    fc.string(),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      fc
        .oneof(fc.string(), fc.constantFrom("constructor", "toString", "hasOwnProperty"))
        .filter((name) => name !== "__proto__"),
      tie("value"),
      { maxKeys: 4, noNullPrototype: true },
    ),
  ),
})).value;
const properties = fc.dictionary(
  fc.string().filter((name) => name !== "__proto__"),
  json,
  { noNullPrototype: true },
);

test("properties survive the wire, whatever their keys", () => {
  fc.assert(fc.property(properties, (map) => expect(fromStruct(toStruct(map))).toEqual(map)));
  // The messages' own maps cannot hold this key; what matters is that nothing is polluted.
  const read = fromStruct(toStruct(JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}')));
  expect(read).toStrictEqual({ constructor: 1 });
  expect({}).not.toHaveProperty("polluted");
});

test("a receiver without either gets secrets in the clear, references as ids or URNs", () => {
  expect(
    forReceiver(
      { a: secret([secret(1)]), b: reference({ id: "x" }), c: reference({}), d: reference({ id: "" }) },
      { secrets: false, references: false },
    ),
  ).toEqual({ a: [1], b: "x", c: "urn:a", d: unknown });
});

test("an unknown in an answer outside a preview is an error that names the property", () => {
  const properties = { fine: 1, open: [unknown] };
  expect(fromProvider(properties, "create", true)).toEqual({ fine: 1, open: [unknown] });
  expect(() => fromProvider(properties, "create", false)).toThrow(
    'create answered an unknown value for the property "open"',
  );
});

test.each([
  ["04da6b54-80e4-46f7-96ec-b56ff0331ba9"],
  ["1c4a061d-8072-4f0a-a4cb-0ff528b18fe7"],
  ["3eeb2bf0-c639-47a8-9e75-3b44932eb421"],
  ["6a19a0b0-7e62-4c92-b797-7f8e31da9cc2"],
  ["030794c1-ac77-496b-92df-f27374a8bd58"],
  ["e48ece36-62e2-4504-bad9-02848725956a"],
  ["dd056dcd-154b-4c76-9bd3-c8f88648b5ff"],
])("%s stands for an unknown", (sentinel) => {
  expect(isUnknown(sentinel)).toBe(true);
  expect(containsUnknowns({ a: [secret(sentinel)] })).toBe(true);
});

test("secrecy goes to the same names, into objects, and to lists with a secret", () => {
  expect(
    markSecretsLike(
      { a: 1, o: { x: 1, y: 2 }, l: [1, 2], n: 3, __proto__: 4 },
      { a: secret(0), o: { x: secret(0) }, l: [secret(0)], z: secret(0) },
    ),
  ).toEqual({
    a: secret(1),
    o: { x: secret(1), y: 2 },
    l: secret([1, 2]),
    n: 3,
  });
});

test("a secret is marked once, and stripping takes off every mark", () => {
  expect(makeSecret(secret(1))).toEqual(secret(1));
  expect(stripSecrets({ a: secret({ b: [secret(1)] }) })).toEqual({ a: { b: [1] } });
  expect(containsSecrets({ a: [{ b: secret(1) }] })).toBe(true);
});

test("outputs become values, secrets or unknowns, and give their dependencies", () => {
  const output = (rest: { [key: string]: StateValue }) => ({ [key]: "d0e6a833031e9bbcd3f4e8bde6ca49a4", ...rest });
  expect(
    withoutOutputs([
      output({ value: output({ value: 1, dependencies: ["b"] }), secret: true, dependencies: ["a"] }),
      output({ secret: true }),
    ]),
  ).toEqual({
    value: [secret(1), secret(unknown)],
    dependencies: ["a", "b"],
  });
});

test("references inside of lists and objects are replaced as well", () => {
  expect(withoutReferences({ a: [reference({ id: "x" })] })).toEqual({ a: ["x"] });
});

test("values are equal despite absent nulls, equal assets and reference versions", () => {
  const asset = (rest: { [key: string]: StateValue }) => ({ [key]: "c44067f5952c0a294b673a41bacd8c17", ...rest });
  expect(valuesEqual({ a: 1, b: null }, { a: 1 })).toBe(true);
  expect(valuesEqual([null], [])).toBe(false);
  expect(valuesEqual(asset({ hash: "h", text: "x" }), asset({ hash: "h", path: "y" }))).toBe(true);
  expect(valuesEqual(asset({ text: "x" }), asset({ text: "x" }))).toBe(false);
  expect(valuesEqual(reference({ id: "x", packageVersion: "1" }), reference({ id: "x" }))).toBe(true);
  expect(valuesEqual(secret(1), 1)).toBe(false);
  fc.assert(fc.property(json, (value) => valuesEqual(value, structuredClone(value))));
});

describe("differences", () => {
  test("are told member by member, elements by position, secrets masked", () => {
    const found = differences(
      { a: 1, l: [1, 2, 3], o: { x: 1, y: 1 }, s: secret("old"), t: "t", n: null },
      { a: 1, l: [1, 5], o: { x: 2, z: 1 }, s: secret("new"), n: 1 },
    );
    expect(describeDifferences(found, ["o.x"])).toEqual([
      { path: "l[1]", kind: "update", old: 2, new: 5 },
      { path: "l[2]", kind: "delete", old: 3 },
      { path: "n", kind: "add", old: null, new: 1 },
      { path: "o.x", kind: "update", old: 1, new: 2, replaces: true },
      { path: "o.y", kind: "delete", old: 1 },
      { path: "o.z", kind: "add", new: 1 },
      { path: "s", kind: "update", old: "[secret]", new: "[secret]" },
      { path: "t", kind: "delete", old: "t" },
    ]);
  });

  test("leave out what only became secret, and mask the contents of secrets", () => {
    expect(differences({ a: 1 }, { a: secret(1) })).toEqual([]);
    expect(describeDifferences(differences({ o: secret({ x: 1 }) }, { o: { x: 2 } }))).toEqual([
      { path: "o.x", kind: "update", old: "[secret]", new: "[secret]" },
    ]);
    expect(describeDifferences(differences({}, { o: { x: secret("s") } }))).toEqual([
      { path: "o", kind: "add", new: { x: "[secret]" } },
    ]);
  });

  test("of a value and itself are none", () => {
    fc.assert(fc.property(properties, (map) => differences(map, structuredClone(map)).length === 0));
  });
});
