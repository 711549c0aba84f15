import { z } from "zod";
import { defineResource, resourceId } from "../../provider/core/declaration/resource";
import {
  BooleanField,
  Duration,
  Float,
  InputTimestamp,
  Int64,
  NonNegativeInt,
  nameOf,
  ResourceId,
  TextField,
  TextMap,
  textBelow,
} from "../../provider/core/fields/atoms";
import {
  closedEnum,
  closedMessage,
  directive,
  type Field,
  field,
  fieldsOf,
  immutable,
  message,
  openEnum,
  optional,
  providerOption,
  secret,
} from "../../provider/core/fields/fields";
import { describeIssue } from "../../provider/core/schema-issues";
import { inputFacts } from "../../tools/schema/facts";

const fieldOf = (schema: z.ZodType): Field => fieldsOf(z.object({ it: schema }))[0]!;

test.each<[string, z.ZodType, Partial<Field>]>([
  ["a text", TextField, { type: "string", required: true, closed: false }],
  ["an optional text", TextField.optional(), { type: "string", required: false }],
  ["a text that may be null", TextField.nullable().optional(), { type: "string", required: false }],
  ["a count", NonNegativeInt, { type: "integer", minimum: 0 }],
  ["a bounded number", z.number().min(0).max(2), { type: "number", minimum: 0, maximum: 2 }],
  ["a number between two", z.number().gt(0).lt(2), { exclusiveMinimum: 0, exclusiveMaximum: 2, minimum: undefined }],
  ["an unbounded whole number", z.int(), { type: "integer" }],
  ["a flag", BooleanField, { type: "boolean" }],
  [
    "a list",
    z.array(NonNegativeInt),
    { type: "array", item: expect.objectContaining({ type: "integer", path: "it[]" }) as unknown as Field },
  ],
  [
    "a map",
    TextMap,
    { type: "map", item: expect.objectContaining({ type: "string", path: "it{}" }) as unknown as Field },
  ],
  ["anything", z.unknown(), { type: "any" }],
  ["a closed enum", closedEnum({ a: "First.", b: "Second." }), { type: "string", values: ["a", "b"], closed: true }],
  ["an open enum", openEnum({ a: "First.", b: "Second." }), { type: "string", values: ["a", "b"], closed: false }],
  ["a limited text", textBelow(64), { type: "string", maxLength: 63 }],
  ["a 64-bit number", Int64, { type: "string", format: "int64" }],
  ["a time", InputTimestamp, { type: "string", format: "date-time" }],
  [
    "a message that may grow",
    message("Window", { from: TextField }),
    { type: "object", open: true, typeName: "Window" },
  ],
  [
    "a message that is known",
    closedMessage("Window", { from: TextField }),
    { type: "object", open: false, typeName: "Window" },
  ],
])("%s is described", (_, schema, expected) => {
  expect(fieldOf(schema)).toMatchObject(expected);
});

test("a number without bounds has none", () => {
  expect(fieldOf(z.int()).minimum).toBeUndefined();
  expect(fieldOf(z.number()).maximum).toBeUndefined();
});

test.each([
  [z.number().gt(0), 0, "More than 0.", "must be more than 0"],
  [z.number().lt(2), 2, "Less than 2.", "must be less than 2"],
  [z.number().gt(0).max(2), 0, "More than 0 and at most 2.", "must be more than 0"],
])("a limit that is not part of the range is worded as one (%#)", (schema, beyond, sentence, reason) => {
  expect(inputFacts(fieldOf(schema)).limits).toEqual([sentence]);
  const { issues } = schema.safeParse(beyond).error!;
  const names = { answered: [], namedBy: undefined, membersOf: () => [], placeOf: () => undefined };
  expect(describeIssue(issues[0]!, {}, names)).toEqual([{ path: "", reason }]);
});

test("a message keeps its name however it is marked, described and wrapped", () => {
  const window = message("Window", { from: TextField });
  expect(fieldOf(immutable(window).describe("When.").nullable().optional())).toMatchObject({
    typeName: "Window",
    required: false,
    markers: { immutable: true },
    description: "When.",
  });
});

test("members have paths from the root", () => {
  const [rules] = fieldsOf(
    z.object({
      rules: z.array(closedMessage("Rule", { model: TextField, limits: z.record(z.string(), NonNegativeInt) })),
    }),
  );
  expect(rules!.item!.fields!.map(({ path, item }) => [path, item?.path])).toEqual([
    ["rules[].model", undefined],
    ["rules[].limits", "rules[].limits{}"],
  ]);
});

test("markers add up from the inside out, and leave their schema alone", () => {
  const marked = field(secret(field(TextField, { onRemoval: "keep" })), { onRemoval: "clear" });
  expect(fieldOf(marked.optional()).markers).toEqual({ secret: true, onRemoval: "clear" });
  expect(fieldOf(TextField).markers).toEqual({});
  expect(fieldOf(Float).markers).toEqual({ float32: true });
});

test("a marker on the wrapper and one on what is wrapped both count", () => {
  expect(fieldOf(field(immutable(TextField).optional(), { watched: true })).markers).toEqual({
    immutable: true,
    watched: true,
  });
});

test("what a description says about a field is found on the wrapper first", () => {
  expect(fieldOf(TextField.describe("inner").optional()).description).toBe("inner");
  expect(fieldOf(TextField.describe("inner").optional().describe("outer")).description).toBe("outer");
});

test("optional fields may be absent or null", () => {
  const shape = z.object(optional({ a: TextField }));
  expect([{}, { a: null }, { a: "x" }].map((value) => shape.safeParse(value).success)).toEqual([true, true, true]);
});

test("a schema that no field can have is refused where it is declared", () => {
  expect(() => fieldOf(z.date())).toThrow("a resource field cannot be declared as zod type `date`");
  expect(() => fieldOf(z.enum(["a"]))).toThrow("`it` is an enum without meanings; declare it with `closedEnum`");
});

const accepts = (schema: z.ZodType, values: readonly unknown[]) =>
  values.filter((value) => schema.safeParse(value).success);

test.each<[string, z.ZodType, unknown[], unknown[]]>([
  ["durations", Duration, ["300s", "5m", "1h", "2d", "250ms", "1.5h"], ["", "5", "5 m", "-5m", "1h30m", "five", 300]],
  ["ids", ResourceId, ["chat", "Chat_1", "ada@example.com", "a.b"], ["", "a/b", "a b", "a?b", "a#b", "a%b", "a\n", 1]],
  ["64-bit numbers", Int64, ["0", "-1", "9007199254740993"], ["", "1.5", "0x1", "1e3", 1]],
  [
    "times",
    InputTimestamp,
    ["2030-01-31T00:00:00Z", "2030-01-31T00:00:00.123456789+05:30", "2030-01-31t00:00:00z"],
    ["2030-01-31", "yesterday", "2030-01-31T00:00:00", 0],
  ],
  ["limited texts", textBelow(3), ["", "ab", "\u{1F642}\u{1F642}"], ["abc", "\u{1F642}\u{1F642}\u{1F642}"]],
  ["names of objects", nameOf("models"), ["accounts/acme/models/m", "m"], [1]],
])("%s are told from what is none", (_, schema, good, bad) => {
  expect(accepts(schema, [...good, ...bad])).toEqual(good);
});

const Thing = defineResource("Thing", {
  summary: "A thing.",
  collection: "things",
  name: "accounts/{account}/things/{thingId}",
  identity: { decidedBy: "client" },
  inputs: z.strictObject({
    thingId: resourceId(ResourceId).optional(),
    size: NonNegativeInt,
    ...optional({ label: TextField, quick: directive(BooleanField) }),
    waitFor: providerOption(closedEnum({ ready: "Waits." }), "ready").optional(),
  }),
  outputs: z.object({ name: TextField, state: openEnum({ READY: "It serves." }).optional() }),
  operations: {},
  example: { size: 1 },
});

test("a resource's fields are grouped by their role", () => {
  const names = (fields: readonly Field[]) => fields.map(({ name }) => name);
  const { message: sent, outputs, directives, behaviours, resourceId: own } = Thing.fields;
  expect([names(sent), names(outputs), names(directives), own?.name]).toEqual([
    ["size", "label"],
    ["name", "state"],
    ["quick"],
    "thingId",
  ]);
  expect(names(behaviours)).toEqual(expect.arrayContaining(["waitFor", "adopt", "timeouts"]));
  expect(own).toMatchObject({ required: false, markers: { resourceId: true, immutable: true } });
});

test("every resource takes an account, and a change of it replaces the object", () => {
  expect(fieldsOf(Thing.inputs).find(({ name }) => name === "accountId")).toMatchObject({
    type: "string",
    required: false,
    markers: { immutable: true },
  });
});

test("a resource that says nothing has no rules and leaves nothing behind", () => {
  expect(Thing).toMatchObject({ kind: "Thing", rules: [], deletion: "hard" });
  expect(Object.isFrozen(Thing)).toBe(true);
});
