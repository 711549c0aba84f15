import { createHarness, type Harness } from "../lifecycle/harness";
import { expectSpoken } from "./scene";

type Values = Record<string, unknown>;

/** Life cycles of both accounts against one service, which lies about acme. */
async function lying(work: (at: Harness) => Promise<void>): Promise<void> {
  const at = await createHarness();
  try {
    await at.put("accounts/beta/users/root", { email: "ada@example.com", role: "admin", displayName: "Root" });
    await at.put("accounts/beta/secrets/vault", { keyName: "VAULT", value: "v" });
    await at.put("accounts/beta/deployments/prod", { baseModel: "accounts/platform/models/open-8b", state: "READY" });
    await at.put("accounts/beta/deployedModels/prod", {
      model: "accounts/platform/models/open-8b",
      deployment: "accounts/beta/deployments/prod",
      state: "DEPLOYED",
    });
    const before = betaOf(at);
    await at.requests();
    await work(at);
    expect((await at.requests()).filter((sent) => /^(?!GET).*accounts\/beta\//.test(sent))).toEqual([]);
    expect(betaOf(at)).toEqual(before);
  } finally {
    await at.close();
  }
}

const betaOf = ({ emulator }: Harness): Values[] =>
  [...emulator.world.all()].map(({ fields }) => fields).filter(({ name }) => String(name).startsWith("accounts/beta/"));

/** From now on the operation on acme is answered so. */
const lie = (at: Harness, operation: string, body: unknown): Promise<void> =>
  at.fault({ match: { operation, account: "acme" }, fault: { kind: "status", status: 200, body }, times: null });

/** The operation on acme is refused once, as where something else has to go first. */
const refuseOnce = (at: Harness, operation: string): Promise<void> =>
  at.fault({
    match: { operation, account: "acme" },
    fault: { kind: "status", status: 400, body: { code: 9, message: "deployed models are still on it" } },
    times: 1,
  });

/** Ends well or with an error of its own, never with a fault of the program. */
async function attempt(work: Promise<unknown>): Promise<string> {
  const message = await work.then(
    () => "",
    (error: Error) => String(error.stack?.includes("TypeError") ? error.stack : error.message),
  );
  expectSpoken(message);
  return message;
}

const chat = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default", deploymentId: "chat" };
const chatName = "accounts/acme/deployments/chat";

for (const [what, name] of [
  ["another account's deployed model", "accounts/beta/deployedModels/prod"],
  ["another account's deployment", "accounts/beta/deployments/prod"],
  ["another account's user", "accounts/beta/users/root"],
  ["another account's secret", "accounts/beta/secrets/vault"],
  ["a path that climbs", "accounts/acme/deployedModels/../../beta/deployedModels/prod"],
] as const) {
  test(`destroying a host with ${what} among its guests leaves that alone`, () =>
    lying(async (at) => {
      const { outputs } = await at.process().create("Deployment", "chat", chat);
      const guest = { name, deployment: chatName, model: chat.baseModel, state: "DEPLOYED" };
      await lie(at, "listDeployedModels", { deployedModels: [guest] });
      await refuseOnce(at, "deleteDeployment");
      await attempt(at.process().delete("Deployment", "chat", outputs));
    }));
}

for (const adopt of ["ifEqual", "overwrite", "never"] as const) {
  for (const [what, name] of [
    ["another account's user of the same email", "accounts/beta/users/root"],
    ["a secret of the same email", "accounts/beta/secrets/vault"],
    ["a climbing name of the same email", "accounts/acme/users/../../beta/users/root"],
  ] as const) {
    test(`a create with adopt: ${adopt} does not take over ${what} from a list`, () =>
      lying(async (at) => {
        await lie(at, "listUsers", { users: [{ name, email: "ada@example.com", role: "admin", state: "READY" }] });
        const wanted = { email: "ada@example.com", role: "user", adopt };
        const made = at.process().create("User", "ada", wanted);
        await attempt(made);
        const id = await made.then(
          ({ id: recorded }) => recorded,
          () => "accounts/acme/users/none",
        );
        expect(id).toMatch(/^accounts\/acme\/users\/[^/]+$/);
      }));
  }
}

for (const [what, name] of [
  ["another account's", "accounts/beta/users/root"],
  ["another kind's", "accounts/acme/secrets/ada"],
  ["a climbing", "accounts/acme/users/../../beta/users/root"],
] as const) {
  const live = { name, email: "ada@example.com", role: "admin", state: "READY" };
  const inputs = { email: "ada@example.com", role: "user", userId: "ada" };
  test(`a refresh that is answered with ${what} name does not move the state there`, () =>
    lying(async (at) => {
      const { outputs } = await at.process().create("User", "ada", inputs);
      await lie(at, "getUser", live);
      await lie(at, "listUsers", { users: [live] });
      const read = at.process().read("User", "ada", outputs);
      expect(await attempt(read)).not.toBe("");
    }));
  test(`an update answered with ${what} name moves neither the state nor the delete`, () =>
    lying(async (at) => {
      const { outputs } = await at.process().create("User", "ada", inputs);
      await lie(at, "updateUser", { ...live, role: "contributor" });
      const update = at.process().update("User", "ada", outputs, { ...inputs, role: "contributor" });
      expect(await attempt(update)).not.toBe("");
      await at.clearFaults();
      await attempt(at.process().delete("User", "ada", outputs));
    }));
  test(`a create that is answered with ${what} name is not recorded under it`, () =>
    lying(async (at) => {
      await lie(at, "createUser", live);
      const create = at.process().create("User", "ada", inputs);
      await attempt(create);
      const id = await create.then(
        ({ id: recorded }) => recorded,
        (error: { id?: string }) => error.id ?? "",
      );
      expect(id).not.toBe(name);
    }));
}

test("policy settings answered under another account's name are refused", () =>
  lying(async (at) => {
    const body = { name: "accounts/beta/policySettings", residency: "US", updateTime: "2026-01-01T00:00:00Z" };
    await lie(at, "getPolicySettings", body);
    const policy = at.process().create("PolicySettings", "policy", { residency: "EUROPE", allowLoosening: true });
    expect(await attempt(policy)).not.toBe("");
  }));
test("a secret that only a list shows, under another account's name, is not gone", () =>
  lying(async (at) => {
    const secret = await at.process().create("Secret", "key", { keyName: "STORAGE_KEY", value: "v" });
    await lie(at, "listSecrets", { secrets: [{ name: "accounts/beta/secrets/vault", keyName: "STORAGE_KEY" }] });
    await at.fault({
      match: { operation: "getSecret", account: "acme" },
      fault: { kind: "status", status: 404, body: { code: 5, message: "the secret does not exist" } },
      times: null,
    });
    expect(await attempt(at.process().read("Secret", "key", secret.outputs))).not.toBe("");
  }));
test("a replacement does not move another account's guests to the successor", () =>
  lying(async (at) => {
    const inputs = { baseModel: chat.baseModel, deploymentShape: "default" };
    const { outputs } = await at.process().create("Deployment", "chat", inputs);
    const guest = {
      ...{ name: "accounts/beta/deployedModels/prod", deployment: outputs["name"] },
      ...{ model: chat.baseModel, state: "DEPLOYED", default: true },
    };
    await lie(at, "listDeployedModels", { deployedModels: [guest] });
    const run = at.process();
    await attempt(run.diff("Deployment", "chat", outputs, { ...inputs, preemptible: true }));
    await attempt(run.create("Deployment", "chat", { ...inputs, preemptible: true }));
    await attempt(run.delete("Deployment", "chat", outputs));
  }));
