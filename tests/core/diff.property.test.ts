import fc from "fast-check";
import { desiredFields } from "../../provider/core/comparison/desired";
import { changesBetween, toDiffResult } from "../../provider/core/comparison/diff";
import { inputsAfterRead, outputsAfterRead, recordedInputs } from "../../provider/core/comparison/recorded";
import type { Field } from "../../provider/core/fields/fields";
import { updateOf } from "../../provider/core/wire/messages";
import { isNightly, longerAtNight } from "../nightly";
import type { Values } from "../values";
import { answerFor, services } from "./answering-service";
import { checkedInputsOf, specCases } from "./arbitraries";
import { changedByHand } from "./changed-by-hand";
import { outputsFor } from "./records";

const runs = { numRuns: isNightly ? 17 : 8 };

longerAtNight(() => {
  test.each(specCases)("what was created from a program of %s does not differ from it", (_, spec) => {
    fc.assert(
      fc.property(checkedInputsOf(spec), services, fc.gen(), (inputs, service, draw) => {
        const outputs = outputsFor(spec, inputs, answerFor(draw, service, spec, inputs));
        const changes = changesBetween(spec, outputs, inputs);
        expect(changes).toEqual([]);
        expect(toDiffResult(spec, changes, inputs)).toEqual({
          changes: false,
          replaces: [],
          deleteBeforeReplace: false,
        });
      }),
      runs,
    );
  });

  test.each(specCases)("the recorded outputs of %s give the inputs back", (_, spec) => {
    fc.assert(
      fc.property(checkedInputsOf(spec), services, fc.gen(), (inputs, service, draw) => {
        const outputs = outputsFor(spec, inputs, answerFor(draw, service, spec, inputs));
        expect(recordedInputs(spec, outputs)).toEqual(recorded(inputs));
      }),
      runs,
    );

    /** Signed addresses are stored nowhere (A097). */
    function recorded(inputs: Values): Values {
      const volatile = new Set(spec.fields.message.filter(({ markers }) => markers.volatile).map(({ name }) => name));
      return {
        accountId: "acme",
        ...Object.fromEntries(Object.entries(inputs).filter(([name]) => !volatile.has(name))),
      };
    }
  });

  test.each(specCases)("a different answer for the same %s is not drift", (_, spec) => {
    fc.assert(
      fc.property(checkedInputsOf(spec), services, fc.gen(), (inputs, service, draw) => {
        const outputs = outputsFor(spec, inputs, answerFor(draw, service, spec, inputs));
        const again = answerFor(draw, service, spec, inputs);
        expect(inputsAfterRead(spec, outputs, again)).toEqual(recordedInputs(spec, outputs));
        expect(changesBetween(spec, outputsAfterRead(spec, outputs, again), inputs)).toEqual([]);
      }),
      runs,
    );
  });

  test.each(specCases)("what someone changed on a %s shows in a read, at its own name", (_, spec) => {
    fc.assert(
      fc.property(checkedInputsOf(spec), services, fc.gen(), (inputs, service, draw) => {
        const answer = answerFor(draw, service, spec, inputs);
        const outputs = outputsFor(spec, inputs, answer);
        const field: Field = draw(fc.constantFrom, ...spec.fields.message);
        const live: Values = { ...answer, [field.name]: changedByHand(field, inputs[field.name], answer[field.name]) };
        fc.pre(live[field.name] !== undefined);
        const read = inputsAfterRead(spec, outputs, live);
        const drifted = Object.keys(read).filter(
          (name) => JSON.stringify(read[name]) !== JSON.stringify(recordedInputs(spec, outputs)[name]),
        );
        expect(drifted).toEqual([field.name]);
        const effect = field.markers.immutable ? "replace" : "update";
        expect([
          ...new Set(
            changesBetween(spec, outputsAfterRead(spec, outputs, live), inputs).map(
              (change) => `${change.effect} ${change.property}`,
            ),
          ),
        ]).toEqual([`${effect} ${field.name}`]);
      }),
      runs,
    );
  });

  test.each(specCases)("an answer of %s unlike its declaration is recorded, read and compared", (_, spec) => {
    const names = [...spec.fields.message, ...spec.fields.outputs].map(({ name }) => name);
    const answers = fc
      .dictionary(fc.constantFrom(...names), fc.jsonValue(), { maxKeys: 8 })
      .map((answer) => ({ ...answer, name: `accounts/acme/${spec.collection}/one` }));
    fc.assert(
      fc.property(checkedInputsOf(spec), answers, answers, (inputs, first, later) => {
        const outputs = outputsFor(spec, inputs, first);
        const changes = changesBetween(spec, outputsAfterRead(spec, outputs, later), inputs);
        const update = updateOf(
          spec,
          later,
          desiredFields(spec, inputs, outputs["managedFields"] as string[]),
          changes,
        );
        expect([inputsAfterRead(spec, outputs, later), update]).toEqual([
          expect.any(Object),
          { mask: expect.any(Array), body: expect.any(Object) },
        ]);
      }),
      runs,
    );
  });
});
