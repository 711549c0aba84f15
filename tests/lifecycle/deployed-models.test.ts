import { InitFailedError, type Values } from "../../provider/lifecycle/types";
import { refusal, rejection } from "../rejection";
import { createHarness, type Harness } from "./harness";

const open8b = "accounts/platform/models/open-8b";
const open70b = "accounts/platform/models/open-70b";
const kind = "DeployedModel";

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

/** A deployment that serves; without more said, nothing is put onto it by itself. */
const deployed = async (name: string, more: Values = { disableAutoDeploy: true }): Promise<string> =>
  (await at.process().create("Deployment", name, { baseModel: open8b, deploymentShape: "default", ...more })).id;

test("is DEPLOYED once created, and its model's default if it is the first", async () => {
  const { outputs } = await at.process().create(kind, "chat", { model: open8b, deployment: await deployed("blue") });
  expect(outputs).toMatchObject({ state: "DEPLOYED", default: true });
});

test("that becomes the default takes it from the other one, without a diff there", async () => {
  const [blue, green] = [await deployed("blue"), await deployed("green")];
  const first = await at.process().create(kind, "blue", { model: open8b, deployment: blue, default: true });
  const second = await at.process().create(kind, "green", { model: open8b, deployment: green });
  await at.process().update(kind, "green", second.outputs, { model: open8b, deployment: green, default: true });
  expect(at.live("deployedModels").filter((object) => object["default"] === true)).toMatchObject([{ name: second.id }]);
  const read = await at.process().read(kind, "blue", first.outputs);
  expect(await at.process().diff(kind, "blue", read!.outputs, { model: open8b, deployment: blue })).toMatchObject({
    changes: false,
  });
});

test("moves from one deployment to another in place, with all its fields", async () => {
  const [blue, green] = [await deployed("blue"), await deployed("green")];
  const { outputs, id } = await at
    .process()
    .create(kind, "chat", { model: open8b, deployment: blue, displayName: "Chat", default: true });
  const moved = { model: open8b, deployment: green, displayName: "Chat", default: true };
  expect(await at.process().diff(kind, "chat", outputs, moved)).toMatchObject({ replaces: [] });
  expect(await at.process().update(kind, "chat", outputs, moved)).toMatchObject({
    name: id,
    deployment: green,
    displayName: "Chat",
    default: true,
    state: "DEPLOYED",
  });
});

test("that fails on its new host is moved back, and the next run tries again", async () => {
  const [blue, green] = [await deployed("blue"), await deployed("green")];
  const { outputs, id } = await at.process().create(kind, "chat", { model: open8b, deployment: blue, default: true });
  const lost = { model: open8b, deployment: "accounts/acme/deployments/none", default: true };
  const error = (await refusal("moved-back", at.process().update(kind, "chat", outputs, lost))) as InitFailedError;
  expect(error.message).toMatch(new RegExp(`failed after the change: .*NOT_FOUND.* It serves from ${blue} again`));
  expect(at.object(id)).toMatchObject({ deployment: blue, default: true, state: "DEPLOYED" });
  expect(error.outputs).toMatchObject({ deployment: blue, state: "DEPLOYED" });
  const moved = { ...lost, deployment: green };
  expect(await at.process().diff(kind, "chat", error.outputs, moved)).toMatchObject({ replaces: [] });
  expect(await at.process().update(kind, "chat", error.outputs, moved)).toMatchObject({
    name: id,
    deployment: green,
    state: "DEPLOYED",
  });
});

test("that the service reports as moved and has not moved is an error", async () => {
  const [blue, green] = [await deployed("blue"), await deployed("green")];
  const { outputs, id } = await at.process().create(kind, "chat", { model: open8b, deployment: blue });
  await at.fault({
    match: { operation: "updateDeployedModel" },
    fault: { kind: "status", status: 200, body: { ...at.object(id), deployment: green } },
  });
  const error = await refusal(
    "update-ignored",
    at.process().update(kind, "chat", outputs, { model: open8b, deployment: green }),
  );
  expect(error.message).toContain(
    `accepted the change but did not apply it: \`deployment\` is still ${JSON.stringify(blue)}`,
  );
});

describe("a deployed model that cannot be loaded", () => {
  const lost = { model: open8b, deployment: "accounts/acme/deployments/none" };

  test("has failed when its status says so, and is recorded with that status", async () => {
    const error = (await rejection(at.process().create(kind, "chat", lost))) as InitFailedError;
    expect(error).toBeInstanceOf(InitFailedError);
    expect(error.message).toMatch(/DEPLOYING \(NOT_FOUND: .*none does not exist\)/);
    expect(error.outputs).toMatchObject({ state: "DEPLOYING", status: { code: "NOT_FOUND" } });
  });

  test("is replaced by the next run, which deletes the failed one first", async () => {
    const error = (await rejection(at.process().create(kind, "chat", lost))) as InitFailedError;
    const process = at.process();
    expect(await process.diff(kind, "chat", error.outputs, lost)).toMatchObject({
      changes: true,
      replaces: ["state"],
      deleteBeforeReplace: true,
    });
    await process.delete(kind, "chat", error.outputs);
    const fixed = { model: open8b, deployment: await deployed("blue") };
    expect((await process.create(kind, "chat", fixed)).outputs).toMatchObject({ state: "DEPLOYED" });
  });

  test("has not failed while its status is OK or absent, however long it takes", async () => {
    const blue = await deployed("blue");
    const creating = at.process().create(kind, "chat", { model: open8b, deployment: blue });
    await at.clock.sleep(3_000);
    await at.change(String(at.live("deployedModels")[0]!["name"]), { status: { code: "", message: "downloading" } });
    expect((await creating).outputs).toMatchObject({ state: "DEPLOYED" });
  });
});

describe("a model that the service itself puts onto a new deployment", () => {
  test("becomes the declared one, and is changed to match it", async () => {
    const blue = await deployed("blue", {});
    const [made] = at.live("deployedModels");
    const { outputs, id } = await at
      .process()
      .create(kind, "chat", { model: open8b, deployment: blue, displayName: "Chat" });
    expect(id).toBe(made!["name"]);
    expect(outputs).toMatchObject({ displayName: "Chat", state: "DEPLOYED" });
    expect(outputs).not.toHaveProperty("adopted");
    await at.process().delete(kind, "chat", outputs);
    expect(at.live("deployedModels").filter(({ state }) => state !== "UNDEPLOYING")).toEqual([]);
  });

  test("makes room for the declared one that moves there", async () => {
    const blue = await deployed("blue");
    const { outputs, id } = await at.process().create(kind, "chat", { model: open8b, deployment: blue, default: true });
    const process = at.process();
    const { id: green } = await process.create("Deployment", "green", {
      baseModel: open70b,
      deploymentShape: "default",
    });
    expect(at.live("deployedModels")).toHaveLength(2);
    const moved = await process.update(kind, "chat", outputs, { model: open70b, deployment: green, default: true });
    expect(moved).toMatchObject({ name: id, model: open70b, deployment: green, default: true, state: "DEPLOYED" });
    expect(at.live("deployedModels").map(({ name }) => name)).toEqual([id]);
    expect(process.messages).toContainEqual(expect.stringMatching(/^info: .* to make room for/));
  });

  test("is distinguished from an object that another team creates there later", async () => {
    const [blue, green] = [await deployed("blue"), await deployed("green")];
    const { outputs } = await at.process().create(kind, "chat", { model: open8b, deployment: blue });
    await at.process().create(kind, "other", { model: open8b, deployment: green });
    const error = await refusal(
      "key-taken",
      at.process().update(kind, "chat", outputs, { model: open8b, deployment: green }),
    );
    expect(error.message).toMatch(/cannot be changed to what the program declares, because .* already matches that/);
    expect(at.live("deployedModels")).toHaveLength(2);
  });
});

describe("a preview", () => {
  const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
  const recommended = expect.stringContaining("set `disableAutoDeploy: true` there");

  test.each([
    ["the deployment's own model on a new deployment", {}, unknown, open8b, [recommended]],
    [
      "the same under an id that the program chose",
      { deploymentId: "blue" },
      "accounts/acme/deployments/blue",
      open8b,
      [recommended],
    ],
    ["another deployment", { deploymentId: "blue" }, "accounts/acme/deployments/green", open8b, []],
    ["another model", {}, unknown, open70b, []],
    ["a deployment that puts nothing onto itself", { disableAutoDeploy: true }, unknown, open8b, []],
    ["a deployment of which that is not known yet", { disableAutoDeploy: unknown }, unknown, open8b, []],
    ["models of which neither is known yet", { baseModel: unknown }, unknown, unknown, []],
  ])(
    "of %s recommends how to keep the two apart where that is needed",
    async (_, more, deployment, model, warnings) => {
      const process = at.process();
      await process.judge("Deployment", "blue", { baseModel: open8b, deploymentShape: "default", ...more });
      expect((await process.judge(kind, "chat", { model, deployment })).warnings).toEqual(warnings);
    },
  );

  test("recommends nothing for accounts of which neither is known yet", async () => {
    const process = at.process();
    const blue = { baseModel: open8b, deploymentShape: "default", accountId: unknown };
    await process.judge("Deployment", "blue", blue);
    const { warnings } = await process.judge(kind, "chat", { model: open8b, deployment: unknown, accountId: unknown });
    expect(warnings).toEqual([]);
  });

  test("recommends nothing for an existing object", async () => {
    const process = at.process();
    const old = { baseModel: open8b, deploymentShape: "default", accountId: "acme" };
    await process.judge("Deployment", "blue", old, old);
    expect((await process.judge(kind, "chat", { model: open8b, deployment: unknown })).warnings).toEqual([]);
  });

  test("refuses two that claim to be the default of one model", async () => {
    const process = at.process();
    const claim = (name: string, model: string, claims = true) =>
      process.judge(kind, name, { model, deployment: `accounts/acme/deployments/${name}`, default: claims });
    expect((await claim("blue", open8b)).failures).toEqual([]);
    expect((await claim("blue", open8b)).failures).toEqual([]);
    expect((await claim("green", open8b)).failures).toEqual([
      { property: "default", reason: expect.stringMatching(/two resources set it: \S+::blue and \S+::green/) },
    ]);
    expect((await claim("grey", open8b, false)).failures).toEqual([]);
    expect((await claim("red", open70b)).failures).toEqual([]);
  });
});
