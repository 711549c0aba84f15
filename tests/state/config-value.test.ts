import fc from "fast-check";
import {
  configText,
  containsSecret,
  parsePath,
  type StoredConfigValue,
  valueAt,
  valueOfText,
  withoutValueAt,
  withValueAt,
} from "../../engine/state/config-value";

const upper = (text: string): string => text.toUpperCase();

describe("a config path", () => {
  test.each([
    ["a", ["a"]],
    ["a.b", ["a", "b"]],
    ["a[0].b", ["a", 0, "b"]],
    ["a[0][12]", ["a", 0, 12]],
    ['["a.b"].c', ["a.b", "c"]],
    ['a["b]c"]', ["a", "b]c"]],
    ['a["say \\"x\\""]', ["a", 'say "x"']],
  ])("%s has the steps %j", (text, steps) => {
    expect(parsePath(text)).toEqual(steps);
  });

  test.each([".a", "a.", "a[", "a[x]", "a[*]", "a[-1]", 'a["b', 'a["b\\"]', "a.[0]"])(
    "%s is refused with how to write it",
    (text) => {
      expect(() => parsePath(text)).toThrow(/is not a config path.*name\.list\[0\]\.member/);
    },
  );
});

describe("a value set by path", () => {
  test.each<[string, StoredConfigValue | undefined, (string | number)[], StoredConfigValue]>([
    ["makes what is missing", undefined, ["a", 0, "b"], { a: [{ b: "new" }] }],
    ["fills a new list up to its place", undefined, [2], [null, null, "new"]],
    ["goes to the end of a list", ["x"], [1], ["x", "new"]],
    ["replaces", { a: 1, b: 2 }, ["a"], { a: "new", b: 2 }],
    ["replaces a plain value at the top by what the path needs", "text", ["a"], { a: "new" }],
    ["replaces a secret at the top by what the path needs", { secure: "v1:x" }, ["a"], { a: "new" }],
    ["may be called `__proto__`", { a: 1 }, ["__proto__"], JSON.parse('{"a": 1, "__proto__": "new"}')],
  ])("%s", (_, before, path, after) => {
    const result = withValueAt(before, path, "new");
    expect(JSON.stringify(sorted(result))).toBe(JSON.stringify(sorted(after)));
  });

  test.each<[string, StoredConfigValue, (string | number)[], RegExp]>([
    ["beyond the end of a list", ["x"], [3], /next free place is 1/],
    ["by name in a list", { a: ["x"] }, ["a", "b"], /`\.a` is not an object/],
    ["by index in an object", { a: { b: 1 } }, ["a", 0], /`\.a` is not a list/],
    ["within a plain value", { a: "x" }, ["a", "b"], /`\.a` is not an object/],
    ["within a secret", { a: { secure: "v1:x" } }, ["a", "b"], /`\.a` is not an object/],
    ["so that it looks like a secret", {}, ["secure"], /means a secret/],
  ])("is refused %s", (_, before, path, message) => {
    expect(() => withValueAt(before, path, "new")).toThrow(message);
  });

  test("is set afterwards, and everything else is unchanged", () => {
    const steps = fc.array(fc.constantFrom("a", "b", 0), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 5 }), steps, (earlier, path) => {
        const before = earlier.reduce<StoredConfigValue>(
          (value, one) => attempt(() => withValueAt(value, one, "old")) ?? value,
          {},
        );
        const after = attempt(() => withValueAt(before, path, "new"));
        if (after === undefined) return;
        expect(valueAt(after, path)).toBe("new");
        const apart = earlier.filter((one) => !startsWith(one, path) && !startsWith(path, one));
        for (const one of apart) expect(valueAt(after, one)).toEqual(valueAt(before, one));
        expect(valueAt(withoutValueAt(after, path), path)).not.toBe("new");
      }),
    );
  });
});

describe("a value removed by path", () => {
  test.each<[string, StoredConfigValue, (string | number)[], StoredConfigValue]>([
    ["a member", { a: 1, b: 2 }, ["a"], { b: 2 }],
    ["an element, and the next ones move up", ["x", "y", "z"], [1], ["x", "z"]],
    ["something deep", { a: [{ b: 1, c: 2 }] }, ["a", 0, "b"], { a: [{ c: 2 }] }],
    ["nothing where there is nothing", { a: 1 }, ["b", 0], { a: 1 }],
  ])("can be %s", (_, before, path, after) => {
    expect(withoutValueAt(before, path)).toEqual(after);
  });

  test("may not leave what looks like a secret", () => {
    expect(() => withoutValueAt({ secure: "text", a: 1 }, ["a"])).toThrow(/means a secret/);
  });
});

describe("the text of a value", () => {
  test.each<[StoredConfigValue, string]>([
    ["text", "text"],
    [42, "42"],
    [18446744073709551615n, "18446744073709551615"],
    [true, "true"],
    [null, "null"],
    [{ secure: "x" }, "X"],
    [{ b: 1, a: [{ secure: "x" }, null, 1.5] }, '{"a":["X",null,1.5],"b":1}'],
    [{ a: "<&>" }, '{"a":"\\u003c\\u0026\\u003e"}'],
    ["<&>", "<&>"],
  ])("%p is `%s`", (value, text) => {
    expect(configText(value, upper)).toBe(text);
  });

  test.each<[string, StoredConfigValue]>([
    ["true", true],
    ["false", false],
    ["True", "True"],
    ["42", 42],
    ["-7", -7],
    ["+7", 7],
    ["0", 0],
    ["007", "007"],
    ["1.5", "1.5"],
    ["18446744073709551615", 18446744073709551615n],
    ["18446744073709551616", "18446744073709551616"],
    ["", ""],
  ])("`%s` given for a path becomes %p, as in the CLI", (text, value) => {
    expect(valueOfText(text)).toBe(value);
  });

  test("tells a secret at any depth", () => {
    expect(
      [{ secure: "x" }, [{ a: { secure: "x" } }], { secure: 1 }, { secure: "x", a: 1 }, "x"].map(containsSecret),
    ).toEqual([true, true, false, false, false]);
  });
});

function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function startsWith(path: (string | number)[], start: (string | number)[]): boolean {
  return start.every((step, index) => path[index] === step);
}

function sorted(value: StoredConfigValue): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  return typeof value === "object" && value !== null
    ? Object.entries(value)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, member]) => [key, sorted(member)])
    : value;
}
