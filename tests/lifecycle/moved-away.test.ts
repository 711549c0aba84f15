import type { ErrorAnswers } from "../../provider/core/error-codes";
import type { Values } from "../../provider/lifecycle/types";
import { rejection } from "../rejection";
import { engineState } from "./engine-state";
import { createHarness, type Harness, hiddenOf } from "./harness";

/** An engine that cannot be asked has moved an object to another stack: the journals of the machine may know. */

const automatic = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };
const chat = { ...automatic, deploymentId: "chat" };
const urn = hiddenOf("Deployment", "it", "people").urn;
const id = "accounts/acme/deployments/chat";
const had = `by the journal of this machine, the stack people had it after this one, as ${urn}: if it still has it, leave this resource out of the program here`;

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

/** A stack made it; another one has it now, and has run since. */
async function moved(): Promise<Values> {
  const { outputs } = await at.process().create("Deployment", "it", chat);
  await at.process().diff("Deployment", "it", outputs, chat);
  await at.clock.sleep(1000);
  await at.process({}, {}, "people").diff("Deployment", "it", outputs, chat);
  return outputs;
}

test("`adopt` says so, and what it takes stays when the declaration goes", async () => {
  await moved();
  const run = at.process();
  const { outputs } = await run.create("Deployment", "it", { ...chat, adopt: "ifEqual" });
  expect(outputs).toMatchObject({ adopted: true });
  expect(run.messages.join("\n")).toContain(
    `warning: Deployment ${id} is taken; ${had}, and run \`pulumi state delete`,
  );
  await at.process().delete("Deployment", "it", outputs);
  expect(at.names("deployments")).toEqual([id]);
});

test("`recover: take` says so", async () => {
  await moved();
  const run = at.process({ recover: "take" });
  await run.create("Deployment", "it", chat);
  expect(run.messages.join("\n")).toContain(`is taken; ${had}`);
});

test("the error that offers `recover: take` says so first", async () => {
  await moved();
  expect((await rejection(at.process().create("Deployment", "it", chat))).message).toContain(had);
});

test.each<[string, Values, ErrorAnswers]>([
  ["a chosen id", chat, { otherId: true }],
  ["an automatic id", automatic, { recover: ["new"] }],
])("an engine that can be asked has what another stack has at %s refused", async (_, inputs, answers) => {
  const made = await at.process().create("Deployment", "it", inputs);
  await at.process().diff("Deployment", "it", made.outputs, inputs);
  const state = engineState();
  const holder = { project: "shop", stack: "people", urn };
  state.others.set(made.id, { holder, outputs: made.outputs });
  const error = await rejection(at.process({}, { state }).create("Deployment", "it", inputs));
  expect(error).toMatchObject({
    code: "held-by-another-stack",
    about: { object: made.id, resource: urn, stack: "people" },
    answers,
  });
});
