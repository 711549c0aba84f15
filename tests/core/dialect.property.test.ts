import fc from "fast-check";
import type { Field } from "../../provider/core/fields/fields";
import { createDialect } from "../../provider/core/wire/dialect";
import { type DialectTable, membersOf, readDialect } from "../../provider/core/wire/vocabulary";
import { allSpecs } from "../../provider/resources/index";
import { isNightly, longerAtNight } from "../nightly";
import type { Values } from "../values";
import { answerFor, services } from "./answering-service";
import { checkedInputsOf, specCases } from "./arbitraries";
import { elvish } from "./dialects";

const runs = { numRuns: isNightly ? 20 : 8 };

const within = (fields: readonly Field[]): Field[] =>
  fields.flatMap((field) => [field, ...within(field.fields ?? []), ...(field.item ? within([field.item]) : [])]);
const everyField = allSpecs.flatMap((spec) => within(membersOf(spec)));
const fieldNames = [...new Set(everyField.map(({ name }) => name))].filter((name) => !name.includes("_"));
const values = [...new Set(everyField.flatMap((field) => field.values ?? []))];

/** Any dialect at all that is fit for use. */
const dialects: fc.Arbitrary<DialectTable> = fc
  .record({
    fields: fc.dictionary(
      fc.constantFrom(...fieldNames),
      fc.oneof(fc.constantFrom(...fieldNames), fc.stringMatching(/^[a-z][A-Za-z0-9]{0,8}$/)),
      { maxKeys: 12 },
    ),
    values: fc.dictionary(
      fc.oneof(fc.constantFrom(...values), fc.constantFrom("VENDOR1_", "VENDOR2_", "HUB_", "JOB_STATE_")),
      fc.stringMatching(/^[A-Z]{2,8}_$/),
      { maxKeys: 6 },
    ),
  })
  .filter((table) => readDialect(table, allSpecs).problems.length === 0);

const tables = fc.oneof(fc.constant(elvish), dialects);

longerAtNight(() => {
  test.each(specCases)("what a program sends of %s survives a way there and back, in any dialect", (_, spec) => {
    fc.assert(
      fc.property(tables, checkedInputsOf(spec), (table, inputs) => {
        const { theirs, ours } = createDialect(table, allSpecs);
        const body: Values = Object.fromEntries(
          spec.fields.message.flatMap(({ name }) => (inputs[name] === undefined ? [] : [[name, inputs[name]]])),
        );
        const wire = spec.operations["create"]?.body?.wrap
          ? { [spec.operations["create"].body.wrap.message]: body }
          : body;
        expect(ours.request({ spec, verb: "create" }, theirs.request({ spec, verb: "create" }, wire))).toEqual(wire);
        expect(ours.request({ spec, verb: "update" }, theirs.request({ spec, verb: "update" }, body))).toEqual(body);
      }),
      runs,
    );
  });

  test.each(specCases)("what a service answers of %s survives a way there and back, in any dialect", (_, spec) => {
    fc.assert(
      fc.property(tables, checkedInputsOf(spec), services, fc.gen(), (table, inputs, service, draw) => {
        const { theirs, ours } = createDialect(table, allSpecs);
        const answer = answerFor(draw, service, spec, inputs);
        const list = { [spec.collection]: [answer, answer], totalSize: 2 };
        expect(ours.answer({ spec, verb: "get" }, theirs.answer({ spec, verb: "get" }, answer))).toEqual(answer);
        expect(ours.answer({ spec, verb: "list" }, theirs.answer({ spec, verb: "list" }, list))).toEqual(list);
      }),
      runs,
    );
  });
});

/** Texts of a message that are nobody's words: keys of maps, and texts of fields that are no enums. */
function freeText(fields: readonly Field[], message: Values): string[] {
  return fields.flatMap((field) => textsIn(field, message[field.name]));
}

function textsIn(field: Field, value: unknown): string[] {
  if (typeof value === "string") return field.values ? [] : [value];
  if (typeof value !== "object" || value === null) return [];
  if (field.type === "array") return (value as unknown[]).flatMap((entry) => textsIn(field.item!, entry));
  if (field.type === "map")
    return Object.entries(value).flatMap(([key, entry]) => [key, ...textsIn(field.item!, entry)]);
  return field.fields ? freeText(field.fields, value as Values) : [];
}

const textsOf = (value: unknown): string[] =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([key, entry]) => [key, ...textsOf(entry)])
      : [];

longerAtNight(() => {
  test.each(specCases)("no dialect touches keys of maps and free text of %s", (_, spec) => {
    fc.assert(
      fc.property(tables, checkedInputsOf(spec), (table, inputs) => {
        const body: Values = Object.fromEntries(
          spec.fields.message.flatMap(({ name }) => (inputs[name] === undefined ? [] : [[name, inputs[name]]])),
        );
        const sent = textsOf(createDialect(table, allSpecs).theirs.request({ spec, verb: "update" }, body));
        for (const text of freeText(spec.fields.message, body)) expect(sent).toContain(text);
      }),
      runs,
    );
  });
});

test("any text at all as a filter comes back as it was, and never fails", () => {
  const pieces = fc.constantFrom(
    "state",
    "base_model",
    "phase",
    "llm",
    " ",
    "=",
    ":",
    "(",
    ")",
    "AND",
    "OR",
    '"',
    "'",
    "\\",
    ".",
    "-",
    "READY",
    "VENDOR1_X",
    "annotations",
    "scale_up_window",
    "a.b",
    "<=",
  );
  const filters = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join("")),
  );
  const spec = specCases.find(([kind]) => kind === "Deployment")![1];
  fc.assert(
    fc.property(filters, (filter) => {
      const { theirs, ours } = createDialect(elvish, allSpecs);
      const [, there] = theirs.parameter({ spec, verb: "list" }, "filter", filter);
      const [, back] = ours.parameter({ spec, verb: "list" }, "filter", there);
      const [, again] = theirs.parameter({ spec, verb: "list" }, "filter", back);
      expect(again).toBe(there);
    }),
    { numRuns: 200 },
  );
});
