import fc from "fast-check";
import { plainOutput } from "../../engine/display/display";
import type { EngineEvent } from "../../engine/events";
import type { ResourceProvider } from "../../engine/providers/providers";
import type { ResourceState, StateValue } from "../../engine/state/resource-state";
import { KnownSecrets } from "../../engine/values/known-secrets";
import { makeSecret } from "../../engine/values/values";
import { failed, finished, said, started, step, summary } from "./display/script";
import { Rig } from "./rig";

const password = "s3cr3t-Token-0123456789";

/** Texts in which a service or a program repeats the secret. */
const echo = fc
  .tuple(fc.constantFrom("", "key ", "https://u:"), fc.constantFrom("", " is taken", "@host/"))
  .map(([before, after]) => `${before}${password}${after}`);
/** Values of properties: marked, in texts of any depth, as names of members. */
const value: fc.Arbitrary<StateValue> = fc.oneof(
  echo,
  echo.map(makeSecret),
  echo.map((text) => [text, 7, null]),
  echo.map((text) => ({ [text]: true })),
  echo.map((text) => ({ deep: [{ deeper: makeSecret({ deepest: text }) }, text] })),
);
const properties = fc.record({ plain: value, other: value });

const state: fc.Arbitrary<Partial<ResourceState>> = fc.record(
  {
    inputs: properties,
    outputs: properties,
    initErrors: fc.array(echo, { minLength: 1, maxLength: 2 }),
    replacementTrigger: value,
    laterKeyOfTheFormat: value,
    additionalSecretOutputs: fc.constant(["plain"]),
  },
  { requiredKeys: [] },
);
const anyStep = fc
  .record({ old: state, fresh: state, value, path: echo })
  .map(({ old, fresh, value: changed, path }) => {
    const base = step("update", "a", { diffs: [{ path, kind: "update", old: changed, new: changed }] });
    return { ...base, old: { ...base.old!, ...old }, new: { ...base.new!, ...fresh } };
  });

/** An event of each kind, with the secret wherever the kind can have a text. A new kind does not compile without. */
const events: { [Kind in EngineEvent["kind"]]: fc.Arbitrary<EngineEvent> } = {
  prelude: fc.constant({ kind: "prelude", operation: "up", stack: "dev", preview: false, time: 0 }),
  stepStarted: anyStep.map((each) => started(0, each)),
  stepFinished: anyStep.map((each) => finished(0, each)),
  stepFailed: fc.tuple(anyStep, echo).map(([each, text]) => failed(0, each, text)),
  diagnostic: fc.tuple(echo, fc.boolean()).map(([text, ephemeral]) => said(0, text, { ephemeral })),
  summary: properties.map((outputs) => summary(0, {}, { outputs })),
};

test.each(Object.entries(events))("an event %s holds no secret that the operation knows", (_, event) => {
  const secrets = new KnownSecrets();
  secrets.learn(makeSecret(password));
  fc.assert(
    fc.property(event, (each) => {
      let received: EngineEvent | undefined;
      const output = plainOutput({ onEvent: (one) => (received = one) });
      output.emit(secrets.maskEvent(each));
      output.close();
      expect(received?.kind).toBe(each.kind);
      expect(JSON.stringify(received)).not.toContain(password);
    }),
  );
});

/** A stack of one box, whose provider alone knows that `token` is a secret. */
function guarded(calls: Partial<ResourceProvider>): Rig {
  const rig = new Rig();
  const serve = rig.cloud.serve.bind(rig.cloud);
  rig.cloud.serve = (config) => ({ ...serve(config), ...calls });
  return rig;
}

const box = { name: "a", properties: { label: "a", token: password } };

test("what a check finds to be a secret is masked in the refusal of the create", async () => {
  const rig = guarded({
    check: async ({ news }) => ({ inputs: { ...news, token: makeSecret(password) }, failures: [] }),
    create: () => Promise.reject(new Error(`${password} is taken`)),
  });
  expect(await rig.up([box])).toBe(false);
  expect(rig.errors()).toEqual(["[secret] is taken"]);
});

test("what a refresh finds to be a secret is masked in why the object is not ready", async () => {
  const rig = guarded({
    read: async ({ id }) => ({
      id,
      inputs: { label: "a", token: makeSecret(password) },
      outputs: { label: "a" },
      initErrors: [`${password} is too weak`],
    }),
  });
  expect(await rig.up([{ name: "a", properties: { label: "a" } }])).toBe(true);
  await rig.refresh();
  const steps = rig.events.flatMap((event) =>
    event.kind === "stepFinished" || event.kind === "stepFailed" ? [event.step.new?.initErrors] : [],
  );
  expect(steps).toContainEqual(["[secret] is too weak"]);
  expect(JSON.stringify(rig.events.filter(({ kind }) => kind === "diagnostic"))).not.toContain(password);
});
