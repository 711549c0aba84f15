import { rejection } from "../rejection";
import { createHarness, type Harness } from "./harness";

/**
 * Before an object goes to make room for its replacement, the service may be asked whether it accepts the replacement:
 * by a create with `validateOnly`, which a service may obey all the same.
 */

const fixed = {
  deploymentId: "chat",
  baseModel: "accounts/platform/models/open-8b",
  deploymentShape: "default",
  onSoftDeletedConflict: "hardDelete",
};
const replaced = { ...fixed, preemptible: true };

let at: Harness;
afterEach(() => at.close());

/** What a preview of the replacement does, in a process of its own: the diff, and the check that follows it. */
async function preview(config: Record<string, string> = {}) {
  const { outputs } = await at.process().create("Deployment", "chat", fixed);
  await at.requests();
  const process = at.process(config);
  expect(await process.diff("Deployment", "chat", outputs, replaced)).toMatchObject({ deleteBeforeReplace: true });
  const { failures } = await process.judge("Deployment", "chat", replaced);
  return { process, outputs, failures };
}

const posts = async (): Promise<string[]> =>
  (await at.requests()).filter((request) => request === "POST /v1/accounts/acme/deployments");

test.each([
  ["honors", {}],
  ["ignores", { validateOnly: "ignore" }],
] as const)("a preview sends no create while it is unknown if the service %s `validateOnly`", async (_, settings) => {
  at = await createHarness(settings);
  expect((await preview()).failures).toEqual([]);
  expect(await posts()).toEqual([]);
  expect(at.names("deployments")).toEqual(["accounts/acme/deployments/chat"]);
});

test("a preview asks a service of which the setting says that it honors `validateOnly`", async () => {
  at = await createHarness();
  await preview({ validateOnly: "honored" });
  expect(await posts()).toHaveLength(1);
  expect(at.names("deployments")).toEqual(["accounts/acme/deployments/chat"]);
});

test("a validation that the service obeys names what it made, and the old object stays", async () => {
  at = await createHarness({ validateOnly: "ignore" });
  const { process, outputs } = await preview();
  const { message } = await rejection(process.delete("Deployment", "chat", outputs));
  const made = at.names("deployments").find((name) => !String(name).endsWith("/chat"));
  expect(message).toContain(
    `the service created ${made} nevertheless. Delete ${made}, and set \`modelplatform:validateOnly\``,
  );
  expect(at.object("accounts/acme/deployments/chat")).toMatchObject({ state: "READY" });
});

test("with the setting `ignored` no validation is sent, and the object is replaced", async () => {
  at = await createHarness({ validateOnly: "ignore" });
  const { process, outputs } = await preview({ validateOnly: "ignored" });
  await process.delete("Deployment", "chat", outputs);
  expect(await posts()).toEqual([]);
  await process.create("Deployment", "chat", replaced);
  expect(at.names("deployments")).toEqual(["accounts/acme/deployments/chat"]);
});

test("what an answer has shown holds for the rest of the process", async () => {
  at = await createHarness();
  const { process, outputs } = await preview();
  await process.delete("Deployment", "chat", outputs);
  expect(await posts()).toHaveLength(1);
  const other = { ...fixed, deploymentId: "search" };
  const { outputs: second } = await process.create("Deployment", "search", other);
  await at.requests();
  await process.diff("Deployment", "search", second, { ...other, preemptible: true });
  await process.check("Deployment", "search", { ...other, preemptible: true });
  expect(await posts()).toHaveLength(1);
});
