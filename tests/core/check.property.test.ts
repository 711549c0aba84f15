import fc from "fast-check";
import { check } from "../../provider/core/check";
import { changesBetween } from "../../provider/core/comparison/diff";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { Segment } from "../../provider/core/values/values";
import { isNightly, longerAtNight } from "../nightly";
import type { Values } from "../values";
import { answerFor, services } from "./answering-service";
import { checkedInputsOf, inputsOf, specCases, valueOf } from "./arbitraries";
import { outputsFor } from "./records";

const runs = { numRuns: isNightly ? 17 : 8 };

/** Stand-ins for values not known in preview: text, flag, number, list, asset, archive, object. */
const sentinels = fc.constantFrom(
  "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
);

/** Inputs with something wrong somewhere, or everywhere. */
const anyInputs = (spec: ResourceSpec): fc.Arbitrary<Values> =>
  fc
    .tuple(
      inputsOf(spec),
      fc.dictionary(fc.oneof(fc.string(), fc.constantFrom(...Object.keys(spec.inputs.shape))), fc.jsonValue(), {
        maxKeys: 4,
      }),
    )
    .map(([values, wrong]) => ({ ...values, ...wrong }));

longerAtNight(() => {
  test.each(specCases)("checking what check gave for %s changes nothing", (_, spec) => {
    fc.assert(
      fc.property(anyInputs(spec), (inputs) => {
        const once = check(spec, {}, inputs);
        expect(check(spec, {}, once.inputs)).toEqual(once);
      }),
      runs,
    );
  });

  test.each(specCases)("check of %s adds defaults of this provider's options and changes nothing given", (_, spec) => {
    const options = Object.fromEntries(
      spec.fields.behaviours
        .filter(({ markers }) => markers.behaviour?.default !== undefined)
        .map(({ name, markers }) => [name, markers.behaviour!.default]),
    );
    fc.assert(
      fc.property(anyInputs(spec), anyInputs(spec), (olds, news) =>
        expect(check(spec, olds, news).inputs).toEqual({ ...options, ...news }),
      ),
      runs,
    );
  });

  test.each(specCases)("an unknown in any property of %s survives check and fails nowhere", (_, spec) => {
    fc.assert(
      fc.property(inputsOf(spec), sentinels, fc.nat(), (inputs, unknown, place) => {
        const places = placesIn(inputs);
        const path = places[place % places.length]!;
        const given = withValue(inputs, path, unknown) as Values;
        const answer = check(spec, {}, given);
        expect(answer.failures).toEqual([]);
        expect(answer.inputs).toEqual({ ...check(spec, {}, inputs).inputs, ...given });
      }),
      runs,
    );
  });

  test.each(specCases)("any property of %s may be unknown where the program would have set it", (_, spec) => {
    fc.assert(
      fc.property(
        inputsOf(spec),
        sentinels,
        fc.constantFrom(...Object.keys(spec.inputs.shape)),
        (inputs, unknown, name) => {
          expect(check(spec, inputs, { ...inputs, [name]: unknown }).failures).toEqual([]);
        },
      ),
      runs,
    );
  });

  test.each(specCases)("an unknown in any property of %s is a difference in preview and no error", (_, spec) => {
    fc.assert(
      fc.property(checkedInputsOf(spec), services, fc.gen(), sentinels, (inputs, service, draw, unknown) => {
        const outputs = outputsFor(spec, inputs, answerFor(draw, service, spec, inputs));
        const field = draw(
          fc.constantFrom,
          ...spec.fields.message.filter(
            ({ markers }) => !markers.inputOnly && !markers.volatile && markers.deprecated === undefined,
          ),
        );
        expect(
          changesBetween(spec, outputs, { ...inputs, [field.name]: unknown }).map(({ property }) => property),
        ).toContain(field.name);
      }),
      runs,
    );
  });

  test.each(specCases)("a property that %s lacks fails at its name, or at none if it may hold a secret", (_, spec) => {
    fc.assert(
      fc.property(
        inputsOf(spec),
        fc.stringMatching(/^z[a-z]{9,12}$/),
        valueOf(spec.fields.message[0] ?? spec.fields.behaviours[0]!),
        (inputs, name, value) => {
          const { failures } = check(spec, {}, { ...inputs, [name]: value });
          expect(failures).toHaveLength(1);
          expect(failures[0]!.property === "" ? failures[0]!.reason : failures[0]!.property).toContain(name);
        },
      ),
      runs,
    );
  });
});

/** Every place of a value: members, elements, entries. */
function placesIn(value: unknown, path: readonly Segment[] = []): (readonly Segment[])[] {
  const own = path.length === 0 ? [] : [path];
  if (value === null || typeof value !== "object") return own;
  const inner = Array.isArray(value) ? value.map((entry, index) => [index, entry] as const) : Object.entries(value);
  return [...own, ...inner.flatMap(([step, member]) => placesIn(member, [...path, step]))];
}

function withValue(value: unknown, [step, ...rest]: readonly Segment[], replacement: unknown): unknown {
  if (step === undefined) return replacement;
  if (Array.isArray(value))
    return value.map((entry, index) => (index === step ? withValue(entry, rest, replacement) : entry));
  return { ...(value as Values), [step]: withValue((value as Values)[step], rest, replacement) };
}
