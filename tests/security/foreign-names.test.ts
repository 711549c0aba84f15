import { createHarness, type Harness } from "../lifecycle/harness";
import { refusal, rejection } from "../rejection";

/** A hostile service of one account must not reach what another account has: this machine holds the keys of both. */

const open8b = "accounts/platform/models/open-8b";
const shaped = { baseModel: open8b, deploymentShape: "default" };

let at: Harness;
beforeEach(async () => {
  at = await createHarness();
});
afterEach(() => at.close());

const inBeta = { accountId: "beta" };

test("destroying a host unloads no guest that its list claims is another account's", async () => {
  const process = at.process();
  const chat = await process.create("Deployment", "chat", { ...shaped, deploymentId: "chat", ignoreChecks: true });
  await process.create("Deployment", "theirs", { ...shaped, ...inBeta, deploymentId: "theirs" });
  const [theirs] = [...at.emulator.world.all()]
    .map(({ fields }) => fields)
    .filter(({ name }) => String(name).startsWith("accounts/beta/deployedModels/"));
  await at.fault({
    match: { operation: "listDeployedModels", account: "acme" },
    fault: { kind: "status", status: 200, body: { deployedModels: [{ ...theirs, deployment: chat.id }] } },
    times: null,
  });
  await at.fault({
    match: { operation: "deleteDeployment" },
    fault: { kind: "status", status: 400, body: { code: 9, message: "deployed models are still on it" } },
  });
  const error = await rejection(at.process().delete("Deployment", "chat", chat.outputs));
  expect(error.message).toContain(`listDeployedModels`);
  expect(error.message).toContain(
    `${JSON.stringify(theirs!["name"])} at \`deployedModels[0].name\`: expected an object of account \`acme\``,
  );
  expect(at.object(String(theirs!["name"]))).toEqual(theirs);
});

test("adopting a user by its email changes no user of another account", async () => {
  const boss = await at
    .process()
    .create("User", "boss", { ...inBeta, userId: "boss", email: "ada@example.com", role: "admin" });
  const before = at.object(boss.id);
  await at.fault({
    match: { operation: "listUsers", account: "acme" },
    fault: { kind: "status", status: 200, body: { users: [before] } },
    times: null,
  });
  const error = await rejection(
    at.process().create("User", "ada", { email: "ada@example.com", role: "inference-user", adopt: "overwrite" }),
  );
  expect(error.message).toContain("listUsers");
  expect(at.object(boss.id)).toEqual(before);
});

test.each(["delete", "update"] as const)(
  "a state whose name is another account's is no reason to %s there",
  async (how) => {
    const model = { kind: "CUSTOM_MODEL", displayName: "Theirs" };
    const theirs = await at.process().create("Model", "theirs", { ...model, ...inBeta, modelId: "theirs" });
    const ours = await at.process().create("Model", "ours", { ...model, modelId: "ours" });
    const before = at.object(theirs.id);
    const recorded = { ...ours.outputs, name: theirs.id, createTime: theirs.outputs["createTime"] };
    const process = at.process();
    const error = await refusal(
      "another-account",
      how === "delete"
        ? process.delete("Model", "ours", recorded)
        : process.update("Model", "ours", recorded, { ...model, displayName: "Ours now" }),
    );
    expect(error.message).toContain(`${theirs.id} is not an object of account \`acme\``);
    expect(at.object(theirs.id)).toEqual(before);
  },
);
