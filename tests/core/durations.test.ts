import fc from "fast-check";
import { differences, durationSeconds } from "../../provider/core/fields/equality";
import type { Field } from "../../provider/core/fields/fields";
import { specs } from "../../provider/resources/index";
import { protobufDuration } from "./answering-service";

type Named = { readonly fields: { readonly message: readonly Field[] } };

const fieldOf = (spec: Named, name: string): Field => spec.fields.message.find((field) => field.name === name)!;

const deployment = (name: string) => fieldOf(specs.Deployment, name);

test.each<[string, number]>([
  ["300s", 300],
  ["5m", 300],
  ["1h", 3600],
  ["2d", 172_800],
  ["250ms", 0.25],
  ["1.5h", 5400],
  ["0.1s", 0.1],
  ["1.1m", 66],
])("the duration %s is %d seconds", (text, seconds) => {
  expect(durationSeconds(text)).toBe(seconds);
});

test.each(["", "5", "m", "5 m", "-5m", "1h30m", "5M", "NaNs"])("%j is not a duration", (text) => {
  expect(durationSeconds(text)).toBeNaN();
});

test("every spelling of a duration is the same as the service's", () => {
  const policy = deployment("autoscalingPolicy");
  const spellings = fc
    .tuple(fc.integer({ min: 0, max: 100_000 }), fc.constantFrom("ms", "s", "m", "h", "d"))
    .map(([count, unit]) => `${count}${unit}`);
  fc.assert(
    fc.property(spellings, (text) =>
      expect(differences(policy, { scaleUpWindow: text }, { scaleUpWindow: protobufDuration(text) })).toEqual([]),
    ),
  );
});
