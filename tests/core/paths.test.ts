import fc from "fast-check";
import {
  isWithin,
  PathTree,
  parsePath,
  pathText,
  type Segment,
  topLevel,
  valueAt,
} from "../../provider/core/values/values";

test.each<[Segment[], string]>([
  [["residency"], "residency"],
  [["zeroDataRetention", "inference", "enforcement"], "zeroDataRetention.inference.enforcement"],
  [["rules", 0, "permissions", "allowTraining"], "rules[0].permissions.allowTraining"],
  [["annotations", "custom/team"], 'annotations["custom/team"]'],
  [["annotations", 'say "hi"'], 'annotations["say \\"hi\\""]'],
  [["annotations", "a.b[c]"], 'annotations["a.b[c]"]'],
  [["annotations", ""], 'annotations[""]'],
  [["annotations", "0"], 'annotations["0"]'],
  [["created_at"], "created_at"],
  [[0, "name"], "[0].name"],
  [[], ""],
])("%j is written as %s and read back", (segments, text) => {
  expect(pathText(segments)).toBe(text);
  expect(parsePath(text)).toEqual(segments);
});

test("every path is read back as it was written", () => {
  const segment = fc.oneof(
    fc.nat(),
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.constantFrom("a", "a-b", "$x", "__proto__", "\\", '"', "\n", "\u2028", "]"),
  );
  fc.assert(fc.property(fc.array(segment), (segments) => expect(parsePath(pathText(segments))).toEqual(segments)));
});

const root = { rules: [{ model: "m1" }], annotations: { "custom/team": "search" }, text: "abc", nothing: null };

test.each<[string, unknown]>([
  ["rules[0].model", "m1"],
  ["rules[1].model", undefined],
  ['annotations["custom/team"]', "search"],
  ["nothing.below", undefined],
  ["nothing", null],
  ["text.length", undefined],
  ["constructor", undefined],
  ["__proto__", undefined],
  ["rules.length", 1],
])("what stands at %s is %j", (path, value) => {
  expect(valueAt(root, path)).toEqual(value);
});

test("the top-level property of a path is its first segment", () => {
  expect(["rules[0].model", 'annotations["a.b"]', "residency", ""].map(topLevel)).toEqual([
    "rules",
    "annotations",
    "residency",
    "",
  ]);
});

test.each([['["\\q"]'], ['["a\nb"]']])("a path that no JSON quotes, such as %j, is a name as it is", (text) => {
  expect(parsePath(text)).toEqual([text.slice(2, -2)]);
});

test("a tree of paths knows which of them is around or beneath a path", () => {
  const piece = fc.constantFrom("a", ".a", ".b", "[0]", '["a.b"]', "ab");
  const path = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(fc.array(path), path, (paths, asked) => {
      const tree = new PathTree(paths);
      const isBelow = (one: string, other: string): boolean => one !== other && isWithin(one, other);
      expect(tree.isAround(asked)).toBe(paths.some((each) => isBelow(asked, each)));
      expect(tree.touches(asked)).toBe(paths.some((each) => isWithin(asked, each) || isWithin(each, asked)));
    }),
  );
});
