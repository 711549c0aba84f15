import { containsUnknown, isUnknown, plainValue, secretValue } from "../../provider/core/values/values";

const sentinels = {
  text: "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
  flag: "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  number: "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  list: "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  asset: "030794c1-ac77-496b-92df-f27374a8bd58",
  archive: "e48ece36-62e2-4504-bad9-02848725956a",
  object: "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
};

test.each(Object.entries(sentinels))("an unknown %s is known by its sentinel", (_, sentinel) => {
  expect(isUnknown(sentinel)).toBe(true);
});

test.each(["", "unknown", sentinels.text.toUpperCase(), `${sentinels.text} `, undefined, null, 0, [sentinels.text]])(
  "%j is not unknown",
  (value) => {
    expect(isUnknown(value)).toBe(false);
  },
);

test("an unknown is found anywhere in a value", () => {
  expect(containsUnknown({ a: [{ b: sentinels.number }] })).toBe(true);
  expect(containsUnknown({ a: [{ b: "c" }], [sentinels.text]: 1 })).toBe(false);
  expect([null, undefined, "x", 1].some(containsUnknown)).toBe(false);
});

test("a secret is marked with the engine's signature", () => {
  expect(secretValue("s")).toEqual({
    "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
    value: "s",
  });
});

test("the plain value has each secret's own value in its place", () => {
  const wired = { a: secretValue({ b: [secretValue("s"), undefined, 1] }), c: undefined, d: null };
  expect(plainValue(wired)).toEqual({ a: { b: ["s", undefined, 1] }, d: null });
});

test("members that are not there are left out, since the wire has no form for them", () => {
  expect(Object.keys(plainValue({ a: undefined, b: 1 }) as object)).toEqual(["b"]);
});

test("other signatures of the engine are left alone", () => {
  const asset = { "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17", text: "x" };
  expect(plainValue(asset)).toEqual(asset);
});
