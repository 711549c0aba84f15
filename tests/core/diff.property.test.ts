import fc from "fast-check";
import { changesBetween, diffAnswer } from "../../provider/core/diff";
import { inputsAfterRead, outputsAfterRead, recordedInputs } from "../../provider/core/recorded";
import { answerFor, services } from "./answering-service";
import { checkedInputsOf, specCases, type Values } from "./arbitraries";
import { outputsFor } from "./records";

const runs = { numRuns: 100 };

test.each(specCases)("what was created from a program of %s does not differ from it, however the service answers", (_, spec) => {
  fc.assert(
    fc.property(checkedInputsOf(spec), services, fc.gen(), (inputs, service, draw) => {
      const outputs = outputsFor(spec, inputs, answerFor(draw, service, spec, inputs));
      const changes = changesBetween(spec, outputs, inputs);
      expect(changes).toEqual([]);
      expect(diffAnswer(spec, changes, inputs)).toEqual({ changes: false, replaces: [], deleteBeforeReplace: false });
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
    return { accountId: "acme", ...Object.fromEntries(Object.entries(inputs).filter(([name]) => !volatile.has(name))) };
  }
});

test.each(specCases)("another answer for the same %s is no drift", (_, spec) => {
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
