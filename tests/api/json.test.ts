import { parseJson } from "../../provider/api/http/transport";

test("members named __proto__ are dropped at every level, however they are written", () => {
  const parsed = parseJson('{"a": {"__proto__": {"x": 1}, "b": 1}, "\\u005f_proto__": 2, "c": "__proto__"}');
  expect(JSON.stringify(parsed)).toBe('{"a":{"b":1},"c":"__proto__"}');
  expect(({} as { x?: number }).x).toBeUndefined();
});

test.each(["NaN", "[Infinity]", "{a: 1}", "", "{'a': 1}", '{"key": "hidden-in-the-text'])(
  "%j is refused without showing any of it",
  (text) => {
    expect(() => parseJson(text)).toThrow(new SyntaxError("the text is not JSON"));
  },
);

test("nesting has a limit, and brackets in texts do not count", () => {
  const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  expect(parseJson(nested(64))).toBeDefined();
  expect(() => parseJson(nested(65))).toThrow("nested deeper than 64 levels");
  expect(() => parseJson(nested(1_000_000))).toThrow("nested deeper than 64 levels");
  expect(parseJson(JSON.stringify(`${"[".repeat(100)}\\"{`))).toBeDefined();
});
