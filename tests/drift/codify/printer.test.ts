import * as fc from "fast-check";
import { ModuleKind, ScriptTarget, transpileModule } from "typescript";
import { Code, commentText, expression } from "../../../drift/codify/printer";

const compiled = (source: string) =>
  transpileModule(`export default ${source};`, {
    reportDiagnostics: true,
    compilerOptions: { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022 },
  });

/** The value of a printed expression, as the compiler understands it. */
function valueOf(source: string): unknown {
  const { outputText, diagnostics = [] } = compiled(source);
  expect(diagnostics.map(({ messageText }) => messageText)).toEqual([]);
  const module = { exports: {} as { default?: unknown } };
  new Function("module", "exports", outputText)(module, module.exports);
  return module.exports.default;
}

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom(
      "\n",
      "\r",
      "`",
      "$",
      "{",
      "}",
      "\\",
      '"',
      "'",
      "u",
      "\u2028",
      "\u202e",
      "\ud800",
      "*/",
      "</script>",
      " ".repeat(30),
    ),
    maxLength: 40,
  }),
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.boolean(),
    fc.constant(null),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Object.is(number, -0)),
    fc.array(tie("any"), { maxLength: 4 }),
    tie("object"),
  ),
  object: fc.dictionary(fc.oneof(text, fc.constantFrom("__proto__", "constructor", "class", "a")), tie("any"), {
    maxKeys: 4,
    noNullPrototype: true,
  }),
})).any;

test("a printed value compiles and is the same value, whatever it holds", () => {
  fc.assert(
    fc.property(value, (given) => expect(valueOf(expression(given))).toEqual(given)),
    { numRuns: 200 },
  );
});

test("a member `__proto__` is a member and no prototype", () => {
  const given = JSON.parse('{"__proto__": {"a": 1}}') as object;
  const back = valueOf(expression(given)) as object;
  expect(Object.getPrototypeOf(back)).toBe(Object.prototype);
  expect(Object.keys(back)).toEqual(["__proto__"]);
});

test.each([
  ["what fits stays on its line", { a: 1, b: ["x", true] }, '{ a: 1, b: ["x", true] }'],
  ["nothing", {}, "{}"],
  ["keys are quoted where they must be", { "custom/team": "a", class: "b" }, '{ "custom/team": "a", class: "b" }'],
  ["code stays code", { model: new Code("tuning.outputModelName") }, "{ model: tuning.outputModelName }"],
  ["what cannot be seen is spelt out", "a\u202eb\u200b", '"a\\u202eb\\u200b"'],
  [
    "a long text keeps its lines",
    `${"long ".repeat(12)}\n\`\${x}\`\nend`,
    `\`${"long ".repeat(12)}\n\\\`\\\${x}\\\`\nend\``,
  ],
])("%s", (_, given, printed) => {
  expect(expression(given)).toBe(printed);
});

test("what does not fit goes to a line per member, deeper and deeper", () => {
  const long = "x".repeat(60);
  expect(expression({ first: long, nested: { second: long, third: [long, long] } })).toBe(
    `{\n    first: "${long}",\n    nested: {\n        second: "${long}",\n        third: [\n            "${long}",\n            "${long}",\n        ],\n    },\n}`,
  );
});

test("a remark cannot end its line", () => {
  expect(commentText("accounts/a\nprocess.exit()\u2028x\r")).not.toMatch(/[\n\r\u2028]/);
});
