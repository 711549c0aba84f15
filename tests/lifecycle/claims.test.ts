import { claimsOf } from "../../provider/lifecycle/memory/identity";
import { specOf } from "../../provider/resources/index";
import { createHarness, type Harness } from "./harness";

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const claimed = (kind: string, inputs: Record<string, unknown>, account: unknown = "acme"): string[] =>
  claimsOf(specOf(kind)!, account, inputs);

const chat = { deploymentId: "chat", baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };
const ada = { email: "ada@example.com" };
const loaded = { model: "accounts/acme/models/m", deployment: "accounts/acme/deployments/d" };

describe("a declaration claims", () => {
  test("the object of a chosen id, by its name", () => {
    expect(claimed("Deployment", chat)).toEqual(["accounts/acme/deployments/chat"]);
    expect(claimed("User", { userId: "ada" })).toEqual(["accounts/acme/users/ada"]);
  });

  test("the only object of its account", () => {
    expect(claimed("PolicySettings", {})).toEqual(["accounts/acme/policySettings"]);
  });

  test("the object of a natural key, letter case aside and without the key's text", () => {
    const keys = claimed("User", ada);
    expect(keys).toEqual([expect.stringMatching(/^accounts\/acme\/users#[0-9a-f]{64}$/)]);
    expect(claimed("User", { email: "Ada@Example.com" })).toEqual(keys);
    // A letter that others can choose, and that wider foldings take for a `k`, names somebody else.
    expect(claimed("User", { email: "\u212aim@e.org" })).not.toEqual(claimed("User", { email: "kim@e.org" }));
    expect(claimed("User", { email: "bob@example.com" })).not.toEqual(keys);
    expect(claimed("User", ada, "beta")).not.toEqual(keys);
  });

  test("an id that follows from another input", () => {
    expect(claimed("Secret", { keyName: "STORAGE_KEY" })).toContain("accounts/acme/secrets/storage-key");
    expect(claimed("Secret", { keyName: "STORAGE_KEY", secretId: "other" })).toContain("accounts/acme/secrets/other");
  });

  test("nothing by an input that is unknown, absent or automatic", () => {
    expect(claimed("Deployment", { ...chat, deploymentId: unknown })).toEqual([]);
    expect(claimed("Deployment", { ...chat, deploymentId: undefined })).toEqual([]);
    expect(claimed("User", { email: unknown })).toEqual([]);
    expect(claimed("Secret", { keyName: unknown })).toEqual([]);
    expect(claimed("DeployedModel", { ...loaded, deployment: unknown })).toEqual([]);
    for (const account of [unknown, null, "", "a/b"]) expect(claimed("Deployment", chat, account)).toEqual([]);
  });

  test("nothing by an id that no object can have", () => {
    expect(claimed("Deployment", { ...chat, deploymentId: "a/b" })).toEqual([]);
    expect(claimed("Deployment", { ...chat, deploymentId: 1 })).toEqual([]);
  });
});

describe("in one program", () => {
  let at: Harness;
  beforeEach(async () => void (at = await createHarness()));
  afterEach(() => at.close());

  test("two key names with one id are reported by that id, with how to tell them apart", async () => {
    const process = at.process();
    await process.check("Secret", "one", { keyName: "X_Y", value: "v" });
    const { failures } = await process.judge("Secret", "two", { keyName: "X__Y", value: "v" });
    expect(failures).toHaveLength(1);
    expect(failures[0]).toMatchObject({ property: "keyName" });
    expect(failures[0]?.reason).toContain("by the same id `x-y`, which follows from `keyName`");
    expect(failures[0]?.reason).toContain("Give one of them another `secretId`");
  });

  test.each([
    ["Deployment", "deploymentId", chat, chat],
    ["User", "userId", { ...ada, userId: "ada" }, { email: "grace@example.com", userId: "ada" }],
    ["User", "email", ada, { email: "Ada@Example.com" }],
    ["Secret", "keyName", { keyName: "KEY", value: "v" }, { keyName: "KEY", value: "w", secretId: "other" }],
    ["DeployedModel", "model", loaded, loaded],
    [
      "Model",
      "modelId",
      { modelId: "m", kind: "HF_BASE_MODEL" },
      { modelId: "m", kind: "HF_BASE_MODEL", displayName: "Other" },
    ],
  ])("two declarations of one %s are refused for their %s", async (kind, property, one, other) => {
    const process = at.process();
    await process.judge(kind, "one", one);
    const { failures } = await process.judge(kind, "other", other);
    const clash = failures.filter(({ reason }) => reason.includes("two resources"));
    expect(clash).toEqual([
      { property, reason: expect.stringMatching(/account `acme`.*::one and \S+::other\. Change .* of one of them/) },
    ]);
    expect(clash[0]!.reason).not.toMatch(/adopt|example\.com/);
    expect((await at.requests()).filter((request) => !request.startsWith("GET "))).toEqual([]);
  });

  test("declarations of one id in two accounts, or of two kinds, are two objects", async () => {
    const process = at.process();
    await process.check("Deployment", "one", chat);
    await expect(process.check("Deployment", "two", { ...chat, accountId: "beta" })).resolves.toBeDefined();
    await expect(process.check("User", "three", { ...ada, userId: "chat" })).resolves.toBeDefined();
  });

  test("one declaration may be checked any number of times, also for a replacement", async () => {
    const process = at.process();
    await process.check("User", "ada", { ...ada, userId: "ada" });
    await process.check("User", "ada", { ...ada, userId: "ada" }, { ...ada, userId: "ada" });
    await expect(process.check("User", "ada", { ...ada, userId: "ada" })).resolves.toMatchObject(ada);
  });

  test("a declaration that changes its id frees the old one for others", async () => {
    const process = at.process();
    await process.check("Deployment", "one", chat);
    await expect(process.check("Deployment", "two", chat)).rejects.toThrow("two resources");
    await process.check("Deployment", "one", { ...chat, deploymentId: "other" });
    await expect(process.check("Deployment", "two", chat)).resolves.toMatchObject(chat);
    await expect(process.check("Deployment", "one", chat)).rejects.toThrow(/::two and \S+::one/);
  });

  test("a refused declaration takes nothing from the first one", async () => {
    const process = at.process();
    await process.check("Deployment", "one", chat);
    await expect(process.check("Deployment", "two", chat)).rejects.toThrow("two resources");
    await process.check("Deployment", "two", { ...chat, deploymentId: "other" });
    await expect(process.check("Deployment", "three", chat)).rejects.toThrow(/::one and \S+::three/);
  });
});
