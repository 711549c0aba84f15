import { createHash } from "node:crypto";
import { check } from "../../provider/core/check";
import { changesBetween } from "../../provider/core/comparison/diff";
import { inputsAfterRead, outputsAfterRead, recordedOutputs } from "../../provider/core/comparison/recorded";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import {
  hasRoomForOwner,
  marksOf,
  ownerField,
  ownerIn,
  ownerOf,
  withOwnerEntries,
  withoutOwnerEntries,
} from "../../provider/core/fields/owner";
import { Deployment } from "../../provider/resources/deployment";
import { User } from "../../provider/resources/user";

const spec = Deployment as unknown as ResourceSpec;
const field = ownerField(spec)!;
const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

const urn = "urn:pulumi:prod::shop::acme:web:Page$pulumi-nodejs:dynamic/modelplatform:Deployment::chat";
const identity = { urn, organization: "acme-corp", stack: "prod" };
const marks = {
  "custom/pulumi-stack": "acme-corp/shop/prod",
  "custom/pulumi-urn": "acme:web:Page$pulumi-nodejs:dynamic/modelplatform:Deployment::chat",
};

describe("the owner that a declaration makes", () => {
  test("is its stack's full name and the part of its URN that follows stack and project", () => {
    expect(marksOf(field, ownerOf(identity, digest))).toEqual(marks);
  });

  test.each([
    ["a long name", "n".repeat(300)],
    ["a name with a character that not every service takes", "caf\u00e9"],
    ["a name with a line break", "two\nlines"],
    ["a name that ends with a space", "chat "],
  ])("with %s fits into a mark", (_, name) => {
    const { urn: mark } = ownerOf({ ...identity, urn: `urn:pulumi:prod::shop::t::${name}` }, digest);
    expect(mark).toMatch(/^[\x21-\x7e]([\x20-\x7e]{0,126}[\x21-\x7e])?$/);
  });

  test("stays distinguishable where two are shortened alike", () => {
    const names = ["a", "b"].map((end) => `${"n".repeat(300)}${end}`).concat("caf\u00e9", "caf\u00e8", "caf_");
    const made = names.map((name) => ownerOf({ ...identity, urn: `urn:pulumi:prod::shop::t::${name}` }, digest).urn);
    expect(new Set(made).size).toBe(names.length);
  });
});

describe("the owner of a live object", () => {
  test("is the one that its marks name", () => {
    expect(ownerIn(spec, { annotations: { ...marks, "custom/team": "search" } })).toEqual({
      stack: "acme-corp/shop/prod",
      urn: marks["custom/pulumi-urn"],
    });
  });

  test.each([
    ["without annotations", {}],
    ["with null for them", { annotations: null }],
    ["with half a mark", { annotations: { "custom/pulumi-stack": "a/b/c" } }],
    ["with an empty mark", { annotations: { ...marks, "custom/pulumi-stack": "" } }],
  ])("is nobody %s", (_, live) => {
    expect(ownerIn(spec, live)).toBeUndefined();
  });

  test("is undefined for a kind without annotations", () => {
    expect(ownerIn(User as unknown as ResourceSpec, { annotations: marks })).toBeUndefined();
  });
});

test("marks take the place of other marks and leave the program's entries alone", () => {
  const others = { "custom/pulumi-stack": "x/y/z", "custom/pulumi-urn": "t::n" };
  expect(withOwnerEntries(field, { "custom/team": "search", ...others }, marks)).toEqual({
    "custom/team": "search",
    ...marks,
  });
  expect(withOwnerEntries(field, null, marks)).toEqual(marks);
  expect(withOwnerEntries(field, undefined, {})).toBeUndefined();
  expect(withoutOwnerEntries(field, { "custom/team": "search", ...marks })).toEqual({ "custom/team": "search" });
});

test("there is room for the marks beside as many entries as the service takes", () => {
  const own = (count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`custom/k${index}`, "v"]));
  expect(hasRoomForOwner(field, withOwnerEntries(field, own(62), marks))).toBe(true);
  expect(hasRoomForOwner(field, withOwnerEntries(field, own(63), marks))).toBe(false);
});

describe("nothing shows or compares the marks", () => {
  const inputs = { baseModel: "m", annotations: { "custom/team": "search" } };
  const live = {
    name: "accounts/acme/deployments/chat",
    baseModel: "m",
    annotations: { ...inputs.annotations, ...marks },
  };
  const records = { accountId: "acme", endpoint: "https://api.example.com" };
  const outputs = recordedOutputs(spec, inputs, live, records);

  test("in recorded outputs", () => {
    expect(outputs["annotations"]).toEqual(inputs.annotations);
    expect(JSON.stringify(outputs)).not.toContain("pulumi-stack");
  });

  test("in outputs and inputs after a read, with drift beside them and without", () => {
    const drifted = { ...live, annotations: { "custom/team": "ads", ...marks } };
    for (const [message, annotations] of [
      [live, inputs.annotations],
      [drifted, { "custom/team": "ads" }],
    ] as const) {
      expect(outputsAfterRead(spec, outputs, message)["annotations"]).toEqual(annotations);
      expect(inputsAfterRead(spec, outputs, message)["annotations"]).toEqual(annotations);
    }
  });

  test.each([
    ["that sets annotations", inputs],
    ["that clears them", { baseModel: "m", annotations: null }],
    ["that sets none", { baseModel: "m", annotations: {} }],
  ])("in the diff of a program %s", (_, given) => {
    const own = (given.annotations ?? {}) as object;
    expect(changesBetween(spec, { ...live, ...records, annotations: { ...own, ...marks } }, given)).toEqual([]);
  });
});

test("a program cannot set the marks", () => {
  const { failures } = check(spec, {}, { baseModel: "m", annotations: { ...marks, "custom/team": "search" } });
  expect(failures.map(({ property }) => property)).toEqual([
    'annotations["custom/pulumi-stack"]',
    'annotations["custom/pulumi-urn"]',
  ]);
  expect(failures[0]!.reason).toContain("reserved");
});
